#pragma once

#include <cmath>
#include <cstdint>

namespace cell {

/// Gives a factor of mean 1 for the lengths of off-load `k` of stream `i`: 1 + spread (x - 1) with x from the
/// exponential distribution, the same at every call.
inline double length_factor(double spread, std::int64_t i, std::int64_t k) {
  std::uint64_t z = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(k) + 1;
  for (int round = 0; round < 3; ++round) {
    z ^= z >> 30;
    z *= 0xbf58476d1ce4e5b9u;
    z ^= z >> 27;
    z *= 0x94d049bb133111ebu;
  }
  const double u = (static_cast<double>(z >> 11) + 0.5) * 0x1p-53;
  return 1 + spread * (-std::log(u) - 1);
}

}  // namespace cell
