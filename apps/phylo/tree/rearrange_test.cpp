#include "phylo/tree/rearrange.hpp"

#include <gtest/gtest.h>

#include "phylo/search/random.hpp"
#include "phylo/tree/grown_tree.hpp"
#include "phylo/tree/splits.hpp"

namespace phylo {
namespace {

Tree random_tree(int tips, Random& random) {
  return grown_tree(tips, random, [&] { return 0.1 * random.uniform(); });
}

TEST(Rearrange, restore_undoes_prune_to_the_last_bit) {
  Random random(5);
  Tree tree = random_tree(30, random);
  const Tree before = tree;
  for (HalfEdge joint = tree.tips(); joint < tree.half_edges(); ++joint) {
    const Pruned from = prune(tree, joint);
    EXPECT_EQ(tree.length(from.near), from.near_length + from.far_length);
    EXPECT_FALSE(tree.complete());
    restore(tree, from);
    ASSERT_TRUE(tree == before);
  }
}

TEST(Rearrange, random_moves_keep_the_tree_whole) {
  Random random(6);
  Tree tree = random_tree(25, random);
  for (int move = 0; move < 2000; ++move) {
    const auto joint = static_cast<HalfEdge>(static_cast<std::uint64_t>(tree.tips()) +
                                             random.below(static_cast<std::uint64_t>(tree.half_edges() - tree.tips())));
    const Pruned from = prune(tree, joint);
    std::vector<HalfEdge> rest;  // the branches that hang together with the joined one
    std::vector<HalfEdge> stack{from.near, from.far};
    while (!stack.empty()) {
      const HalfEdge h = stack.back();
      stack.pop_back();
      rest.push_back(h);
      for (HalfEdge side = tree.next(h); side != h; side = tree.next(side)) stack.push_back(tree.back(side));
    }
    regraft(tree, joint, rest[random.below(rest.size())], 0.1, 0.2, 0.3);
    ASSERT_TRUE(tree.complete()) << "after move " << move;
    EXPECT_EQ(tree.length(joint), 0.3);
  }
}

TEST(Rearrange, moving_a_cherry_across_one_branch_changes_one_split) {
  Tree tree = triplet(6, 0, 1, 2, 0.1);
  attach_tip(tree, 3, 7, 2, 0.1);
  attach_tip(tree, 4, 8, 3, 0.1);
  attach_tip(tree, 5, 9, 4, 0.1);  // (0,1),2,3,(4,5)
  const Tree before = tree;
  const HalfEdge joint = tree.back(3);
  prune(tree, joint);
  regraft(tree, joint, 2, 0.05, 0.05, 0.1);  // (0,1),(2,3),(4,5)
  EXPECT_TRUE(tree.complete());
  EXPECT_EQ(robinson_foulds(before, tree), 2);
}

}  // namespace
TEST(Rearrange, InterchangeSwapsSubtreesWithTheirBranches) {
  Random random(7);
  const Tree before = random_tree(12, random);
  for (const HalfEdge h : before.branches()) {
    if (before.is_tip(h) || before.is_tip(before.back(h))) continue;
    Tree tree = before;
    const HalfEdge a = tree.next(h), b = tree.next(tree.back(h));
    const HalfEdge behind_a = tree.back(a), behind_b = tree.back(b);
    interchange(tree, a, b);
    EXPECT_TRUE(tree.complete());
    EXPECT_EQ(tree.back(a), behind_b);
    EXPECT_EQ(tree.length(behind_a), before.length(behind_a));
    EXPECT_EQ(tree.length(behind_b), before.length(behind_b));
    EXPECT_EQ(robinson_foulds(before, tree), 2);
    interchange(tree, a, b);
    EXPECT_EQ(tree, before);
  }
}

}  // namespace phylo
