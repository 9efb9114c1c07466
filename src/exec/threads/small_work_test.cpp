#include "exec/threads/small_work.hpp"

#include <gtest/gtest.h>

namespace maslin {
namespace {

std::uint64_t ticks(double seconds) { return static_cast<std::uint64_t>(seconds / base::seconds_per_tick()); }

/// A loop of eight blocks that is known to take so long.
struct known_loop {
  explicit known_loop(double seconds, int times = 4) {
    for (int i = 0; i < times; ++i) site.learn(8, ticks(seconds), 4);
  }
  deal deals_out(const small_work& small, std::int64_t blocks = 8) const {
    return small.deals_out(&site, 8, blocks, 2);
  }
  call_site site;
};

TEST(SmallWork, ALoopIsDealtOutFromWhatThatCostsToAMillisecond) {
  const small_work small;
  EXPECT_EQ(known_loop(0.5e-6).deals_out(small).grain, 0);
  EXPECT_EQ(known_loop(1.2e-6).deals_out(small).grain, 1);
  EXPECT_EQ(known_loop(1.2e-6).deals_out(small, 24).grain, 3) << "an eighth: others find some of each range";
  EXPECT_EQ(known_loop(12e-6).deals_out(small, 1000).grain, 41) << "of 0.012 us each, they take 0.5 us";
  EXPECT_EQ(known_loop(100e-6).deals_out(small).grain, 1);
  EXPECT_EQ(known_loop(2e-3).deals_out(small).grain, 0);
  EXPECT_EQ(known_loop(10e-6, 3).deals_out(small).grain, 0) << "it was seen three times";
}

TEST(SmallWork, ALoopWhoseSiteHasSurprisedIsTimedEachTime) {
  const small_work small;
  known_loop loop(10e-6);
  loop.site.has_surprised();
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(loop.deals_out(small).is_timed);
}

TEST(SmallWork, WhatDealingOutCostsIsLearnedAndTriedAgain) {
  small_work small;
  const known_loop loop(2e-6);
  // The system has put the two workers far from each other.
  for (int i = 0; i < 100; ++i) small.learn_dealing_out(ticks(4e-6), ticks(2e-6), 2);
  int dealt = 0;
  constexpr int loops = 100'000;
  for (int i = 0; i < loops; ++i)
    if (const deal how = loop.deals_out(small); how.grain > 0) {
      ++dealt;
      EXPECT_TRUE(how.is_timed);
    }
  EXPECT_GT(dealt, loops / 1000);
  EXPECT_LT(dealt, loops / 100);
  // And beside each other again.
  for (int i = 0; i < 100; ++i) small.learn_dealing_out(ticks(1.4e-6), ticks(2e-6), 2);
  EXPECT_GT(loop.deals_out(small).grain, 0);
}

TEST(SmallWork, LongLoopsSayNothingOfWhatDealingOutCosts) {
  small_work small;
  for (int i = 0; i < 100; ++i) small.learn_dealing_out(ticks(100e-6), ticks(100e-6), 2);
  EXPECT_GT(known_loop(1.2e-6).deals_out(small).grain, 0);
}

}  // namespace
}  // namespace maslin
