#pragma once
// Time as the hot paths take it: a counter that costs about ten nanoseconds to read.

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

/// Measures how many ticks lie between two readings with nothing between them.
std::uint64_t ticks_per_reading() noexcept;

/// Gives the length of a tick, from the two clocks' readings since the process began; exact to a millionth once the
/// process is 50 ms old.
double seconds_per_tick() noexcept;

}  // namespace maslin::base
