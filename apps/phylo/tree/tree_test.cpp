#include "phylo/tree/tree.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "phylo/tree/rearrange.hpp"

namespace phylo {
namespace {

/// ((0,1),(2,3)): inner nodes 4 and 5.
Tree quartet() {
  Tree tree = triplet(4, 0, 1, 2, 0.1);
  attach_tip(tree, 3, 5, 2, 0.3);
  return tree;
}

/// A caterpillar: tips join one after the other next to the last.
Tree caterpillar(std::int32_t tips) {
  Tree tree = triplet(tips, 0, 1, 2, 0.1);
  for (std::int32_t t = 3; t < tips; ++t) attach_tip(tree, t, tips + t - 2, t - 1, 0.1);
  return tree;
}

TEST(Tree, numbers_half_edges_node_by_node) {
  const Tree tree(5);
  EXPECT_EQ(tree.nodes(), 8);
  EXPECT_EQ(tree.half_edges(), 14);
  std::set<HalfEdge> seen;
  for (Node v = 0; v < tree.nodes(); ++v) {
    const HalfEdge first = tree.first(v);
    HalfEdge h = first;
    int ring = 0;
    do {
      EXPECT_EQ(tree.node(h), v);
      EXPECT_TRUE(seen.insert(h).second);
      h = tree.next(h);
      ++ring;
    } while (h != first);
    EXPECT_EQ(ring, v < 5 ? 1 : 3);
  }
  EXPECT_EQ(seen.size(), 14U);
}

TEST(Tree, needs_three_tips) { EXPECT_THROW(Tree(2), std::invalid_argument); }

TEST(Tree, keeps_a_length_at_both_ends) {
  Tree tree = quartet();
  tree.set_length(3, 0.7);
  EXPECT_EQ(tree.length(tree.back(3)), 0.7);
  EXPECT_TRUE(tree.complete());
}

TEST(Tree, is_complete_only_when_every_branch_is_there) {
  Tree tree = quartet();
  EXPECT_TRUE(tree.complete());
  const HalfEdge other = tree.disconnect(0);
  EXPECT_FALSE(tree.complete());
  tree.connect(0, other, 0.1);
  EXPECT_TRUE(tree.complete());
  EXPECT_FALSE(Tree(4).complete());
}

TEST(Tree, gives_each_branch_once) {
  const Tree tree = caterpillar(9);
  const std::vector<HalfEdge> branches = tree.branches();
  EXPECT_EQ(branches.size(), 15U);
  std::set<HalfEdge> ends;
  for (const HalfEdge h : branches) {
    EXPECT_LT(h, tree.back(h));
    ends.insert(h);
    ends.insert(tree.back(h));
  }
  EXPECT_EQ(static_cast<std::int32_t>(ends.size()), tree.half_edges());
}

TEST(Tree, is_a_value) {
  Tree tree = quartet();
  const Tree saved = tree;
  prune(tree, tree.back(0));
  EXPECT_FALSE(tree == saved);
  EXPECT_TRUE(saved.complete());
  tree = saved;
  EXPECT_TRUE(tree == saved);
}

TEST(Tree, post_order_visits_children_first_and_deep_trees_do_not_overflow) {
  const Tree tree = caterpillar(200000);
  std::vector<bool> seen(static_cast<std::size_t>(tree.nodes()), false);
  std::int32_t visited = 0;
  post_order(tree, tree.back(0), [&](HalfEdge h) {
    for (HalfEdge side = tree.next(h); side != h; side = tree.next(side)) {
      const HalfEdge child = tree.back(side);
      ASSERT_TRUE(tree.is_tip(child) || seen[static_cast<std::size_t>(tree.node(child))]);
    }
    seen[static_cast<std::size_t>(tree.node(h))] = true;
    ++visited;
  });
  EXPECT_EQ(visited, tree.nodes() - tree.tips());
}

}  // namespace
}  // namespace phylo
