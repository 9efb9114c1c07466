#include "phylo/tree/transfer.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace phylo {

namespace {

/// The inner nodes of a tree that is hung up at tip 0, children first.
struct Inner {
  Node node;
  Node children[2];
  std::int32_t tips;  ///< below it
};

std::vector<Inner> inner_nodes(const Tree& tree) {
  std::vector<Inner> all;
  all.reserve(static_cast<std::size_t>(tree.tips()) - 2);
  std::vector<std::int32_t> tips(static_cast<std::size_t>(tree.nodes()), 1);
  post_order(tree, tree.back(0), [&](HalfEdge h) {
    const HalfEdge left = tree.next(h), right = tree.next(left);
    Inner one{tree.node(h), {tree.node(tree.back(left)), tree.node(tree.back(right))}, 0};
    for (const Node child : one.children) one.tips += tips[static_cast<std::size_t>(child)];
    tips[static_cast<std::size_t>(one.node)] = one.tips;
    all.push_back(one);
  });
  return all;
}

}  // namespace

TransferSums::TransferSums(const Tree& tree)
    : tips_(tree.tips()), half_edges_(static_cast<std::size_t>(tree.half_edges())) {
  for (BranchSplit& one : inner_splits(tree)) {
    const std::int32_t tips = size(one.split);
    branches_.push_back({{one.branch, tree.back(one.branch)}, std::move(one.split), tips});
  }
}

std::int32_t TransferSums::smaller_side(const Branch& branch) const {
  return std::min(branch.tips, tips_ - branch.tips);
}

void TransferSums::add(const Tree& other) {
  if (other.tips() != tips_) throw std::invalid_argument("the trees differ in their number of tips");
  const std::vector<Inner> nodes = inner_nodes(other);
  std::vector<std::int32_t> common(static_cast<std::size_t>(other.nodes()));  // tips below a node that are in the split
  for (Branch& branch : branches_) {
    for (HalfEdge tip = 0; tip < tips_; ++tip) common[static_cast<std::size_t>(tip)] = holds(branch.split, tip);
    std::int32_t fewest = smaller_side(branch) - 1;  // a branch to a tip is in every tree
    for (const Inner& one : nodes) {
      const std::int32_t here =
          common[static_cast<std::size_t>(one.children[0])] + common[static_cast<std::size_t>(one.children[1])];
      common[static_cast<std::size_t>(one.node)] = here;
      const std::int32_t differ = branch.tips + one.tips - 2 * here;
      fewest = std::min({fewest, differ, tips_ - differ});
    }
    branch.removed += fewest;
  }
  ++trees_;
}

std::vector<double> TransferSums::support() const {
  assert(trees_ > 0);
  std::vector<double> shares(half_edges_, -1.0);
  for (const Branch& branch : branches_)
    for (const HalfEdge end : branch.ends)
      shares[static_cast<std::size_t>(end)] =
          1 - static_cast<double>(branch.removed) / trees_ / (smaller_side(branch) - 1);
  return shares;
}

}  // namespace phylo
