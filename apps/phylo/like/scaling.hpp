#pragma once
// How likelihoods are kept from underflow, as RAxML does it: in steps of 2^256.

namespace phylo {

inline constexpr double scale_factor = 0x1p256;
inline constexpr double scale_threshold = 0x1p-256;
inline constexpr double log_scale_factor = 256 * 0.69314718055994530942;

}  // namespace phylo
