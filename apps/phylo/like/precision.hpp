#pragma once
// What conditional likelihood vectors are kept in.

#include <cstdint>

namespace phylo {

/// What their numbers are: doubles, or floats, with which the kernels compute as doubles.
enum class Precision : std::uint8_t { binary64, binary32 };

}  // namespace phylo
