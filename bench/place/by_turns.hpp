#pragma once
// Runs something under each place policy by turns, and says what the one takes of the other.

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
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

/// What is measured: a name, and the policy that it is about.
struct side {
  std::string name;
  maslin::placement policy;
  std::vector<taken> rounds = {};
  bool hints = true;

  /// Gives what it takes of another side, round by round.
  template <class Value>
  spread beside(const side& other, Value&& value) const {
    std::vector<double> all;
    for (std::size_t i = 0; i < rounds.size(); ++i) all.push_back(value(rounds[i], other.rounds[i]));
    return spread(std::move(all));
  }
};

inline std::vector<side> all_policies() {
  using maslin::placement;
  return {{"dbs", placement::dbs},
          {"locality", placement::locality},
          {"program-order", placement::program_order},
          {"chains", placement::chains}};
}

/// `run(side)` gives what it took. Each side has a runtime of its own and runs twice; the second time counts, when
/// memory for what is ready is there. Another one is the first in each round.
template <class Run>
void by_turns(std::vector<side>& sides, int rounds, int workers, Run&& run) {
  for (int i = -1; i < rounds; ++i)  // the first round finds cold pages
    for (std::size_t k = 0; k < sides.size(); ++k) {
      side& one = sides[(k + static_cast<std::size_t>(i + 1)) % sides.size()];
      setenv("MASLIN_HINTS", one.hints ? "1" : "0", 1);
      const maslin::Runtime runtime({.workers = workers, .serial = false, .place = one.policy});
      run(one);
      const taken found = run(one);
      if (i >= 0) one.rounds.push_back(found);
    }
}

}  // namespace place
