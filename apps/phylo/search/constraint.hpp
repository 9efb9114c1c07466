#pragma once
// What a tree must show: a constraint tree, which may have nodes of many children and lack taxa.

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "phylo/tree/splits.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo {

/// A set of splits of some of the tips. A tree displays it if, once all other tips are taken away, it has these splits;
/// the other tips may be anywhere.
///
/// Sets of constrained tips are told apart by the exclusive or of their tips' keys (Zobrist 1970): different sets have
/// different ones but for a chance of about 2^-64. The empty set has 0.
class Constraint {
 public:
  using Key = std::uint64_t;

  /// `tips` says of each tip of the trees whether it is constrained; each cluster is one side of a split of those.
  /// Clusters that say nothing (less than two tips on a side) and repeated ones are dropped. The clusters must fit into
  /// one tree.
  Constraint(const std::vector<bool>& tips, const std::vector<Split>& clusters);

  /// The sides of the splits that do not hold the first constrained tip, each once, ordered.
  const std::vector<Split>& clusters() const { return clusters_; }
  /// The number of constrained tips.
  int constrained() const { return constrained_; }
  /// 0 for tips that are not constrained.
  Key key(HalfEdge tip) const { return keys_[static_cast<std::size_t>(tip)]; }
  /// That of all constrained tips.
  Key all() const { return all_; }
  /// Whether a set of constrained tips is one side of a split.
  bool is_side(Key set) const { return sides_.contains(set); }

  /// Whether a complete tree displays it.
  bool displayed_by(const Tree& tree) const { return first_missing(tree) == clusters_.size(); }
  /// Gives the number of the first cluster that a complete tree does not display, or how many there are.
  std::size_t first_missing(const Tree& tree) const;

  /// Gives the keys of what lies on the own side of half-edges: of `root`, and of all that look at it from there.
  /// `keys`, by half-edge, is filled as far as that.
  void look_from(const Tree& tree, HalfEdge root, std::vector<Key>& keys) const;

 private:
  std::vector<Split> clusters_;
  std::vector<Key> cluster_keys_;
  std::vector<Key> keys_;
  std::unordered_set<Key> sides_;
  Key all_ = 0;
  int constrained_ = 0;
};

/// Which places a subtree may be moved to. One walks there from where it is, branch by branch; whoever enters no node
/// that must not be entered only meets places where the tree still displays the constraint, and meets all of them.
///
/// Why: let the subtree hold constrained tips, all on the side A of a split A|B. The split stays as long as some branch
/// parts the rest of A from B with the subtree on its A side. Behind the last such branch on the way, the subtree would
/// be inside B: that is where a node must not be entered. If the subtree holds tips of both sides, the split is a
/// branch within it and stays.
class ConstrainedWalk {
 public:
  explicit ConstrainedWalk(const Constraint& constraint) : constraint_(constraint) {}

  /// The subtree hangs, or hung, between `near` and `far`, on whose own sides lies the rest of the tree. The tree must
  /// display the constraint.
  void start(const Tree& tree, HalfEdge near, HalfEdge far);
  /// Whether one may go over the branch of `h` into its node, on whose far sides one has not been.
  bool may_enter(const Tree& tree, HalfEdge h) const;

 private:
  const Constraint& constraint_;
  std::vector<Constraint::Key> behind_;  ///< by half-edge
  Constraint::Key moved_ = 0;            ///< constrained tips of the subtree
  Constraint::Key rest_ = 0;
};

/// Which places the next tip may take in a tree that grows tip by tip and displays what the constraint says of the tips
/// that are there. There is always one: each split forbids what lies behind a node, and no two of these parts cover the
/// tree.
class ConstrainedGrowth {
 public:
  explicit ConstrainedGrowth(const Constraint& constraint) : constraint_(constraint) {}

  /// Says for each half-edge whether the tip may be hung into its branch. `root` is a tip that is there.
  const std::vector<char>& places(const Tree& tree, HalfEdge root, HalfEdge tip);

 private:
  const Constraint& constraint_;
  std::vector<Constraint::Key> below_;
  std::vector<char> places_;
};

}  // namespace phylo
