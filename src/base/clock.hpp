#pragma once
// Time as the hot paths take it: a counter that costs about ten nanoseconds to read.

#include <algorithm>
#include <chrono>
#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace maslin::base {

/// Gives a monotonic counter of unknown unit; `seconds_per_tick` gives the unit.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// Measures how many ticks of a clock lie at least between two readings with nothing between them.
template <class Read>
std::uint64_t ticks_per_reading(Read&& read) noexcept {
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t begin = read();
    least = std::min(least, read() - begin);
  }
  return least;
}
inline std::uint64_t ticks_per_reading() noexcept { return ticks_per_reading(ticks); }

/// Gives the length of a tick, from the two clocks' readings since the process began; exact to a millionth once the
/// process is 50 ms old.
double seconds_per_tick() noexcept;

}  // namespace maslin::base
