#pragma once
// The consensus of a set of trees: a tree of those splits that most of them share.

#include <cstdint>
#include <vector>

#include "phylo/tree/splits.hpp"

namespace phylo {

/// A tree whose nodes may have any number of children. `nodes.front()` is the root: tip 0's neighbour, so that tip 0 is
/// its first child. Children come in the order of their lowest tip, and every node comes after its parent.
struct Multifurcation {
  struct Node {
    std::int32_t parent = -1;  ///< index of the node; -1 for the root
    std::int32_t tip = -1;     ///< -1 for inner nodes
    double support = -1;  ///< share of the trees that have the branch to the parent, in [0, 1]; -1 for tips and root
    double length = 0;    ///< of the branch to the parent: the mean over the trees that have it
    std::vector<std::int32_t> children;
  };
  std::vector<Node> nodes;
};

/// How far a consensus goes.
enum class Consensus {
  majority,  ///< splits of more than half of the trees
  extended,  ///< and then, by falling count, every further split that is compatible with those taken; equal counts in
             ///< the order of SplitCounts::entries
  strict,    ///< splits of all trees
};

/// Gives the consensus of the counted trees, of which there must be at least one.
Multifurcation consensus(const SplitCounts& counts, Consensus rule = Consensus::majority);

}  // namespace phylo
