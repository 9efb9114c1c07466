#pragma once
// The recorder's clock: the processor's time stamp counter where it ticks at one rate on all cores and in all sleep
// states, else CLOCK_MONOTONIC; on a described machine its own time, in nanoseconds. Ticks become nanoseconds only when
// the trace is read.

#include <cstdint>
#include <ctime>

#include "base/clock.hpp"

namespace maslin::trace::internal {

/// Whether `ticks` reads the processor's counter; set by `choose_clock`, which `start` calls before anybody records.
extern bool use_counter;
/// The time of a described machine, if the program runs on one.
extern std::uint64_t (*described_clock)() noexcept;
void choose_clock(std::uint64_t (*described)() noexcept) noexcept;

inline std::uint64_t monotonic_ns() noexcept {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

inline std::uint64_t ticks() noexcept {
  if (use_counter) [[likely]]
    return base::ticks();
  return described_clock ? described_clock() : base::stepped(monotonic_ns());
}

/// Gives how many ticks recording an event takes, which is hardly more than reading the clock; none in described time.
std::uint64_t ticks_per_event() noexcept;

/// One instant on both clocks.
struct clock_pair {
  std::uint64_t ticks;
  std::uint64_t ns;
};

/// Gives the instant now; off by less than the tightest of a few readings of both clocks took (some 50 ns).
clock_pair read_clocks() noexcept;

}  // namespace maslin::trace::internal
