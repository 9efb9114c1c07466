#include "base/clock.hpp"

namespace maslin::base {

namespace {

struct reading {
  std::uint64_t counter = ticks();
  std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now();
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
