#pragma once
// What is too small to split is not split (dynamic-bisectioning, section 3: the grain is matched to P): how long the
// iterations of a loop take is learned per call site, and a loop that would not gain from a team (grain/edtlp,
// `worth_sharing`) stays with its caller.

#include <cstdint>

namespace maslin::loop_policy {

/// The time of an iteration at one call site, as learned so far.
struct site_time {
  float per_iteration = 0;  ///< in ticks; 0: not known yet

  /// Gives the expected one-worker time of so many iterations, in ticks; 0: not known yet.
  double expected(std::int64_t iterations) const noexcept {
    return static_cast<double>(per_iteration) * static_cast<double>(iterations);
  }
  /// Gives what is known after so many iterations took so long, all workers together: a mean that forgets.
  site_time learned(std::int64_t iterations, std::uint64_t ticks) const noexcept {
    const float seen = static_cast<float>(ticks) / static_cast<float>(iterations);
    return {per_iteration > 0 ? per_iteration + (seen - per_iteration) / 4 : seen};
  }
};

}  // namespace maslin::loop_policy
