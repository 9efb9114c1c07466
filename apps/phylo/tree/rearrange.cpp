#include "phylo/tree/rearrange.hpp"

namespace phylo {

Pruned prune(Tree& tree, HalfEdge joint) {
  const HalfEdge a = tree.next(joint), b = tree.next(a);
  Pruned from{
      joint, tree.back(a), tree.back(b), tree.branch_length(a), tree.branch_length(b), tree.branch_length(joint)};
  tree.disconnect(a);
  tree.disconnect(b);
  tree.connect(from.near, from.far, from.near_length + from.far_length);
  return from;
}

void regraft(Tree& tree, HalfEdge joint, HalfEdge at, const BranchLength& near_length, const BranchLength& far_length,
             const BranchLength& pendant) {
  const HalfEdge a = tree.next(joint), b = tree.next(a);
  const HalfEdge other = tree.disconnect(at);
  tree.connect(a, at, near_length);
  tree.connect(b, other, far_length);
  tree.set_length(joint, pendant);
}

void restore(Tree& tree, const Pruned& from) {
  regraft(tree, from.joint, from.near, from.near_length, from.far_length, from.pendant);
}

void interchange(Tree& tree, HalfEdge a, HalfEdge b) {
  const BranchLength from_a = tree.branch_length(a), from_b = tree.branch_length(b);
  const HalfEdge behind_a = tree.disconnect(a), behind_b = tree.disconnect(b);
  tree.connect(a, behind_b, from_b);
  tree.connect(b, behind_a, from_a);
}

void attach_tip(Tree& tree, HalfEdge tip, Node v, HalfEdge at, double pendant) {
  const HalfEdge joint = tree.first(v);
  tree.connect(joint, tip, pendant);
  const double half = tree.length(at) / 2;
  regraft(tree, joint, at, half, half, pendant);
}

Tree triplet(std::int32_t tips, HalfEdge a, HalfEdge b, HalfEdge c, double length) {
  Tree tree(tips);
  const HalfEdge h = tree.first(tips);
  tree.connect(h, a, length);
  tree.connect(h + 1, b, length);
  tree.connect(h + 2, c, length);
  return tree;
}

}  // namespace phylo
