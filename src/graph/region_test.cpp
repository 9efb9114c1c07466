#include "graph/region.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

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

std::set<std::uintptr_t> bytes_of(const region& r) {
  std::set<std::uintptr_t> all;
  for (std::size_t c = 0; c < r.columns; ++c)
    for (std::size_t i = 0; i < r.bytes; ++i) all.insert(r.start + c * r.stride + i);
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

TEST(Region, OverlapIsWhatTheBytesSay) {
  std::mt19937 random(1);
  const auto pick = [&] {
    const std::size_t columns = 1 + random() % 5;
    const std::size_t bytes = 1 + random() % 9;
    return make(1000 + random() % 60, bytes, columns, bytes + random() % 12);
  };
  int overlapping = 0;
  for (int i = 0; i < 20000; ++i) {
    const region a = pick();
    const region b = pick();
    const auto of_a = bytes_of(a);
    bool common = false;
    for (const auto byte : bytes_of(b)) common = common || of_a.count(byte);
    overlapping += common;
    ASSERT_EQ(overlap(a, b), common) << a.start << ' ' << a.bytes << 'x' << a.columns << '/' << a.stride << " and "
                                     << b.start << ' ' << b.bytes << 'x' << b.columns << '/' << b.stride;
  }
  EXPECT_GT(overlapping, 2000);
  EXPECT_LT(overlapping, 18000);
}

}  // namespace
}  // namespace maslin::graph
