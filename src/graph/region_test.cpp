#include "graph/region.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <random>
#include <string>

namespace maslin::graph {
namespace {

region make(std::uintptr_t start, std::size_t bytes, std::size_t columns = 1, std::size_t stride = 0) {
  detail::declared d{};
  d.data = reinterpret_cast<void*>(start);
  d.bytes = bytes;
  d.columns = columns;
  d.stride = columns > 1 ? stride : bytes;
  return region(d);
}

/// Which of the bytes from `base` on it has.
constexpr std::uintptr_t base = 1000;
using bytes = std::bitset<8192>;
bytes bytes_of(const region& r) {
  bytes all;
  for (std::size_t c = 0; c < r.columns; ++c)
    for (std::size_t i = 0; i < r.bytes; ++i) all.set(r.start - base + c * r.stride + i);
  return all;
}

TEST(Region, ColumnsThatTouchAreOneRun) {
  EXPECT_EQ(make(100, 8, 4, 8), make(100, 32));
  EXPECT_NE(make(100, 8, 4, 9), make(100, 32));
}

TEST(Region, TilesOfOneMatrixAreDisjointThoughTheirBytesInterleave) {
  EXPECT_FALSE(overlap(make(1000, 64, 8, 256), make(1064, 64, 8, 256)));
  EXPECT_FALSE(overlap(make(1000, 64, 8, 256), make(1000 + 8 * 256, 64, 8, 256)));
  EXPECT_TRUE(overlap(make(1000, 65, 8, 256), make(1064, 64, 8, 256)));
}

TEST(Region, EmptyOnesOverlapNothing) {
  EXPECT_FALSE(overlap(make(100, 0), make(100, 8)));
  EXPECT_FALSE(overlap(make(104, 0), make(100, 8)));
}

TEST(Region, TilesOfOneMatrixAreComparedWithoutGoingThroughTheirColumns) {
  constexpr std::size_t many = std::size_t{1} << 30;
  const region narrow = make(1 << 20, 64, many, 256);
  for (std::size_t i = 1; i < 1000; ++i) {
    EXPECT_EQ(overlap(narrow, make((1 << 20) + 4 * i, 64, many, 256)), 4 * i % 256 < 64 || 4 * i % 256 > 192);
    EXPECT_EQ(overlap(make((1 << 20) + 64 * i, 64, many, 1024), narrow), i % 4 == 0);
  }
}

TEST(Region, OfAWideStrideOnlyTheColumnsInTheOthersReachAreLookedAt) {
  constexpr std::size_t many = std::size_t{1} << 30;
  const region wide = make(1 << 20, 64, many, 4097);
  for (std::size_t i = 1; i < 1000; ++i) {
    const std::uintptr_t column = (1 << 20) + 4097 * (many - i);
    EXPECT_TRUE(overlap(wide, make(column - 200, 8, 4, 100)));
    EXPECT_FALSE(overlap(wide, make(column - 200, 8, 2, 150)));
  }
}

/// What the strides of two regions have to do with each other.
enum class strides { any, same, multiple };

class RegionsOf : public testing::TestWithParam<strides> {};

std::string name_of(const testing::TestParamInfo<strides>& info) {
  constexpr const char* names[] = {"AnyStride", "OneStride", "MultiplesOfAStride"};
  return names[static_cast<int>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(, RegionsOf, testing::Values(strides::any, strides::same, strides::multiple), name_of);

TEST_P(RegionsOf, OverlapWhereTheirBytesDo) {
  std::mt19937 random(1);
  const auto up_to = [&](std::size_t most) { return 1 + random() % most; };
  int overlapping = 0;
  constexpr int pairs = 60'000;
  for (int i = 0; i < pairs; ++i) {
    const std::size_t widest = i % 2 ? 4 : 12;  // of a column; narrow ones pass each other more often
    const std::size_t stride = up_to(i % 3 ? 20 : 80);
    const std::size_t other = GetParam() == strides::same       ? stride
                              : GetParam() == strides::multiple ? stride * up_to(6)
                                                                : up_to(i % 3 ? 20 : 80);
    const auto pick = [&](std::size_t apart) {
      const std::size_t width = std::min(up_to(widest), apart);
      return make(base + random() % (i % 5 ? 200 : 1500), width, up_to(random() % 4 ? 12 : 3), apart);
    };
    const region a = pick(stride);
    const region b = pick(other);
    const bool common = (bytes_of(a) & bytes_of(b)).any();
    overlapping += common;
    const auto text = [](const region& r) {
      return std::to_string(r.start) + ' ' + std::to_string(r.bytes) + 'x' + std::to_string(r.columns) + '/' +
             std::to_string(r.stride);
    };
    ASSERT_EQ(overlap(a, b), common) << text(a) << " and " << text(b);
    ASSERT_EQ(overlap(b, a), common) << text(b) << " and " << text(a);
  }
  EXPECT_GT(overlapping, pairs / 10);
  EXPECT_LT(overlapping, pairs * 9 / 10);
}

}  // namespace
}  // namespace maslin::graph
