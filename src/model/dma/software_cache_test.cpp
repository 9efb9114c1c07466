#include "model/dma/software_cache.hpp"

#include <gtest/gtest.h>

namespace maslin::dma {
namespace {

TEST(SoftwareCache, KeepsWhatWasUsedLast) {
  software_cache c(100);
  c.keep({1, 0}, 40, access_kind::in);
  c.keep({2, 0}, 40, access_kind::in);
  EXPECT_TRUE(c.read({1, 0}));
  c.keep({3, 0}, 40, access_kind::in);  // the second makes room
  EXPECT_TRUE(c.read({1, 0}));
  EXPECT_FALSE(c.read({2, 0}));
  EXPECT_TRUE(c.read({3, 0}));
  EXPECT_EQ(c.held_bytes(), 80u);
  EXPECT_EQ(c.reads(), 4u);
  EXPECT_EQ(c.hits(), 3u);
}

TEST(SoftwareCache, TellsVersionsApart) {
  software_cache c(100);
  c.keep({1, 0}, 40, access_kind::in);
  EXPECT_FALSE(c.read({1, 1}));
  c.drop({1, 0});
  EXPECT_FALSE(c.read({1, 0}));
  EXPECT_EQ(c.held_bytes(), 0u);
}

TEST(SoftwareCache, MakesRoomForALargeObjectOfSeveralSmallOnes) {
  software_cache c(100);
  for (std::uint64_t i = 0; i < 10; ++i) c.keep({i, 0}, 10, access_kind::in);
  c.keep({77, 0}, 55, access_kind::inout);
  EXPECT_EQ(c.held_bytes(), 95u);
  EXPECT_FALSE(c.read({5, 0}));
  EXPECT_TRUE(c.read({6, 0}));
}

TEST(SoftwareCache, LeavesOutWhatDoesNotFitAndKindsThatAreNotKept) {
  software_cache c(100, {.in = true, .out = false, .inout = true});
  c.keep({1, 0}, 101, access_kind::in);
  EXPECT_FALSE(c.read({1, 0}));
  c.keep({2, 0}, 10, access_kind::out);
  EXPECT_FALSE(c.read({2, 0}));
  c.keep({3, 0}, 10, access_kind::inout);
  EXPECT_TRUE(c.read({3, 0}));
}

}  // namespace
}  // namespace maslin::dma
