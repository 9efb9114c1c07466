#pragma once
// Trees for tests, by chance.

#include <random>
#include <vector>

#include "phylo/search/random.hpp"
#include "phylo/tree/rearrange.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo {

/// Gives a tree to which tips were added one by one, each on a branch by chance; as a `caterpillar`, on that of the tip
/// before. `length()` gives the length of each new branch.
template <class Length>
Tree grown_tree(int taxa, std::mt19937_64& random, Length&& length, bool caterpillar = false) {
  Tree tree(taxa);
  for (int i = 0; i < 3; ++i) tree.connect(i, taxa + i, length());
  for (int tip = 3; tip < taxa; ++tip) {
    const HalfEdge joint = taxa + 3 * (tip - 2);
    HalfEdge at = tip - 1;
    if (!caterpillar) {
      do at = static_cast<HalfEdge>(random() % static_cast<unsigned>(tree.half_edges()));
      while (tree.back(at) == none);
    }
    const HalfEdge far = tree.disconnect(at);
    tree.connect(at, joint + 1, length());
    tree.connect(far, joint + 2, length());
    tree.connect(tip, joint, length());
  }
  return tree;
}

template <class Length>
Tree grown_tree(int taxa, Random& random, Length&& length) {
  Tree tree = triplet(taxa, 0, 1, 2, 0.1);
  for (int tip = 3; tip < taxa; ++tip) {
    const std::vector<HalfEdge> branches = tree.branches();
    const HalfEdge at = branches[random.below(branches.size())];
    attach_tip(tree, tip, taxa + tip - 2, at, length());
  }
  return tree;
}

}  // namespace phylo
