#include "sched/grain/replays.hpp"

#include <gtest/gtest.h>

namespace maslin::grain {
namespace {

/// Replays of a machine where they take so long, and gives how many of them were its caller's alone.
int alone_of(int replays, graph::replay_times& known, double bodies, double in_order, double shared) {
  int alone = 0;
  for (int i = 0; i < replays; ++i) {
    const bool now = replays_in_order(known, bodies);
    learn_replay(known, now, now ? in_order : shared);
    alone += now;
  }
  return alone;
}

TEST(Replays, TheFirstIsShared) {
  graph::replay_times known;
  EXPECT_FALSE(replays_in_order(known, 100));
}

TEST(Replays, TheBetterWayIsFoundAndTheOtherTriedEverMoreRarely) {
  graph::replay_times slower_together;
  EXPECT_GT(alone_of(1000, slower_together, 100, 100, 150), 985);
  graph::replay_times faster_together;
  EXPECT_LT(alone_of(1000, faster_together, 100, 100, 60), 15);
}

TEST(Replays, AChangeIsNoticed) {
  graph::replay_times known;
  alone_of(100, known, 100, 100, 150);
  EXPECT_LT(alone_of(1000, known, 100, 100, 50), 500) << "the others have time now";
  EXPECT_GT(alone_of(1000, known, 100, 100, 150), 985) << "they have none any more";
}

TEST(Replays, WhatIsLongOrUnknownIsShared) {
  graph::replay_times known;
  EXPECT_EQ(alone_of(100, known, 0, 100, 150), 0);
}

TEST(Replays, BodiesThatSeemLongBecauseTheyAreSharedAreTriedAlone) {
  graph::replay_times known;
  EXPECT_GT(alone_of(1000, known, 160, 100, 150), 900) << "on many cores each waits for its data";
}

TEST(Replays, OneThatOthersDisturbedChangesNothing) {
  graph::replay_times known;
  alone_of(100, known, 100, 100, 150);
  learn_replay(known, true, 1e6);
  learn_replay(known, true, 100);
  EXPECT_TRUE(replays_in_order(known, 100));
}

}  // namespace
}  // namespace maslin::grain
