#pragma once
// Trees whose branches have a length for each part of the data, taken apart and put together.

#include <cstddef>
#include <vector>

#include "phylo/tree/tree.hpp"

namespace phylo {

/// Gives the tree with the lengths of one part only.
Tree lengths_of_part(const Tree& tree, std::size_t part);

/// Gives the tree with the mean of each branch's lengths, in which part i counts weights[i] times.
Tree mean_lengths(const Tree& tree, const std::vector<double>& weights);

/// Gives the first tree with the lengths of all of them, which have one each; part i has those of trees[i]. All must
/// have the same tips and topology; throws std::invalid_argument when one has another.
Tree unlinked(const std::vector<Tree>& trees);

}  // namespace phylo
