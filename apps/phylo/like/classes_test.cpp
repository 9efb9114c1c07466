#include "phylo/like/classes.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace {

using phylo::Classes;
using phylo::HalfEdge;
using phylo::most_classes;

constexpr int patterns = 100;
constexpr std::size_t padded = 112;

/// Four taxa: 0 and 1 show the same bases, 2 changes with each pattern's number, 3 is one of every mask.
std::vector<std::uint8_t> rows() {
  std::vector<std::uint8_t> codes(4 * padded, 15);
  for (std::size_t p = 0; p < patterns; ++p) {
    codes[p] = codes[padded + p] = static_cast<std::uint8_t>(1u << (p % 4));
    codes[2 * padded + p] = static_cast<std::uint8_t>(1u << (p / 25));
    codes[3 * padded + p] = static_cast<std::uint8_t>(1 + p % 15);
  }
  return codes;
}

// Half-edges of the two inner nodes of a tree of four taxa.
constexpr HalfEdge first = 4, second = 7;

TEST(Classes, TipsHaveTheirCodes) {
  const auto codes = rows();
  const Classes classes(4, patterns, padded, codes.data());
  EXPECT_TRUE(classes.few(2));
  EXPECT_EQ(classes.codes(2), codes.data() + 2 * padded);
  EXPECT_EQ(classes.groups(2), 1);
}

TEST(Classes, PatternsAreOneClassWhereBothSubtreesShowTheSame) {
  const auto codes = rows();
  Classes classes(4, patterns, padded, codes.data());
  ASSERT_TRUE(classes.find(first, 0, 1));
  EXPECT_EQ(classes.count(first), 4);
  ASSERT_TRUE(classes.find(second, first, 2));
  EXPECT_EQ(classes.count(second), 16);
  std::set<std::pair<int, int>> shown;
  for (std::size_t p = 0; p < patterns; ++p) {
    const std::uint8_t code = classes.codes(second)[p];
    ASSERT_LT(code, 16);
    // A class says which classes of its subtrees it consists of.
    EXPECT_EQ(classes.left_of(second)[code], classes.codes(first)[p]);
    EXPECT_EQ(classes.right_of(second)[code], codes[2 * padded + p]);
    shown.emplace(code, classes.codes(first)[p] * 256 + codes[2 * padded + p]);
  }
  EXPECT_EQ(shown.size(), 16u);
  for (std::size_t p = patterns; p < padded; ++p) EXPECT_EQ(classes.codes(second)[p], 0);
  for (int code = 16; code < most_classes; ++code) EXPECT_EQ(classes.left_of(second)[code], classes.left_of(second)[0]);
}

TEST(Classes, TooManyAreRefusedAndSoIsWhatHoldsThem) {
  const auto codes = rows();
  Classes classes(4, patterns, padded, codes.data());
  EXPECT_FALSE(classes.find(first, 2, 3));  // 4 times 15
  EXPECT_FALSE(classes.few(first));
  EXPECT_FALSE(classes.find(second, first, 0));
}

TEST(Classes, ChangedSubtreesAreSortedAgain) {
  const auto codes = rows();
  Classes classes(4, patterns, padded, codes.data());
  classes.find(first, 0, 1);
  classes.find(second, first, 2);
  classes.find(first, 0, 2);
  ASSERT_TRUE(classes.find(second, first, 1));
  EXPECT_EQ(classes.count(second), 16);
  classes.find(first, 0, 1);
  ASSERT_TRUE(classes.find(second, first, 1));
  EXPECT_EQ(classes.count(second), 4);
}

TEST(Classes, SpoiltOnesComeBackWithTheNextSearch) {
  const auto codes = rows();
  Classes classes(4, patterns, padded, codes.data());
  classes.find(first, 0, 1);
  classes.spoil(first);
  EXPECT_FALSE(classes.few(first));
  EXPECT_FALSE(classes.find(second, first, 2));
  EXPECT_TRUE(classes.find(first, 0, 1));
  EXPECT_TRUE(classes.find(second, first, 2));
}

}  // namespace
