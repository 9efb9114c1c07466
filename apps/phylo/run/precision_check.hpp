#pragma once
// Whether chains in single precision keep to double precision.

#include <cstdint>

namespace phylo {

/// How far log-likelihoods in single precision may be off those in double precision. The ratio by which a proposal is
/// accepted is off by a share of twice as much at most.
inline constexpr double tolerated_error = 0.05;

/// What comparisons with double precision have found.
struct PrecisionCheck {
  int times = 0;
  double largest_error = 0;  ///< of a log-likelihood

  /// Notes a comparison of all chains at that generation. Throws `input_error` if one was too far off.
  void add(std::int64_t generation, double error);
};

}  // namespace phylo
