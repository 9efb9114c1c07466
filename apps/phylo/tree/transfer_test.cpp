#include "phylo/tree/transfer.hpp"

#include <gtest/gtest.h>

#include <random>

#include "phylo/tree/rearrange.hpp"

namespace phylo {
namespace {

/// A tree to which tips come in a random order, each at a random branch.
Tree random_tree(std::int32_t tips, std::mt19937& random) {
  std::vector<HalfEdge> order(static_cast<std::size_t>(tips));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<HalfEdge>(i);
  std::shuffle(order.begin(), order.end(), random);
  Tree tree = triplet(tips, order[0], order[1], order[2], 0.1);
  for (std::int32_t t = 3; t < tips; ++t) {
    const std::vector<HalfEdge> branches = tree.branches();
    attach_tip(tree, order[static_cast<std::size_t>(t)], tips + t - 2, branches[random() % branches.size()], 0.1);
  }
  return tree;
}

/// By the definition: the fewest tips that differ from a split of the other tree, or from its other side.
std::int32_t fewest_by_hand(const Split& split, std::int32_t tips, const Tree& other) {
  std::int32_t fewest = std::min(size(split), tips - size(split)) - 1;
  for (const BranchSplit& one : inner_splits(other)) {
    std::int32_t differ = 0;
    for (HalfEdge tip = 0; tip < tips; ++tip) differ += holds(split, tip) != holds(one.split, tip);
    fewest = std::min({fewest, differ, tips - differ});
  }
  return fewest;
}

TEST(Transfer, is_what_the_definition_says) {
  std::mt19937 random(1);
  for (const std::int32_t tips : {4, 5, 9, 17, 40, 130}) {
    const Tree tree = random_tree(tips, random);
    std::vector<Tree> others{tree};
    for (int i = 0; i < 4; ++i) others.push_back(random_tree(tips, random));
    TransferSums sums(tree);
    for (const Tree& other : others) sums.add(other);
    ASSERT_EQ(sums.trees(), 5);
    const std::vector<double> found = sums.support();
    for (HalfEdge tip = 0; tip < tips; ++tip) EXPECT_EQ(found[static_cast<std::size_t>(tip)], -1);
    for (const BranchSplit& one : inner_splits(tree)) {
      const std::int32_t side = std::min(size(one.split), tips - size(one.split));
      double mean = 0;
      for (const Tree& other : others) mean += fewest_by_hand(one.split, tips, other) / 5.0;
      EXPECT_NEAR(found[static_cast<std::size_t>(one.branch)], 1 - mean / (side - 1), 1e-12) << tips;
      EXPECT_EQ(found[static_cast<std::size_t>(one.branch)], found[static_cast<std::size_t>(tree.back(one.branch))]);
    }
  }
}

TEST(Transfer, of_a_cherry_is_the_share_of_trees_that_have_it) {
  std::mt19937 random(2);
  const Tree tree = random_tree(8, random);
  TransferSums sums(tree);
  SplitCounts counts(8);
  for (int i = 0; i < 50; ++i) {
    const Tree other = random_tree(8, random);
    sums.add(other);
    counts.add(other);
  }
  const std::vector<double> transfer = sums.support(), share = support(tree, counts);
  for (const BranchSplit& one : inner_splits(tree)) {
    const auto at = static_cast<std::size_t>(one.branch);
    if (size(one.split) == 2 || size(one.split) == 6)
      EXPECT_NEAR(transfer[at], share[at], 1e-12);
    else
      EXPECT_GE(transfer[at], share[at] - 1e-12);
  }
}

TEST(Transfer, refuses_a_tree_of_other_tips) {
  std::mt19937 random(3);
  TransferSums sums(random_tree(6, random));
  EXPECT_THROW(sums.add(random_tree(7, random)), std::invalid_argument);
}

}  // namespace
}  // namespace phylo
