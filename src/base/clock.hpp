#pragma once
// Time as the hot paths take it: a counter that costs about ten nanoseconds to read.

#include <algorithm>
#include <chrono>
#include <cstdint>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace maslin::base {

/// Some processors' counters move in steps of dozens of ticks, so that two readings in a row give the same. Tests are
/// built with MASLIN_CLOCK_STEP to run on such a clock anywhere.
#ifndef MASLIN_CLOCK_STEP
#define MASLIN_CLOCK_STEP 1
#endif
constexpr std::uint64_t stepped(std::uint64_t ticks) noexcept { return ticks - ticks % MASLIN_CLOCK_STEP; }

/// Gives a counter of unknown unit that never runs backwards on one core; `seconds_per_tick` gives the unit. Two
/// readings may give the same, and on two cores the later one may be smaller by a few dozen nanoseconds: a processor
/// reads its counter before the loads that come earlier have ended.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return stepped(__rdtsc());
#else
  return stepped(static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
#endif
}

/// Measures how many ticks of a clock a reading takes: the mean of many, for the clock may not move at each, of the
/// batch that was disturbed least.
template <class Read>
std::uint64_t ticks_per_reading(Read&& read) noexcept {
  constexpr int batches = 16, readings = 64;
  std::uint64_t least = ~std::uint64_t{0};
  for (int batch = 0; batch < batches; ++batch) {
    const std::uint64_t begin = read();
    for (int i = 1; i < readings; ++i) (void)read();
    least = std::min(least, read() - begin);
  }
  return (least + readings / 2) / readings;
}
inline std::uint64_t ticks_per_reading() noexcept { return ticks_per_reading(ticks); }

/// Gives the length of a tick, from the two clocks' readings since the process began; exact to a millionth once the
/// process is 50 ms old.
double seconds_per_tick() noexcept;

}  // namespace maslin::base
