#include "phylo/tree/tree.hpp"

#include <cassert>
#include <stdexcept>

namespace phylo {

Tree::Tree(std::int32_t tips) : tips_(tips) {
  if (tips < 3) throw std::invalid_argument("a tree needs at least three tips");
  const auto ends = static_cast<std::size_t>(4) * static_cast<std::size_t>(tips) - 6;
  back_.assign(ends, none);
  length_.assign(ends, 0.0);
}

void Tree::connect(HalfEdge a, HalfEdge b, double length) {
  assert(a != b && back(a) == none && back(b) == none);
  back_[static_cast<std::size_t>(a)] = b;
  back_[static_cast<std::size_t>(b)] = a;
  set_length(a, length);
}

HalfEdge Tree::disconnect(HalfEdge h) {
  const HalfEdge other = back(h);
  assert(other != none);
  back_[static_cast<std::size_t>(h)] = none;
  back_[static_cast<std::size_t>(other)] = none;
  return other;
}

bool Tree::complete() const {
  if (tips_ < 3) return false;
  for (HalfEdge h = 0; h < half_edges(); ++h)
    if (back(h) == none || back(back(h)) != h || length(h) != length(back(h))) return false;
  std::vector<bool> seen(static_cast<std::size_t>(nodes()), false);
  std::vector<HalfEdge> stack{back(0)};
  seen[0] = true;
  std::int32_t reached = 1;
  while (!stack.empty()) {
    const HalfEdge h = stack.back();
    stack.pop_back();
    const auto v = static_cast<std::size_t>(node(h));
    if (seen[v]) return false;  // a cycle
    seen[v] = true;
    ++reached;
    for (HalfEdge side = next(h); side != h; side = next(side)) stack.push_back(back(side));
  }
  return reached == nodes();
}

std::vector<HalfEdge> Tree::branches() const {
  std::vector<HalfEdge> all;
  all.reserve(static_cast<std::size_t>(half_edges()) / 2);
  for_each_branch([&](HalfEdge h) { all.push_back(h); });
  return all;
}

}  // namespace phylo
