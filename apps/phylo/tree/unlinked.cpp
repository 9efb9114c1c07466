#include "phylo/tree/unlinked.hpp"

#include <map>
#include <numeric>
#include <stdexcept>

#include "phylo/tree/splits.hpp"

namespace phylo {
namespace {

/// Gives the tree with one length a branch, `length_of(h)`.
template <class LengthOf>
Tree relinked(const Tree& tree, LengthOf&& length_of) {
  Tree out(tree.tips());
  tree.for_each_branch([&](HalfEdge h) { out.connect(h, tree.back(h), length_of(h)); });
  return out;
}

}  // namespace

Tree lengths_of_part(const Tree& tree, std::size_t part) {
  return relinked(tree, [&](HalfEdge h) { return tree.length(h, part); });
}

Tree mean_lengths(const Tree& tree, const std::vector<double>& weights) {
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  return relinked(tree, [&](HalfEdge h) {
    double sum = 0;
    for (std::size_t part = 0; part < weights.size(); ++part) sum += weights[part] * tree.length(h, part);
    return sum / all;
  });
}

Tree unlinked(const std::vector<Tree>& trees) {
  Tree out = trees.front();
  const std::vector<BranchSplit> branches = inner_splits(out);
  std::vector<std::map<Split, double>> inner(trees.size());
  for (std::size_t part = 0; part < trees.size(); ++part)
    for (const BranchSplit& one : inner_splits(trees[part])) inner[part][one.split] = trees[part].length(one.branch);
  out.unlink(trees.size());
  std::vector<double> lengths(trees.size());
  for (HalfEdge tip = 0; tip < out.tips(); ++tip) {
    for (std::size_t part = 0; part < trees.size(); ++part) lengths[part] = trees[part].length(tip);
    out.set_length(tip, BranchLength(lengths));
  }
  for (const BranchSplit& one : branches) {
    for (std::size_t part = 0; part < trees.size(); ++part) {
      const auto found = inner[part].find(one.split);
      if (found == inner[part].end()) throw std::invalid_argument("trees of different topologies");
      lengths[part] = found->second;
    }
    out.set_length(one.branch, BranchLength(lengths));
  }
  return out;
}

}  // namespace phylo
