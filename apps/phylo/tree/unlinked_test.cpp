#include "phylo/tree/unlinked.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "phylo/tree/rearrange.hpp"

namespace {

using phylo::BranchLength;
using phylo::Tree;

/// ((0,1),(2,3),4), every branch as long as it is asked for, its nodes numbered in two ways.
Tree five(double length, bool other_numbers = false) {
  const phylo::Node a = other_numbers ? 7 : 5, b = 6, c = other_numbers ? 5 : 7;
  Tree tree(5);
  double next = length;
  const auto connect = [&](phylo::HalfEdge x, phylo::HalfEdge y) {
    tree.connect(x, y, next);
    next += 0.01;
  };
  connect(0, tree.first(a));
  connect(1, tree.first(a) + 1);
  connect(tree.first(a) + 2, tree.first(b));
  connect(4, tree.first(b) + 1);
  connect(tree.first(b) + 2, tree.first(c));
  connect(2, tree.first(c) + 1);
  connect(3, tree.first(c) + 2);
  return tree;
}

TEST(UnlinkedTrees, ArePutTogetherByWhatTheirBranchesSplit) {
  const Tree all = phylo::unlinked({five(0.1), five(0.5, true)});
  EXPECT_TRUE(all.complete());
  EXPECT_EQ(all.lengths(), 2u);
  EXPECT_EQ(phylo::lengths_of_part(all, 0), five(0.1));
  for (const phylo::HalfEdge h : all.branches()) EXPECT_NEAR(all.length(h, 1), all.length(h, 0) + 0.4, 1e-12);
}

TEST(UnlinkedTrees, HaveAMeanInWhichPartsCountByTheirWeights) {
  const Tree mean = phylo::mean_lengths(phylo::unlinked({five(0.1), five(0.5)}), {3, 1});
  for (const phylo::HalfEdge h : mean.branches()) EXPECT_NEAR(mean.length(h), five(0.1).length(h) + 0.1, 1e-12);
}

TEST(UnlinkedTrees, ShareATopology) {
  Tree other = five(0.1);
  // (0,1) becomes (0,2).
  const phylo::HalfEdge one = other.back(1), two = other.back(2);
  other.disconnect(1);
  other.disconnect(2);
  other.connect(1, two, 0.1);
  other.connect(2, one, 0.1);
  EXPECT_THROW(phylo::unlinked({five(0.1), other}), std::invalid_argument);
}

TEST(UnlinkedTrees, KeepAllLengthsThroughRearrangements) {
  const Tree before = phylo::unlinked({five(0.1), five(0.5)});
  Tree tree = before;
  const phylo::HalfEdge joint = tree.back(2);
  const phylo::Pruned from = phylo::prune(tree, joint);
  EXPECT_EQ(tree.branch_length(from.near), from.near_length + from.far_length);
  EXPECT_NEAR(tree.length(from.near, 1) - tree.length(from.near, 0), 0.8, 1e-12);
  phylo::regraft(tree, joint, 0, BranchLength({1, 2}), BranchLength({3, 4}), 5);
  EXPECT_TRUE(tree.complete());
  EXPECT_EQ(tree.branch_length(0), BranchLength({1, 2}));
  EXPECT_EQ(tree.branch_length(joint), BranchLength({5, 5}));
  EXPECT_FALSE(tree.is_as_long_in(before, 0));
  EXPECT_TRUE(tree.is_as_long_in(before, 1));
}

}  // namespace
