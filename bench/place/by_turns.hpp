#pragma once
// Runs something under dbs and under locality by turns, and says what the one takes of the other.

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "maslin/maslin.hpp"

namespace place {

struct taken {
  double wall = 0;  ///< seconds
  double cpu = 0;   ///< of all threads; others that use the machine change it less
};

template <class Run>
taken time_of(Run&& run) {
  const auto cpu = [] {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  const auto wall = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  const taken began{wall(), cpu()};
  run();
  return {wall() - began.wall, cpu() - began.cpu};
}

/// The median and the quartiles.
struct spread {
  explicit spread(std::vector<double> of) : values(std::move(of)) { std::sort(values.begin(), values.end()); }
  double at(double part) const {
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
  }
  double median() const { return at(0.5); }
  std::vector<double> values;
};

struct pairs {
  std::vector<taken> dbs, locality;

  template <class Value>
  spread each(Value&& value) const {
    std::vector<double> all;
    for (std::size_t i = 0; i < dbs.size(); ++i) all.push_back(value(dbs[i], locality[i]));
    return spread(std::move(all));
  }
};

/// `run()` gives what it took. Each side has a runtime of its own and runs twice; the second time counts, when memory
/// for what is ready is there. The two of a pair change places.
template <class Run>
pairs by_turns(int runs, int workers, Run&& run) {
  pairs all;
  const auto under = [&](const char* policy) {
    setenv("MASLIN_PLACE", policy, 1);
    const maslin::Runtime runtime({.workers = workers, .serial = false});
    run();
    return run();
  };
  for (int i = -1; i < runs; ++i) {  // the first pair finds cold pages
    taken dbs, locality;
    if (i % 2 == 0) dbs = under("dbs");
    locality = under("locality");
    if (i % 2 != 0) dbs = under("dbs");
    if (i < 0) continue;
    all.dbs.push_back(dbs);
    all.locality.push_back(locality);
  }
  return all;
}

}  // namespace place
