// The kernel of a line with the instructions that every processor of its kind has.

#include <cstdint>
#include <utility>

#include "sweep/cell.hpp"
#include "sweep/line.hpp"

namespace sweep {
namespace {
#include "sweep/line_body.inc"
}
const line_kernels baseline_lines = kernels;
}  // namespace sweep
