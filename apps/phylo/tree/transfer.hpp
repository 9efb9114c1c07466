#pragma once
// Transfer support: how many tips must move until a branch of a replicate is the one that is asked about. A branch that
// differs by one rogue tip keeps most of its support (F. Lemoine et al., Nature 556, 2018).

#include <cstdint>
#include <vector>

#include "phylo/tree/splits.hpp"

namespace phylo {

/// Compares the inner branches of one tree with other trees that have the same tips.
class TransferSums {
 public:
  explicit TransferSums(const Tree& tree);

  /// Takes time that grows with the square of the number of tips. Throws std::invalid_argument when the tree has
  /// another number of tips.
  void add(const Tree& other);
  std::int32_t trees() const { return trees_; }
  /// Gives for every half-edge 1 - d / (p - 1), in [0, 1]: p is the number of tips on the branch's smaller side, d the
  /// mean over the trees of the fewest tips whose removal makes it a branch of them. -1 for branches to tips. One tree
  /// at least must have been added.
  std::vector<double> support() const;

 private:
  struct Branch {
    HalfEdge ends[2];
    Split split;
    std::int32_t tips;         ///< in the split
    std::int64_t removed = 0;  ///< sum over the trees
  };
  /// The tips on the branch's smaller side.
  std::int32_t smaller_side(const Branch& branch) const;

  std::int32_t tips_;
  std::size_t half_edges_;
  std::int32_t trees_ = 0;
  std::vector<Branch> branches_;
};

}  // namespace phylo
