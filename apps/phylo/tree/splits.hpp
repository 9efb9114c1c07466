#pragma once
// Bipartitions of the tips: what branches say, apart from their lengths. For support values, distances and consensus.

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "phylo/tree/tree.hpp"

namespace phylo {

/// A set of tips as bits, 64 a word. A branch's split is the side that does not hold tip 0.
using Split = std::vector<std::uint64_t>;

inline bool holds(const Split& split, std::int32_t tip) {
  return (split[static_cast<std::size_t>(tip) / 64] >> (tip % 64) & 1U) != 0;
}
/// The number of tips in the set.
std::int32_t size(const Split& split);
/// Whether both can stand in one tree: one lies in the other, or they are disjoint. (Sides without tip 0 cannot cover
/// all.)
bool compatible(const Split& a, const Split& b);

/// An inner branch (lower half-edge) and its split.
struct BranchSplit {
  HalfEdge branch = none;
  Split split;
};

/// Gives the splits of the n-3 inner branches of a complete tree, in the order of Tree::branches().
std::vector<BranchSplit> inner_splits(const Tree& tree);

/// The splits of a set of trees with the same tips, numbered as they come.
struct NumberedSplits {
  explicit NumberedSplits(const std::vector<Tree>& trees);
  std::vector<Split> all;
  std::vector<std::vector<std::size_t>> of_tree;  ///< their numbers
};

/// Gives the Robinson-Foulds distance: the number of splits that stand in only one of the trees, 0..2(n-3). Both have
/// the same tips.
std::int32_t robinson_foulds(const Tree& a, const Tree& b);

/// Gives those of all pairs of trees: of (0, 1), (0, 2), ..., (1, 2), ...
std::vector<std::int32_t> robinson_foulds(const std::vector<Tree>& trees);

/// Gives a number that depends on the tree's splits alone: equal for equal topologies whatever the labels of their
/// inner nodes, and different for different ones but for a chance of about 2^-64.
std::uint64_t fingerprint(const Tree& tree);
/// Gives how many topologies the trees have, by their fingerprints.
std::size_t count_topologies(const std::vector<Tree>& trees);

/// How often each split occurs in a set of trees with the same tips, and how long its branches are.
class SplitCounts {
 public:
  struct Entry {
    std::int32_t trees = 0;  ///< that have the split
    double length = 0;       ///< sum of its branches' lengths
  };

  explicit SplitCounts(std::int32_t tips) : tips_(tips), tip_lengths_(static_cast<std::size_t>(tips), 0.0) {}

  /// Throws std::invalid_argument when the tree has another number of tips.
  void add(const Tree& tree);
  /// Adds all that another one has counted. Throws likewise.
  void add(const SplitCounts& other);

  std::int32_t tips() const { return tips_; }
  std::int32_t trees() const { return trees_; }
  /// The number of added trees that have the split.
  std::int32_t count(const Split& split) const;
  /// The splits seen, ordered by their words; so the order does not depend on that of the trees.
  const std::map<Split, Entry>& entries() const { return entries_; }
  /// Sum over the trees of the lengths of the branch to a tip.
  double tip_length(std::int32_t tip) const { return tip_lengths_[static_cast<std::size_t>(tip)]; }

 private:
  std::int32_t tips_;
  std::int32_t trees_ = 0;
  std::map<Split, Entry> entries_;
  std::vector<double> tip_lengths_;
};

/// Gives for every half-edge the share of the counted trees that have its branch's split, in [0, 1]; -1 for branches to
/// tips, which every tree has. `counts` must hold at least one tree.
std::vector<double> support(const Tree& tree, const SplitCounts& counts);

}  // namespace phylo
