#pragma once
// What is learned at a call site of how long its work takes: an iteration of its loop, the body of its task. By that,
// what is too small to be split or handed over is not (edtlp.hpp).

#include <algorithm>
#include <cstdint>
#include <limits>

namespace maslin::grain {

/// A mean of what was seen, in ticks; it forgets what lies far back.
/// Aligned to its size: clang 14 calls libatomic where an atomic object is aligned to less.
struct alignas(8) site_time {
  float mean = 0;
  std::uint32_t seen = 0;  ///< how often something was learned; stops at `memory`

  /// Of what does not count as small, whatever was seen and will be.
  static constexpr site_time never_small() noexcept { return {std::numeric_limits<float>::infinity(), ~0u}; }

  /// Gives the expected one-worker time of so many of them, in ticks; 0: not known yet.
  double expected(std::uint64_t count) const noexcept { return static_cast<double>(mean) * static_cast<double>(count); }
  /// Gives what is known after so many took so long, all workers together. `memory`: how many such observations the
  /// mean keeps in mind.
  site_time learned(std::uint64_t count, std::uint64_t ticks, std::uint32_t memory) const noexcept {
    if (seen == never_small().seen) return *this;
    const float now = static_cast<float>(ticks) / static_cast<float>(count);
    const std::uint32_t weight = std::min(seen + 1, memory);
    return {mean + (now - mean) / static_cast<float>(weight), weight};
  }
  /// The same of one thing that takes much longer at times, because others disturb it: more than twice the mean counts
  /// as twice the mean, and the shortest of the first ones is where it starts.
  site_time learned_usual(std::uint64_t ticks, std::uint32_t memory) const noexcept {
    constexpr std::uint32_t first = 4;
    const float now = static_cast<float>(ticks);
    const std::uint32_t weight = std::min(seen + 1, memory);
    if (weight <= first) return {seen == 0 ? now : std::min(mean, now), weight};
    return {mean + (std::min(now, 2 * mean) - mean) / static_cast<float>(weight), weight};
  }
};

}  // namespace maslin::grain
