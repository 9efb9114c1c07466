#include "model/layers/loop_time.hpp"

#include <gtest/gtest.h>

namespace maslin::layers {
namespace {

TEST(LoopTime, OneWorkerOrOneBlockIsNotShared) {
  EXPECT_DOUBLE_EQ(loop_time({60, 6}, 1, {1, 1, 1, 1}), 60);
  EXPECT_DOUBLE_EQ(loop_time({60, 1}, 4, {1, 1, 1, 4}), 60);
}

TEST(LoopTime, WithoutCostsItIsEquation4InWholeBlocks) {
  EXPECT_DOUBLE_EQ(loop_time({60, 6}, 3, {0, 0, 0, 3}), 20);
  EXPECT_DOUBLE_EQ(loop_time({60, 6}, 6, {0, 0, 0, 6}), 10);
  EXPECT_DOUBLE_EQ(loop_time({60, 6}, 4, {0, 0, 0, 4}), 20);    // two have two blocks
  EXPECT_DOUBLE_EQ(loop_time({60, 6}, 12, {0, 0, 0, 12}), 10);  // no more than one block each
}

TEST(LoopTime, OneWakesTheNext) {
  // The caller signals until 1, and so both begin then with three blocks of 10 each. The caller is among the last.
  EXPECT_DOUBLE_EQ(loop_time({60, 6}, 2, {1, 0, 0, 2}), 31);
  // Of three, the second wakes the third: they begin at 1, 2 and 2 with two blocks each; a signal says that it is done.
  EXPECT_DOUBLE_EQ(loop_time({60, 6}, 3, {1, 0, 0, 3}), 23);
  // Taking it costs, too: the second begins at 1 + 2.
  EXPECT_DOUBLE_EQ(loop_time({60, 6}, 2, {1, 2, 0, 2}), 34);
}

TEST(LoopTime, WhoComesTooLateTakesNoPart) {
  // The caller begins at 10 and has done its block at 11, when the second, which calls nobody, has done the other.
  EXPECT_DOUBLE_EQ(loop_time({2, 2}, 2, {10, 0, 0, 2}), 11);
  // Of six blocks of 1 on three workers, the caller does two from 10 on, the second takes two, and takes one of them
  // only after it has called the third, at 20: by then the caller has done the others.
  EXPECT_DOUBLE_EQ(loop_time({6, 6}, 3, {10, 0, 0, 3}), 31);
}

TEST(LoopTime, WhoHasWordOnTheWayIsNotWoken) {
  const auto from = [](int first, double when) { return coming_workers{first, [when](int) { return when; }}; };
  // The caller does blocks of 10 alone until the second comes at 25 and takes half of the three that nobody has begun,
  // in even shares: one, and another at 35. The caller has done its fourth at 40.
  EXPECT_DOUBLE_EQ(loop_time({60, 6}, 2, {1, 0, 0, 2}, from(1, 25)), 46);
  // It comes when all is done.
  EXPECT_DOUBLE_EQ(loop_time({60, 6}, 2, {1, 0, 0, 2}, from(1, 1000)), 60);
  // The second waits to be woken, which the caller does: both begin at 1 and have done three blocks each at 31. The
  // third comes at 25 and does one. The eighth begins at 31.
  EXPECT_DOUBLE_EQ(loop_time({80, 8}, 3, {1, 0, 0, 3}, from(2, 25)), 41);
}

TEST(LoopTime, EachOfThousandsWakesTheNext) {
  // One worker more comes in each unit of time, so of 10,000 blocks of 100, t / 2 + t² / 200 have begun at t. All have
  // begun at 1,365.
  EXPECT_NEAR(loop_time({1e6, 10'000}, 100'000, {1, 0, 0, 100'000}), 1465, 5);
  // The same if all but the caller come by themselves.
  const coming_workers by_themselves{1, [](int worker) { return static_cast<double>(worker); }};
  EXPECT_NEAR(loop_time({1e6, 10'000}, 100'000, {1, 0, 0, 100'000}, by_themselves), 1465, 5);
}

TEST(LoopTime, WhoSleepsComesLater) {
  const auto team_of = [](int width, double idle) { return sharing_costs{1, 0, 0, width, 5, 10, idle}; };
  // The caller signals for 1 and has done its half at 31. The other sleeps if it had no work for longer than 10.
  EXPECT_DOUBLE_EQ(loop_time({60, 6}, 2, team_of(2, 9)), 31);
  EXPECT_DOUBLE_EQ(loop_time({60, 6}, 2, team_of(2, 10)), 37);
  // Awake when it is called, the second one signals the third, which has slept meanwhile.
  EXPECT_DOUBLE_EQ(loop_time({60, 6}, 3, team_of(3, 8.5)), 28);
}

TEST(LoopTime, ACallerThatWaitsForLongSleeps) {
  // The other one comes at 1 + 50 and has three blocks.
  EXPECT_DOUBLE_EQ(loop_time({200, 2}, 2, {50, 0, 0, 2, 5, 10, 0}), 150 + 50 + 5);
  EXPECT_DOUBLE_EQ(loop_time({200, 2}, 2, {50, 0, 0, 2, 5, 60, 0}), 150);
}

TEST(LoopTime, WhatTakesNoTimeIsNotShared) { EXPECT_EQ(loop_time({0, 6}, 3, {1, 1, 0, 3}), 0); }

TEST(LoopTime, SignalsToAnotherNodeTakeLonger) {
  // The second is on another node: the caller is busy with its signal until 41; both have three blocks.
  EXPECT_DOUBLE_EQ(loop_time({60, 6}, 2, {1, 0, 40, 1}), 71);
  // Seven blocks, of which the caller has four: nobody signals back.
  EXPECT_DOUBLE_EQ(loop_time({70, 7}, 2, {1, 0, 40, 1}), 81);
}

TEST(HostGivesOut, TellsOneWorkerAfterTheOther) {
  // Three begin at 1, 2 and 3 with two blocks of 10 each; the host has word of the last one at 24.
  const given_out loop = host_gives_out({60, 6}, 3, {1, 0, 0, 3});
  EXPECT_DOUBLE_EQ(loop.told, 3);
  EXPECT_DOUBLE_EQ(loop.done, 24);
  // Who is done takes blocks of one that has not come: the first has all but one of them.
  const given_out far = host_gives_out({60, 6}, 2, {1, 0, 40, 1});
  EXPECT_DOUBLE_EQ(far.told, 42);
  EXPECT_DOUBLE_EQ(far.done, 52 + 41);
}

TEST(HostGivesOut, WaitsForWhoFindsNothing) {
  // The first begins at 10 and has done both blocks at 12. The host tells the second and the third, which answers.
  const given_out loop = host_gives_out({2, 2}, 3, {10, 0, 0, 3});
  EXPECT_DOUBLE_EQ(loop.told, 30);
  EXPECT_DOUBLE_EQ(loop.done, 40);
  // Word is on its way to the third, which comes at 50.
  const coming_workers third{2, [](int) { return 50.0; }};
  EXPECT_DOUBLE_EQ(host_gives_out({2, 2}, 3, {10, 0, 0, 3}, third).done, 60);
}

TEST(HostGivesOut, TellsNobodyToWhomWordIsOnItsWay) {
  const coming_workers second{1, [](int) { return 25.0; }};
  // The first does four blocks until 41, the second two until 45.
  const given_out loop = host_gives_out({60, 6}, 2, {1, 0, 0, 2}, second);
  EXPECT_DOUBLE_EQ(loop.told, 1);
  EXPECT_DOUBLE_EQ(loop.done, 46);
}

TEST(HostGivesOut, WakesWhoSleeps) {
  // Both have slept for longer than 10, and wake up for 5. So has the host when the last one is done.
  EXPECT_DOUBLE_EQ(host_gives_out({60, 6}, 2, {1, 0, 0, 2, 5, 10, 20}).done, 7 + 30 + 1 + 5);
}

TEST(LoopTime, ManyBlocksFlow) { EXPECT_NEAR(loop_time({1000, 100'000}, 4, {0, 0, 0, 4}), 250, 0.02); }

}  // namespace
}  // namespace maslin::layers
