#include "phylo/search/random_start.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "phylo/tree/splits.hpp"

namespace phylo {
namespace {

/// The topology, as the splits of the inner branches.
std::vector<Split> shape_of(const Tree& tree) {
  std::vector<Split> out;
  for (const BranchSplit& one : inner_splits(tree)) out.push_back(one.split);
  std::sort(out.begin(), out.end());
  return out;
}

TEST(RandomStart, MakesEveryTopologyEquallyOften) {
  Random random(3);
  std::map<std::vector<Split>, int> seen;
  constexpr int draws = 10500;
  for (int i = 0; i < draws; ++i) ++seen[shape_of(random_start(6, random))];
  ASSERT_EQ(seen.size(), 105U);  // 3 * 5 * 7
  double chi_squared = 0;
  for (const auto& [shape, count] : seen) chi_squared += (count - 100.0) * (count - 100.0) / 100.0;
  EXPECT_LT(chi_squared, 163.5);  // 104 degrees of freedom, 1 in 5,000
}

TEST(RandomStart, DisplaysTheConstraintAndReachesAllThatDo) {
  // ((0,1,2),3,4,5): as many trees as shapes of {0,1,2,*} (3) times those of {*,3,4,5} (3).
  const Constraint constraint(std::vector<bool>(6, true), {Split{0b111}});
  Random random(4);
  std::map<std::vector<Split>, int> seen;
  for (int i = 0; i < 1000; ++i) {
    const Tree tree = random_start(6, random, &constraint);
    ASSERT_TRUE(constraint.displayed_by(tree));
    ++seen[shape_of(tree)];
  }
  EXPECT_EQ(seen.size(), 9U);
}

TEST(RandomStart, ThreeTaxaHaveOneTree) {
  Random random(5);
  const Tree tree = random_start(3, random);
  int branches = 0;
  tree.for_each_branch([&](HalfEdge h) {
    ++branches;
    EXPECT_EQ(tree.length(h), 0.1);
  });
  EXPECT_EQ(branches, 3);
}

}  // namespace
}  // namespace phylo
