#include "phylo/tree/splits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "phylo/tree/rearrange.hpp"

namespace phylo {
namespace {

/// A caterpillar whose tips come in this order: ((a,b),c,...,(y,z)).
Tree caterpillar(const std::vector<HalfEdge>& order) {
  const auto tips = static_cast<std::int32_t>(order.size());
  Tree tree = triplet(tips, order[0], order[1], order[2], 0.1);
  for (std::int32_t t = 3; t < tips; ++t)
    attach_tip(tree, order[static_cast<std::size_t>(t)], tips + t - 2, order[static_cast<std::size_t>(t) - 1], 0.1);
  return tree;
}

Split of(std::initializer_list<int> tips) {
  Split split(1, 0);
  for (const int t : tips) split[0] |= std::uint64_t{1} << t;
  return split;
}

TEST(Splits, of_a_caterpillar_are_its_ends) {
  std::vector<Split> found;
  for (const BranchSplit& s : inner_splits(caterpillar({0, 1, 2, 3, 4}))) found.push_back(s.split);
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (std::vector<Split>{of({3, 4}), of({2, 3, 4})}));
}

TEST(Splits, name_the_branch_they_belong_to) {
  const Tree tree = caterpillar({3, 0, 5, 1, 4, 2, 6});
  for (const BranchSplit& s : inner_splits(tree)) {
    EXPECT_FALSE(tree.is_tip(s.branch));
    EXPECT_FALSE(tree.is_tip(tree.back(s.branch)));
    EXPECT_FALSE(holds(s.split, 0));
    Split side(1, 0), other(1, 0);
    auto gather = [&](HalfEdge from, Split& into) {
      std::vector<HalfEdge> stack{from};
      while (!stack.empty()) {
        const HalfEdge h = stack.back();
        stack.pop_back();
        if (tree.is_tip(h)) into[0] |= std::uint64_t{1} << h;
        for (HalfEdge x = tree.next(h); x != h; x = tree.next(x)) stack.push_back(tree.back(x));
      }
    };
    gather(s.branch, side);
    gather(tree.back(s.branch), other);
    EXPECT_EQ(s.split, holds(side, 0) ? other : side);
  }
}

TEST(Splits, span_words) {
  std::vector<HalfEdge> order(130);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<HalfEdge>(i);
  const auto splits = inner_splits(caterpillar(order));
  ASSERT_EQ(splits.size(), 127U);
  EXPECT_EQ(splits.front().split.size(), 3U);
  std::int32_t largest = 0;
  for (const auto& s : splits) largest = std::max(largest, size(s.split));
  EXPECT_EQ(largest, 128);
}

TEST(RobinsonFoulds, counts_splits_that_only_one_tree_has) {
  const Tree a = caterpillar({0, 1, 2, 3, 4, 5});
  EXPECT_EQ(robinson_foulds(a, a), 0);
  EXPECT_EQ(robinson_foulds(a, caterpillar({1, 0, 2, 3, 5, 4})), 0);
  EXPECT_EQ(robinson_foulds(a, caterpillar({0, 1, 3, 2, 4, 5})), 2);
  EXPECT_EQ(robinson_foulds(a, caterpillar({0, 3, 5, 1, 4, 2})), 6);
}

TEST(Fingerprint, tells_topologies_apart_and_nothing_else) {
  Tree a = caterpillar({0, 1, 2, 3, 4, 5});
  const std::uint64_t before = fingerprint(a);
  a.for_each_branch([&](HalfEdge h) { a.set_length(h, 0.9); });
  EXPECT_EQ(fingerprint(a), before);
  EXPECT_EQ(fingerprint(caterpillar({5, 4, 3, 2, 1, 0})), before) << "the same tree with other inner nodes";
  EXPECT_NE(fingerprint(caterpillar({0, 1, 3, 2, 4, 5})), before);
  EXPECT_NE(fingerprint(caterpillar({0, 2, 1, 3, 4, 5})), before);
  EXPECT_EQ(count_topologies({a, caterpillar({0, 1, 3, 2, 4, 5}), caterpillar({5, 4, 3, 2, 1, 0})}), 2U);
}

TEST(Compatible, sets_nest_or_are_disjoint) {
  EXPECT_TRUE(compatible(of({1, 2}), of({1, 2, 3})));
  EXPECT_TRUE(compatible(of({1, 2, 3}), of({1, 2})));
  EXPECT_TRUE(compatible(of({1, 2}), of({3, 4})));
  EXPECT_FALSE(compatible(of({1, 2}), of({2, 3})));
}

TEST(Support, is_the_share_of_trees_with_the_split) {
  const Tree a = caterpillar({0, 1, 2, 3, 4}), b = caterpillar({0, 2, 1, 3, 4});
  SplitCounts counts(5);
  for (int i = 0; i < 3; ++i) counts.add(a);
  counts.add(b);
  EXPECT_EQ(counts.count(of({3, 4})), 4);
  EXPECT_EQ(counts.count(of({2, 3, 4})), 3);
  EXPECT_EQ(counts.count(of({1, 4})), 0);
  const std::vector<double> shares = support(a, counts);
  for (HalfEdge h = 0; h < a.half_edges(); ++h) {
    const double share = shares[static_cast<std::size_t>(h)];
    EXPECT_EQ(share, shares[static_cast<std::size_t>(a.back(h))]);
    EXPECT_EQ(share == -1, a.is_tip(h) || a.is_tip(a.back(h)));
  }
  for (const BranchSplit& s : inner_splits(a))
    EXPECT_EQ(shares[static_cast<std::size_t>(s.branch)], s.split == of({3, 4}) ? 1.0 : 0.75);
}

TEST(SplitCounts, add_up_lengths_and_refuse_other_taxa) {
  Tree a = caterpillar({0, 1, 2, 3});
  SplitCounts counts(4);
  counts.add(a);
  a.for_each_branch([&](HalfEdge h) { a.set_length(h, 1.0); });
  counts.add(a);
  EXPECT_DOUBLE_EQ(counts.entries().at(of({2, 3})).length, 1.05);
  EXPECT_DOUBLE_EQ(counts.tip_length(0), 1.1);
  EXPECT_THROW(counts.add(caterpillar({0, 1, 2, 3, 4})), std::invalid_argument);
}

}  // namespace
}  // namespace phylo
