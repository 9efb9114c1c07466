#pragma once
// Numbers that look random, the same everywhere, and a recurrence whose end is known without running it.

#include <bit>
#include <cmath>
#include <cstdint>

namespace shapes {

/// Gives 64 bits that depend on both numbers.
inline std::uint64_t mixed(std::uint64_t a, std::uint64_t b = 0) {
  std::uint64_t z = a * 0x9e3779b97f4a7c15u + b + 1;
  for (int round = 0; round < 2; ++round) {
    z ^= z >> 30;
    z *= 0xbf58476d1ce4e5b9u;
    z ^= z >> 27;
    z *= 0x94d049bb133111ebu;
  }
  return z ^ (z >> 31);
}
inline std::uint64_t mixed(std::uint64_t a, double b) { return mixed(a, std::bit_cast<std::uint64_t>(b)); }

/// Gives 64 bits that depend on all values and on their order.
template <class Values>
std::uint64_t folded(const Values& values) {
  std::uint64_t all = 0;
  for (const auto value : values) all = mixed(all, value);
  return all;
}

/// Gives a number of [0, 1) that depends on both.
inline double uniform(std::uint64_t a, std::uint64_t b) { return static_cast<double>(mixed(a, b) >> 11) * 0x1p-53; }

/// Gives a number of the lognormal distribution with mean 1, where `sigma` is that of the logarithm.
inline double lognormal(double sigma, std::uint64_t a, std::uint64_t b) {
  double normal = -6;
  for (std::uint64_t k = 0; k < 12; ++k) normal += uniform(mixed(a, b), k);
  return std::exp(sigma * normal - 0.5 * sigma * sigma);
}

/// x → a x + c, modulo 2^64.
struct affine {
  std::uint64_t a = 6'364'136'223'846'793'005U;
  std::uint64_t c = 1'442'695'040'888'963'407U;

  std::uint64_t operator()(std::uint64_t x) const { return a * x + c; }

  /// Gives the map that is this one n times over.
  affine times(std::uint64_t n) const {
    affine all{1, 0};
    for (affine power = *this; n > 0; n >>= 1, power = {power.a * power.a, power.a * power.c + power.c})
      if (n & 1) all = {power.a * all.a, power.a * all.c + power.c};
    return all;
  }
};

/// Gives what `x` becomes in n steps, one after the other.
inline std::uint64_t steps(std::uint64_t x, std::int64_t n) {
  const affine step;
  for (std::int64_t k = 0; k < n; ++k) x = step(x);
  return x;
}
inline constexpr double step_seconds = 1.3e-9;  // a multiplication and an addition that wait for each other

}  // namespace shapes
