#pragma once
// Subtree pruning and regrafting on half-edges.

#include "phylo/tree/tree.hpp"

namespace phylo {

/// Where a subtree was taken from: enough to put it back as it was.
struct Pruned {
  HalfEdge joint = none;  ///< at the loose inner node, looking at the subtree: back(joint) is the subtree's own root
  HalfEdge near = none;   ///< what next(joint) was connected to
  HalfEdge far = none;    ///< what next(next(joint)) was connected to
  BranchLength near_length;
  BranchLength far_length;
  BranchLength pendant;
};

/// Takes the subtree behind back(joint) out of the tree, together with joint's node, and joins the two branches that
/// met there into one of their summed length. `joint` must belong to an inner node with three branches.
Pruned prune(Tree& tree, HalfEdge joint);

/// Hangs the pruned subtree into the branch of `at`: next(joint) is connected to `at`, next(next(joint)) to its other
/// end.
void regraft(Tree& tree, HalfEdge joint, HalfEdge at, const BranchLength& near_length, const BranchLength& far_length,
             const BranchLength& pendant);

/// Puts the subtree back where it was. The branch joined by `prune` must exist.
void restore(Tree& tree, const Pruned& from);

/// Exchanges the subtrees behind the branches of two half-edges, whose nodes stay (nearest neighbour interchange, if an
/// inner branch lies between these). Each takes its branch's length along.
void interchange(Tree& tree, HalfEdge a, HalfEdge b);

/// Connects `tip` and the loose inner node `v` into the branch of `at`, cutting that branch in halves.
void attach_tip(Tree& tree, HalfEdge tip, Node v, HalfEdge at, double pendant);

/// Gives the star of the first inner node and three tips, with the lengths given: what stepwise addition starts with.
Tree triplet(std::int32_t tips, HalfEdge a, HalfEdge b, HalfEdge c, double length);

}  // namespace phylo
