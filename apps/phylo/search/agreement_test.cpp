#include "phylo/search/agreement.hpp"

#include <gtest/gtest.h>

#include "phylo/search/random.hpp"
#include "phylo/tree/rearrange.hpp"
#include "phylo/tree/splits.hpp"

namespace phylo {
namespace {

/// Tips come one after the other, each at a branch that `choose` gives of so many.
template <class Choose>
Tree grow(std::int32_t tips, Choose&& choose) {
  Tree tree = triplet(tips, 0, 1, 2, 0.1);
  for (std::int32_t t = 3; t < tips; ++t) {
    const std::vector<HalfEdge> branches = tree.branches();
    attach_tip(tree, t, tips + t - 2, branches[choose(branches.size())], 0.1);
  }
  return tree;
}
/// One of two trees of 20 tips, which differ in where the last tip is (three times as often one of them), or any tree.
Tree near(Random& random) {
  const bool first = random.below(4) == 0;
  std::size_t step = 0;
  return grow(20, [&](std::size_t branches) { return ++step == 17 && first ? branches - 1 : step * 7 % branches; });
}
Tree any(Random& random) {
  return grow(20, [&](std::size_t branches) { return static_cast<std::size_t>(random.below(branches)); });
}
template <class Make>
std::vector<Tree> many(int count, Make&& make) {
  std::vector<Tree> trees;
  Random random(3);
  for (int i = 0; i < count; ++i) trees.push_back(make(random));
  return trees;
}

TEST(Agreement, of_equal_trees_is_perfect) {
  const Agreement found = agreement(many(50, [](Random&) { return grow(20, [](std::size_t) { return 0; }); }), 0.03, 1);
  EXPECT_EQ(found.difference, 0);
  EXPECT_EQ(found.within, 1);
  EXPECT_TRUE(found.enough);
}

TEST(Agreement, comes_with_more_trees) {
  double before = 1;
  for (const int count : {20, 80, 320}) {
    const Agreement found = agreement(many(count, near), 0.03, 1);
    EXPECT_LT(found.difference, before) << count;
    before = found.difference;
    EXPECT_EQ(found.enough, count == 320) << count << ": " << found.difference << ' ' << found.within;
  }
}

TEST(Agreement, is_not_there_where_trees_have_nothing_in_common) {
  const Agreement found = agreement(many(100, any), 0.03, 1);
  EXPECT_GT(found.difference, 0.03);
  EXPECT_EQ(found.within, 0);
  EXPECT_FALSE(found.enough);
}

TEST(Agreement, depends_on_the_seed_only_in_how_trees_are_divided) {
  const std::vector<Tree> trees = many(60, near);
  EXPECT_EQ(agreement(trees, 0.03, 5).difference, agreement(trees, 0.03, 5).difference);
  EXPECT_NE(agreement(trees, 0.03, 5).difference, agreement(trees, 0.03, 6).difference);
}

/// Two halves of one tree each: splits of one only count whole, those of both nothing.
TEST(Agreement, of_two_trees_is_their_distance) {
  Random random(1);
  const std::vector<Tree> two = {any(random), any(random)};
  EXPECT_NEAR(agreement(two, 0.03, 1).difference, robinson_foulds(two[0], two[1]) / 34.0, 1e-12);
}

}  // namespace
}  // namespace phylo
