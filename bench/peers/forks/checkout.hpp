#pragma once
// The main program for a runtime whose headers come from a checkout: FIGURE... on two CPUs, a line of JSON each.
// PEER_VERSION says which state of the checkout it is.

#include <cstdio>

#include "solve.hpp"

namespace bench::forks {

/// Solves the figures that the words name. `schedule` tells several solvers of one runtime apart.
template <class Solver>
bool print_all(Solver& solver, const char* runtime, const char* schedule, int count, char** words) {
  bool right = true;
  for (int i = 1; i < count; ++i)
    for (const result& r : solve(solver, words[i])) {
      std::printf(R"({"figure": "%s", "runtime": "%s", "version": "%s", "schedule": "%s", "seconds": %.9g, )"
                  R"("mean_seconds": %.9g)",
                  r.figure.c_str(), runtime, PEER_VERSION, schedule, r.seconds.median, r.seconds.mean);
      for (const auto& [key, value] : r.more) std::printf(R"(, "%s": %.6g)", key.c_str(), value);
      std::printf(", \"checked\": %s}\n", r.checked ? "true" : "false");
      right = right && r.checked;
    }
  return right;
}

}  // namespace bench::forks
