#include "shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace shapes {

void shape::check_off_loads() const {
  for (std::int64_t i = 0; i < what_.streams; ++i)
    if (const std::int64_t ran = off_loads_[static_cast<std::size_t>(i)]; ran != expected(i))
      throw wrong_answer(fmt::format("stream {} had {} off-loads of {}", i, ran, expected(i)));
}

std::int64_t shape::off_loads() const { return std::accumulate(off_loads_.begin(), off_loads_.end(), std::int64_t{0}); }

std::int64_t shape::at_a_time() const {
  const auto now = ms::report(phase_name);
  return now ? std::clamp<std::int64_t>(now->streams - now->done, 1, now->current.streams) : 1;
}

}  // namespace shapes
