#pragma once
// One round of subtree pruning and regrafting with lazy evaluation (Stamatakis et al. 2005; Stamatakis 2006).

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "phylo/like/engine.hpp"
#include "phylo/search/constraint.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo {

/// How a round goes about it.
struct SprRound {
  int nearest = 1;   ///< a subtree is moved across at least that many nodes
  int farthest = 5;  ///< and at most that many
  int fitted = 3;    ///< places per subtree whose three branches are optimized, the best by lazy score
  int near_misses =
      20;  ///< trees that scored less than the best, to be judged with optimized branches at the round's end; 0: none
  bool cutoff = true;  ///< do not go on behind a branch where a subtree does far worse than where it is
};

/// What searching has cost and brought.
struct SearchCounts {
  std::int64_t rounds = 0;
  std::int64_t pruned = 0;    ///< subtrees tried
  std::int64_t scored = 0;    ///< insertions evaluated without optimizing
  std::int64_t fitted = 0;    ///< insertions whose branches were optimized
  std::int64_t judged = 0;    ///< near misses judged with optimized branches
  std::int64_t moved = 0;     ///< rearrangements kept
  std::int64_t restarts = 0;  ///< climbs from other parsimony trees
  std::int64_t ratchets = 0;  ///< perturbations climbed back from
  std::int64_t smoothed = 0;  ///< times that all branches were optimized
};

/// What a climber has learned in its rounds.
struct ClimberState {
  double cutoff = 0;                  ///< loss behind which a subtree is not moved on
  double lost = 0;                    ///< what worse insertions of the last round lost together
  std::int64_t losers = 0;            ///< and their number
  std::vector<std::uint64_t> judged;  ///< fingerprints of topologies, ascending
};

/// Climbs on one tree. The tree is always one that the engine knows (no `changed` is owed).
class SprClimber {
 public:
  /// All of them must outlive the climber. A constraint that the tree displays is kept. If the engine throws, so does
  /// the round, and neither climber nor tree can be used again.
  SprClimber(Engine& engine, Tree& tree, SearchCounts& counts, const Constraint* constraint);

  /// Goes over all subtrees once; a move that raises the likelihood is kept at once. Gives the log-likelihood, which is
  /// no lower than `lnl`, that of the tree before.
  double round(const SprRound& how, double lnl);

  ClimberState state() const;
  void go_on_from(const ClimberState& state);

 private:
  struct Move {
    HalfEdge joint = none;
    HalfEdge at = none;
    Insertion insertion;
    BranchLength joined;  ///< length of the branch left behind
  };

  void try_subtree(HalfEdge joint, const SprRound& how);
  void scan(HalfEdge h, int depth, const SprRound& how);
  void apply(Tree& tree, const Move& move);
  void judge_near_misses(const SprRound& how);

  Engine& engine_;
  Tree& tree_;
  SearchCounts& counts_;
  const Constraint* constraint_;
  std::optional<ConstrainedWalk> walk_;
  double lnl_ = 0;
  double cutoff_ = 0;
  double lost_ = 0;          // sum of what worse insertions lost, for the next round's cutoff
  std::int64_t losers_ = 0;  // and their number
  HalfEdge joint_ = none;    // the subtree in hand
  std::vector<Move> places_;
  std::vector<Move> near_misses_;
  std::unordered_set<std::uint64_t> judged_;  // fingerprints of topologies
};

}  // namespace phylo
