#pragma once
// Random trees, for searches to begin at.

#include <cstdint>

#include "phylo/search/constraint.hpp"
#include "phylo/search/random.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo {

/// Gives a tree of at least three taxa, which were added in random order, each in any branch with the same probability:
/// all topologies are equally likely. All branches have the length 0.1. With a constraint the tree displays it: each
/// taxon goes to any branch where that is possible, and not all such topologies are equally likely.
Tree random_start(std::int32_t taxa, Random& random, const Constraint* constraint = nullptr);

}  // namespace phylo
