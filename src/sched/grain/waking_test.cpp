#include "sched/grain/waking.hpp"

#include <gtest/gtest.h>

namespace maslin::grain {
namespace {

/// In microseconds; who is woken looks for work for a while.
constexpr team_costs stays{.handing_over = 1, .wake_up = 50, .stays_awake = 150};
/// It sleeps again at once.
constexpr team_costs parks{.handing_over = 1, .wake_up = 50, .stays_awake = 0};

/// Gives how many of so many loops, each `whole` long and so long after the one before, wake somebody.
int wake_ups(int loops, double whole, double gap, const team_costs& costs, int width = 2) {
  missed_gain missed;
  double now = 1e9;
  int woken = 0;
  for (int i = 0; i < loops; ++i, now += whole + gap) woken += missed.pays_for_wake_up(now, whole, width, costs);
  return woken;
}

TEST(MissedGain, ALoopThatIsLongerThanAWakeUpWakesATeamThatSleeps) {
  EXPECT_EQ(wake_ups(1, 101, 0, parks), 1) << "half of it is longer than that";
  EXPECT_EQ(wake_ups(1, 99, 0, parks), 0);
  EXPECT_EQ(wake_ups(1, 66, 0, parks, 4), 0);
  EXPECT_EQ(wake_ups(1, 67, 0, parks, 4), 1);
}

TEST(MissedGain, WhatIsNotKnownIsTried) { EXPECT_EQ(wake_ups(3, 0, 0, parks), 3); }

TEST(MissedGain, ShortLoopsOneAfterTheOtherAreWorthAWakeUpOnceTheyHaveLostAsMuch) {
  EXPECT_EQ(wake_ups(49, 4, 10, stays), 0) << "each would gain 4 - 2 - 1";
  EXPECT_EQ(wake_ups(50, 4, 10, stays), 1);
  EXPECT_EQ(wake_ups(99, 4, 10, stays), 1) << "it begins anew";
  EXPECT_EQ(wake_ups(100, 4, 10, stays), 2);
  EXPECT_EQ(wake_ups(25, 4, 10, stays, 4), 1) << "4 - 1 - 1";
}

TEST(MissedGain, WhoWouldSleepAgainBeforeTheNextLoopIsNotWoken) {
  EXPECT_GT(wake_ups(1000, 4, 149, stays), 0);
  EXPECT_EQ(wake_ups(1000, 4, 151, stays), 0);
  EXPECT_EQ(wake_ups(1000, 4, 0, parks), 0);
}

}  // namespace
}  // namespace maslin::grain
