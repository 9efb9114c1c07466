#include "sched/grain/site_time.hpp"

#include <gtest/gtest.h>

namespace maslin::grain {
namespace {

TEST(SiteTime, IsUnknownAtFirstAndThenTheMeanOfWhatWasSeen) {
  site_time t;
  EXPECT_EQ(t.expected(1000), 0);
  t = t.learned(100, 500, 4);
  EXPECT_DOUBLE_EQ(t.expected(1000), 5000);
  t = t.learned(100, 1500, 4);
  EXPECT_DOUBLE_EQ(t.expected(1000), 10000);
  EXPECT_EQ(t.seen, 2u);
}

TEST(SiteTime, FollowsWorkThatChanges) {
  site_time t = site_time().learned(100, 100, 4);
  for (int i = 0; i < 30; ++i) t = t.learned(10, 1000, 4);
  EXPECT_NEAR(t.expected(1), 100, 1);
  for (int i = 0; i < 30; ++i) t = t.learned(10, 10, 4);
  EXPECT_NEAR(t.expected(1), 1, 0.1);
}

TEST(SiteTime, OneOutlierWeighsAsMuchAsTheMemoryIsLong) {
  site_time t;
  for (int i = 0; i < 100; ++i) t = t.learned(1, 100, 64);
  EXPECT_NEAR(t.learned(1, 6500, 64).expected(1), 200, 1);
}

TEST(SiteTime, TheUsualIsNotWhatTheFirstOrAFewTook) {
  site_time t = site_time().learned_usual(100000, 64);
  for (int i = 0; i < 100; ++i) t = t.learned_usual(100, 64);
  EXPECT_NEAR(t.expected(1), 100, 1);
  EXPECT_NEAR(t.learned_usual(100000, 64).expected(1), 102, 1);
  for (int i = 0; i < 400; ++i) t = t.learned_usual(300, 64);
  EXPECT_NEAR(t.expected(1), 300, 3);
}

TEST(SiteTime, WhatIsNeverSmallStaysSo) {
  const site_time t = site_time::never_small().learned(1, 1, 4).learned(1, 1, 4);
  EXPECT_GT(t.expected(1), 1e30);
}

}  // namespace
}  // namespace maslin::grain
