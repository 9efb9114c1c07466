#include "phylo/tree/consensus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "phylo/tree/rearrange.hpp"

namespace phylo {
namespace {

Tree caterpillar(const std::vector<HalfEdge>& order) {
  const auto tips = static_cast<std::int32_t>(order.size());
  Tree tree = triplet(tips, order[0], order[1], order[2], 0.1);
  for (std::int32_t t = 3; t < tips; ++t)
    attach_tip(tree, order[static_cast<std::size_t>(t)], tips + t - 2, order[static_cast<std::size_t>(t) - 1], 0.1);
  return tree;
}

/// Parentheses with supports in percent.
std::string text(const Multifurcation& tree, std::int32_t node = 0) {
  const auto& at = tree.nodes[static_cast<std::size_t>(node)];
  if (at.tip >= 0) return std::to_string(at.tip);
  std::string result = "(";
  for (const std::int32_t child : at.children) {
    if (result.size() > 1) result.push_back(',');
    result.append(text(tree, child));
  }
  result.push_back(')');
  if (at.support >= 0) result += std::to_string(static_cast<int>(at.support * 100 + 0.5));
  return result;
}

SplitCounts counted(const std::vector<Tree>& trees) {
  SplitCounts counts(trees.front().tips());
  for (const Tree& tree : trees) counts.add(tree);
  return counts;
}

TEST(Consensus, of_equal_trees_is_that_tree) {
  const Tree a = caterpillar({0, 1, 2, 3, 4});
  EXPECT_EQ(text(consensus(counted({a, a}))), "(0,1,(2,(3,4)100)100)");
}

TEST(Consensus, keeps_what_more_than_half_of_the_trees_have) {
  const Tree a = caterpillar({0, 1, 2, 3, 4, 5}), b = caterpillar({0, 2, 1, 3, 4, 5}),
             c = caterpillar({0, 1, 2, 4, 3, 5});
  EXPECT_EQ(text(consensus(counted({a, b, c}))), "(0,1,(2,(3,(4,5)67)100)67)");
  EXPECT_EQ(text(consensus(counted({a, b}))), "(0,1,2,(3,(4,5)100)100)") << "half is not more than half";
}

TEST(Consensus, strict_keeps_what_all_trees_have) {
  const Tree a = caterpillar({0, 1, 2, 3, 4, 5}), b = caterpillar({0, 2, 1, 3, 4, 5}),
             c = caterpillar({0, 1, 2, 4, 3, 5});
  EXPECT_EQ(text(consensus(counted({a, b, c}), Consensus::strict)), "(0,1,2,(3,4,5)100)");
}

TEST(Consensus, extended_goes_on_with_what_fits) {
  const Tree a = caterpillar({0, 1, 2, 3, 4, 5}), b = caterpillar({0, 3, 5, 1, 4, 2}),
             c = caterpillar({0, 5, 4, 3, 2, 1});
  EXPECT_EQ(text(consensus(counted({a, b, c}))), "(0,1,2,3,4,5)");
  const Multifurcation extended = consensus(counted({a, a, b, c, c}), Consensus::extended);
  EXPECT_EQ(extended.nodes.size(), 6U + 4U) << "binary: 6 tips, 4 inner nodes";
  EXPECT_EQ(text(extended), text(consensus(counted({c, b, a, c, a}), Consensus::extended)))
      << "the order of trees is nothing";
}

TEST(Consensus, gives_mean_lengths_and_parents_first) {
  Tree a = caterpillar({0, 1, 2, 3, 4}), b = a;
  b.for_each_branch([&](HalfEdge h) { b.set_length(h, 0.5); });
  const Multifurcation tree = consensus(counted({a, b}));
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) EXPECT_LT(tree.nodes[i].parent, static_cast<std::int32_t>(i));
  const auto tip = std::find_if(tree.nodes.begin(), tree.nodes.end(), [](const auto& node) { return node.tip == 1; });
  ASSERT_NE(tip, tree.nodes.end());
  EXPECT_DOUBLE_EQ(tip->length, (a.length(1) + 0.5) / 2);
}

}  // namespace
}  // namespace phylo
