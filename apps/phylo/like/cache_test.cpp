#include "phylo/like/cache.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace phylo {
namespace {

TEST(Cache, WhatStaysInItMovesOnce) {
  Cache cache(3);
  cache.begin_loop(300);
  EXPECT_EQ(cache.use(0, 100, false), 100);
  EXPECT_EQ(cache.use(1, 100, true), 100);  // fetched to be written
  EXPECT_EQ(cache.use(1, 100, false), 0);
  for (int loop = 0; loop < 3; ++loop) {
    cache.begin_loop(300);
    EXPECT_EQ(cache.use(1, 100, true), 0);
    EXPECT_EQ(cache.use(0, 100, false), 0);
  }
}

TEST(Cache, WhatWasUsedLeastRecentlyGoesFirst) {
  Cache cache(3);
  cache.begin_loop(200);
  cache.use(0, 100, false);
  cache.use(1, 100, false);
  cache.use(0, 100, false);
  EXPECT_EQ(cache.use(2, 100, false), 100);  // 1 goes
  cache.begin_loop(200);
  EXPECT_EQ(cache.use(0, 100, false), 0);
  EXPECT_EQ(cache.use(1, 100, false), 100);
}

TEST(Cache, WhatWasWrittenIsWrittenBackWhenItGoes) {
  Cache cache(2);
  cache.begin_loop(100);
  EXPECT_EQ(cache.use(0, 100, true), 100);
  cache.begin_loop(100);
  EXPECT_EQ(cache.use(1, 100, false), 200);
  cache.begin_loop(100);
  EXPECT_EQ(cache.use(0, 100, false), 100);  // what is only read is not
  cache.begin_loop(100);
  EXPECT_EQ(cache.use(1, 100, false), 100);  // nor is what was written back already
}

TEST(Cache, ALoopFetchesNothingTwiceThoughAllThatItUsesIsLarger) {
  Cache cache(2);
  for (int loop = 0; loop < 3; ++loop) {
    cache.begin_loop(50);
    EXPECT_EQ(cache.use(0, 100, true), 200);  // larger than the cache
    EXPECT_EQ(cache.use(1, 40, false), 40);
    EXPECT_EQ(cache.use(0, 100, false), 0);
    EXPECT_EQ(cache.use(1, 40, false), 0);
    cache.begin_loop(50);
    EXPECT_EQ(cache.use(0, 100, false), 100);
  }
}

TEST(Cache, RoomThatOthersTakeIsRoomNoMore) {
  Cache cache(2);
  cache.begin_loop(200);
  cache.use(0, 100, true);
  cache.use(1, 100, true);
  cache.begin_loop(100);
  EXPECT_EQ(cache.use(1, 100, false), 100);  // 0 goes
  cache.begin_loop(100);
  EXPECT_EQ(cache.use(0, 100, false), 200);  // and comes for 1
}

}  // namespace
}  // namespace phylo
