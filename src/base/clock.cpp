#include "base/clock.hpp"

#include <limits>

namespace maslin::base {

namespace {

/// Both clocks at a moment.
struct reading {
  reading() noexcept {
    // Another thread may have the CPU between the two, for milliseconds: the closest of some readings counts.
    std::uint64_t closest = std::numeric_limits<std::uint64_t>::max();
    for (int tries = 0; tries < 4; ++tries) {
      const std::uint64_t before = ticks();
      const auto at = std::chrono::steady_clock::now();
      const std::uint64_t apart = ticks() - before;
      if (apart >= closest) continue;
      closest = apart;
      counter = before;
      time = at;
    }
  }
  std::uint64_t counter = 0;
  std::chrono::steady_clock::time_point time;
};

const reading at_start;

}  // namespace

double seconds_per_tick() noexcept {
  reading now;
  // Below a millisecond the two readings' own cost would show.
  while (now.time - at_start.time < std::chrono::milliseconds(1)) now = reading{};
  return std::chrono::duration<double>(now.time - at_start.time).count() /
         static_cast<double>(now.counter - at_start.counter);
}

}  // namespace maslin::base
