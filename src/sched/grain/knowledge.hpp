#pragma once
// What was learned of a phase, for its next run: in this process, or in another on the same machine.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "maslin/phase.hpp"

namespace maslin::grain {

struct knowledge {
  struct known {
    configuration under;
    double throughput = 0;  ///< W
  };
  double kernel_seconds = 0;  ///< mean one-worker time of what was completed: the size of the input
  std::vector<known> best;    ///< from the best; the first is what was chosen
};

/// Gives the logarithm of how much larger a kernel of `a`'s input is than one of `b`'s: by how many of them complete in
/// a second in a configuration that both know; where there is none, by their one-worker times, which are other times in
/// each configuration where memory bounds them. Both must have a time.
inline double log_size_ratio(const knowledge& a, const knowledge& b) {
  const double times = std::log(a.kernel_seconds / b.kernel_seconds);
  for (const knowledge::known& one : a.best) {
    const auto other = std::ranges::find(b.best, one.under, &knowledge::known::under);
    if (other != b.best.end()) return times + std::log(other->throughput / one.throughput);
  }
  return times;
}

}  // namespace maslin::grain
