#include "exec/virtual/bit_tree.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace maslin {
namespace {

TEST(BitTree, FindsWhatASetFinds) {
  for (const int bits : {1, 63, 64, 65, 4096, 4097, 100'000, 300'000}) {
    bit_tree tree(bits);
    std::set<int> set;
    std::mt19937 random(static_cast<unsigned>(bits));
    std::uniform_int_distribution<int> any(0, bits - 1);
    for (int round = 0; round < 2000; ++round) {
      const int i = any(random);
      if (random() % 3 != 0) {
        tree.set(i);
        set.insert(i);
      } else {
        const int held = set.empty() ? i : *set.begin();
        tree.clear(held);
        set.erase(held);
      }
      EXPECT_EQ(tree.test(i), set.contains(i));
      const int from = any(random), to = from + any(random) + 1 > bits ? bits : from + 1 + any(random) % (bits - from);
      const auto next = set.lower_bound(from);
      EXPECT_EQ(tree.first_set(from, to), next != set.end() && *next < to ? *next : -1)
          << bits << ": " << from << " " << to;
    }
  }
}

TEST(BitTree, AnEmptyRangeHoldsNothing) {
  bit_tree tree(100);
  tree.set(5);
  EXPECT_EQ(tree.first_set(5, 5), -1);
  EXPECT_EQ(tree.first_set(6, 5), -1);
  EXPECT_EQ(tree.first_set(0, 6), 5);
}

}  // namespace
}  // namespace maslin
