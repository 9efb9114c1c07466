#include "graph/region.hpp"

#include <algorithm>

namespace maslin::graph {

namespace {

/// Has [first, last) a byte in common with `r`?
bool run_overlaps(std::uintptr_t first, std::uintptr_t last, const region& r) {
  if (last <= r.start || first >= r.end()) return false;
  if (r.columns == 1) return true;
  // The first column that ends behind `first` is the only one that need be looked at.
  const std::size_t column = first < r.start + r.bytes ? 0 : (first - r.start - r.bytes) / r.stride + 1;
  return column < r.columns && r.start + column * r.stride < last;
}

}  // namespace

bool overlap(const region& a, const region& b) {
  if (a.empty() || b.empty() || a.end() <= b.start || b.end() <= a.start) return false;
  if (a.columns > b.columns) return overlap(b, a);
  for (std::size_t i = 0; i < a.columns; ++i) {
    const std::uintptr_t first = a.start + i * a.stride;
    if (run_overlaps(first, first + a.bytes, b)) return true;
  }
  return false;
}

}  // namespace maslin::graph
