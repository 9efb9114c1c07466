#pragma once
// An order of branches in which few conditional likelihood vectors change from one to the next.

#include <utility>
#include <vector>

#include "phylo/tree/tree.hpp"

namespace phylo {

/// Branches in an order in which each is next to the one before it or to one of its ancestors, so that few CLVs change
/// between them: depth first from `root`, which stands first; each as the half-edge at its far end. Those within
/// `radius` branches.
inline std::vector<HalfEdge> depth_first(const Tree& tree, HalfEdge root, int radius) {
  std::vector<HalfEdge> order;
  std::vector<std::pair<HalfEdge, int>> stack;
  order.push_back(root);
  const auto push_children = [&](HalfEdge h, int depth) {
    if (depth > radius) return;
    for (HalfEdge side = tree.next(h); side != h; side = tree.next(side))
      if (tree.back(side) != none) stack.emplace_back(tree.back(side), depth);
  };
  push_children(tree.back(root), 1);
  push_children(root, 1);
  while (!stack.empty()) {
    const auto [h, depth] = stack.back();
    stack.pop_back();
    order.push_back(h);
    push_children(h, depth + 1);
  }
  return order;
}

}  // namespace phylo
