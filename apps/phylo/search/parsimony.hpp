#pragma once
// Fitch parsimony: the score of trees, and trees to start a likelihood search from.

#include <cstdint>
#include <vector>

#include "phylo/io/patterns.hpp"
#include "phylo/search/constraint.hpp"
#include "phylo/search/random.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo {

/// The sites that tell trees apart, as bit planes: one bit a site, one plane a state. A site that stands for w equal
/// columns has w bits, so bootstrap weights need no multiplication. Sites whose score is the same on every tree are
/// left out and only counted.
class ParsimonySites {
 public:
  explicit ParsimonySites(const Patterns& patterns) : ParsimonySites(std::vector<const Patterns*>{&patterns}) {}
  /// Of several parts, which have the same taxa.
  explicit ParsimonySites(const std::vector<const Patterns*>& parts);

  int taxa() const { return taxa_; }
  /// Informative columns, weights included.
  std::int64_t columns() const { return columns_; }
  /// What the sites that were left out add to the score of every tree.
  std::int64_t constant_score() const { return constant_score_; }
  /// Planes of a node's state sets: at least as many as states.
  int planes() const { return planes_; }
  /// 64-bit words of a node's state sets, all planes; whole blocks.
  std::size_t words() const { return words_; }
  const std::uint64_t* tip(int taxon) const { return sets_.data() + static_cast<std::size_t>(taxon) * words_; }

 private:
  int taxa_ = 0;
  std::int64_t columns_ = 0;
  std::int64_t constant_score_ = 0;
  std::size_t words_ = 0;
  int planes_ = 4;
  std::vector<std::uint64_t> sets_;  ///< of tips
};

/// Gives the Fitch (1971) score of a complete tree: the least number of changes that explain all columns.
std::int64_t parsimony_score(const ParsimonySites& sites, const Tree& tree);

/// Branches across which subtrees are moved, if nothing else is said.
inline constexpr int parsimony_radius = 20;

/// Gives a tree by randomized stepwise addition (taxa in random order, each put where it costs least, ties broken at
/// random) followed by rounds of subtree pruning and regrafting within `radius` branches until none shortens the tree;
/// what RAxML starts its searches from (Stamatakis 2006). All branches have the length 0.1. With a constraint, the tree
/// displays it.
Tree parsimony_start(const Patterns& patterns, Random& random, int radius = parsimony_radius);
Tree parsimony_start(const ParsimonySites& sites, Random& random, int radius = parsimony_radius,
                     const Constraint* constraint = nullptr);

/// Moves subtrees of a complete tree, each within `radius` branches, until no move shortens it under these sites.
/// Branches that a move makes have the length 0.1; the others keep theirs. A constraint that the tree displays is kept.
Tree parsimony_improved(const ParsimonySites& sites, Tree tree, Random& random, int radius = parsimony_radius,
                        const Constraint* constraint = nullptr);

}  // namespace phylo
