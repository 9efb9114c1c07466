#include "phylo/tree/splits.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

namespace phylo {

std::int32_t size(const Split& split) {
  std::int32_t tips = 0;
  for (const std::uint64_t word : split) tips += std::popcount(word);
  return tips;
}

bool compatible(const Split& a, const Split& b) {
  bool disjoint = true, a_in_b = true, b_in_a = true;
  for (std::size_t w = 0; w < a.size(); ++w) {
    disjoint = disjoint && (a[w] & b[w]) == 0;
    a_in_b = a_in_b && (a[w] & ~b[w]) == 0;
    b_in_a = b_in_a && (b[w] & ~a[w]) == 0;
  }
  return disjoint || a_in_b || b_in_a;
}

std::vector<BranchSplit> inner_splits(const Tree& tree) {
  const std::size_t words = (static_cast<std::size_t>(tree.tips()) + 63) / 64;
  std::vector<Split> below(static_cast<std::size_t>(tree.nodes()));  // tips on the far side from tip 0, by node
  std::vector<BranchSplit> result;
  result.reserve(static_cast<std::size_t>(tree.tips()) - 3);
  const HalfEdge root = tree.back(0);
  post_order(tree, root, [&](HalfEdge h) {
    Split split(words, 0);
    for (HalfEdge side = tree.next(h); side != h; side = tree.next(side)) {
      const HalfEdge child = tree.back(side);
      if (tree.is_tip(child)) {
        split[static_cast<std::size_t>(child) / 64] |= std::uint64_t{1} << (child % 64);
      } else {
        const Split& part = below[static_cast<std::size_t>(tree.node(child))];
        for (std::size_t w = 0; w < words; ++w) split[w] |= part[w];
      }
    }
    if (h != root) result.push_back({std::min(h, tree.back(h)), split});
    below[static_cast<std::size_t>(tree.node(h))] = std::move(split);
  });
  std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return a.branch < b.branch; });
  return result;
}

NumberedSplits::NumberedSplits(const std::vector<Tree>& trees) {
  std::map<Split, std::size_t> numbers;
  for (const Tree& tree : trees) {
    assert(tree.tips() == trees.front().tips());
    std::vector<std::size_t>& its = of_tree.emplace_back();
    for (BranchSplit& one : inner_splits(tree)) {
      const auto [at, is_new] = numbers.try_emplace(std::move(one.split), all.size());
      if (is_new) all.push_back(at->first);
      its.push_back(at->second);
    }
  }
}

std::vector<std::int32_t> robinson_foulds(const std::vector<Tree>& trees) {
  std::vector<std::vector<std::size_t>> splits = NumberedSplits(trees).of_tree;
  for (std::vector<std::size_t>& of_tree : splits) std::sort(of_tree.begin(), of_tree.end());
  std::vector<std::int32_t> distances;
  std::vector<std::size_t> apart;
  for (std::size_t i = 0; i < splits.size(); ++i)
    for (std::size_t j = i + 1; j < splits.size(); ++j) {
      apart.clear();
      std::ranges::set_symmetric_difference(splits[i], splits[j], std::back_inserter(apart));
      distances.push_back(static_cast<std::int32_t>(apart.size()));
    }
  return distances;
}

std::int32_t robinson_foulds(const Tree& a, const Tree& b) { return robinson_foulds(std::vector{a, b}).front(); }

std::uint64_t fingerprint(const Tree& tree) {
  // Each split is the exclusive or of its tips' keys (Zobrist 1970), mixed so that sums of splits say which they are.
  auto mixed = [](std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  };
  auto key = [&](HalfEdge tip) { return mixed((static_cast<std::uint64_t>(tip) + 1) * 0x9e3779b97f4a7c15U); };
  std::vector<std::uint64_t> below(static_cast<std::size_t>(tree.nodes()), 0);
  std::uint64_t sum = 0;
  post_order(tree, tree.back(0), [&](HalfEdge h) {
    std::uint64_t split = 0;
    for (HalfEdge side = tree.next(h); side != h; side = tree.next(side)) {
      const HalfEdge child = tree.back(side);
      split ^= tree.is_tip(child) ? key(child) : below[static_cast<std::size_t>(tree.node(child))];
    }
    below[static_cast<std::size_t>(tree.node(h))] = split;
    sum += mixed(split);
  });
  return sum;
}

std::size_t count_topologies(const std::vector<Tree>& trees) {
  std::vector<std::uint64_t> all;
  std::transform(trees.begin(), trees.end(), std::back_inserter(all), fingerprint);
  std::sort(all.begin(), all.end());
  return static_cast<std::size_t>(std::unique(all.begin(), all.end()) - all.begin());
}

void SplitCounts::add(const Tree& tree) {
  if (tree.tips() != tips_) throw std::invalid_argument("the trees differ in their number of tips");
  for (BranchSplit& s : inner_splits(tree)) {
    Entry& entry = entries_[std::move(s.split)];
    ++entry.trees;
    entry.length += tree.length(s.branch);
  }
  for (std::int32_t tip = 0; tip < tips_; ++tip) tip_lengths_[static_cast<std::size_t>(tip)] += tree.length(tip);
  ++trees_;
}

void SplitCounts::add(const SplitCounts& other) {
  if (other.tips_ != tips_) throw std::invalid_argument("the trees differ in their number of tips");
  for (const auto& [split, counted] : other.entries_) {
    Entry& entry = entries_[split];
    entry.trees += counted.trees;
    entry.length += counted.length;
  }
  for (std::size_t tip = 0; tip < tip_lengths_.size(); ++tip) tip_lengths_[tip] += other.tip_lengths_[tip];
  trees_ += other.trees_;
}

std::int32_t SplitCounts::count(const Split& split) const {
  const auto found = entries_.find(split);
  return found == entries_.end() ? 0 : found->second.trees;
}

std::vector<double> support(const Tree& tree, const SplitCounts& counts) {
  assert(counts.trees() > 0);
  std::vector<double> shares(static_cast<std::size_t>(tree.half_edges()), -1.0);
  for (const BranchSplit& s : inner_splits(tree)) {
    const double share = static_cast<double>(counts.count(s.split)) / counts.trees();
    shares[static_cast<std::size_t>(s.branch)] = share;
    shares[static_cast<std::size_t>(tree.back(s.branch))] = share;
  }
  return shares;
}

}  // namespace phylo
