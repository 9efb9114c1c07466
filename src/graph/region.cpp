#include "graph/region.hpp"

namespace maslin::graph {

namespace {

/// Gives the first column of `r` that ends behind `first`; there may be none.
std::size_t column_behind(const region& r, std::uintptr_t first) {
  return first < r.start + r.bytes ? 0 : (first - r.start - r.bytes) / r.stride + 1;
}

/// Has [first, last) a byte in common with the columns of `r`?
bool run_overlaps(std::uintptr_t first, std::uintptr_t last, const region& r) {
  const std::size_t column = column_behind(r, first);  // no other need be looked at
  return column < r.columns && r.start + column * r.stride < last;
}

}  // namespace

bool overlap(const region& a, const region& b) {
  if (a.empty() || b.empty() || a.end() <= b.start || b.end() <= a.start) return false;
  if (a.stride < b.stride) return overlap(b, a);  // where both lie, `a` has fewer columns
  if (a.columns == 1) return true;
  if (b.columns == 1) return run_overlaps(b.start, b.end(), a);
  // Then each column of `a` that lies within `b` lies the same way between the columns of `b`.
  const bool alike = a.stride == b.stride || a.stride % b.stride == 0;
  for (std::size_t i = column_behind(a, b.start); i < a.columns; ++i) {
    const std::uintptr_t first = a.start + i * a.stride;
    if (first >= b.end()) return false;
    if (run_overlaps(first, first + a.bytes, b)) return true;
    if (alike) return false;
  }
  return false;
}

}  // namespace maslin::graph
