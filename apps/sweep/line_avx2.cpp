// The kernel of a line with AVX2. What is compiled for these instructions stands below the pragma, so that nothing
// else is.

#if defined(__x86_64__)

#include <cstdint>
#include <utility>

#include "sweep/cell.hpp"
#include "sweep/line.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

namespace sweep {
namespace {
#include "sweep/line_body.inc"
}
const line_kernels avx2_lines = kernels;
}  // namespace sweep

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
