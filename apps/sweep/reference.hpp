#pragma once
// The serial program that says what is right: one cell after the other, in double precision, without blocks, ranks or
// SIMD.

#include "sweep/solution.hpp"

namespace sweep {

solution solve_serially(const problem& of);

}  // namespace sweep
