#pragma once
// How likelihoods are kept from underflow, as RAxML does it: in steps of 2^256, where CLVs hold floats of 2^32. The
// product of two floats that need no step is 2^-64 at least, which leaves 2^-62 for the probabilities between them.

namespace phylo {

template <class Number>
inline constexpr int scale_bits = 256;
template <>
inline constexpr int scale_bits<float> = 32;

template <class Number>
inline constexpr double scale_factor = 0x1p256;
template <>
inline constexpr double scale_factor<float> = 0x1p32;

template <class Number>
inline constexpr double scale_threshold = 1 / scale_factor<Number>;
template <class Number>
inline constexpr double log_scale_factor = scale_bits<Number> * 0.69314718055994530942;

}  // namespace phylo
