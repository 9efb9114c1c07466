#pragma once
// Trees that grow taxon by taxon, for searches to begin at.

#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "phylo/search/constraint.hpp"
#include "phylo/search/random.hpp"
#include "phylo/tree/rearrange.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo {

/// Of all branches of a start tree: expected substitutions per site. Smoothing comes next anyhow.
inline constexpr double start_length = 0.1;

/// Gives a tree of at least three taxa, which were added in random order. `choose(tree, taxon, open)` gives one of the
/// open branches, those where the tree goes on to display the constraint, if there is one; all branches otherwise.
/// `attached(tree, node)` hears of the inner node that came with the taxon.
template <class Choose, class Attached>
Tree grown(std::int32_t taxa, Random& random, const Constraint* constraint, Choose&& choose, Attached&& attached) {
  std::optional<ConstrainedGrowth> growth;
  if (constraint != nullptr) growth.emplace(*constraint);
  std::vector<HalfEdge> order(static_cast<std::size_t>(taxa));
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(order);
  Tree tree = triplet(taxa, order[0], order[1], order[2], start_length);
  std::vector<HalfEdge> open;
  for (std::size_t k = 3; k < order.size(); ++k) {
    const std::vector<char>* const places = growth ? &growth->places(tree, order[0], order[k]) : nullptr;
    open.clear();
    tree.for_each_branch([&](HalfEdge h) {
      if (places == nullptr || (*places)[static_cast<std::size_t>(h)] != 0) open.push_back(h);
    });
    const Node v = taxa + static_cast<Node>(k) - 2;
    attach_tip(tree, order[k], v, choose(tree, order[k], open), start_length);
    attached(tree, v);
  }
  return tree;
}

}  // namespace phylo
