#include "sched/grain/edtlp.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace maslin::grain {
namespace {

TEST(SuspendedStreams, ResumeInTheOrderInWhichTheyWereSuspended) {
  suspended_streams<int> waiting;
  for (const int s : {3, 1, 2}) waiting.suspend(s);
  EXPECT_EQ(waiting.resume(0, 2), 3);
  EXPECT_EQ(waiting.resume(1, 2), 1);
  EXPECT_EQ(waiting.resume(2, 2), std::nullopt);
  EXPECT_EQ(waiting.size(), 1u);
}

TEST(SuspendedStreams, WhoComesFirstMayBeSaidAndTheRestKeepsItsOrder) {
  suspended_streams<int> waiting;
  for (const int s : {31, 12, 22, 11}) waiting.suspend(s);
  const auto by_tens = [](int a, int b) { return a / 10 < b / 10; };
  EXPECT_TRUE(waiting.any([](int s) { return s == 22; }));
  EXPECT_EQ(waiting.resume(0, 1, by_tens), 12);
  EXPECT_EQ(waiting.resume(0, 1, by_tens), 11);
  EXPECT_FALSE(waiting.any([](int s) { return s == 11; }));
  EXPECT_EQ(waiting.resume(0, 1), 31);
  EXPECT_EQ(waiting.resume(1, 1, by_tens), std::nullopt);
  EXPECT_EQ(waiting.size(), 1u);
}

TEST(SuspendedStreams, OnlyTheSurplusIsSuspended) {
  EXPECT_FALSE(suspended_streams<int>::surplus(2, 2));
  EXPECT_TRUE(suspended_streams<int>::surplus(3, 2));
}

TEST(SuspendedStreams, AStreamThatSwitchesAtEachOffLoadResumesAfterAllOthersHaveOffLoaded) {
  constexpr int streams = 5;
  suspended_streams<int> host;
  for (int s = 0; s < streams; ++s) host.suspend(s);
  std::set<int> since[streams];  // who has off-loaded since this stream did
  std::vector<int> off_loads(streams, 0);
  for (int turn = 0; turn < 100; ++turn) {
    const int s = *host.resume(0, 1);
    if (off_loads[static_cast<std::size_t>(s)] > 0) {
      EXPECT_EQ(since[s].size(), streams - 1u);
    }
    for (auto& seen : since) seen.insert(s);
    since[s].clear();
    ++off_loads[static_cast<std::size_t>(s)];
    host.suspend(s);
  }
}

TEST(WorthSharing, AKernelShorterThanItsHandingOverStaysWithTheCaller) {
  EXPECT_FALSE(worth_sharing(1e-6, 2, 0.5e-6));  // 0.5 + 0.5 is not earlier than 1
  EXPECT_TRUE(worth_sharing(1.1e-6, 2, 0.5e-6));
  EXPECT_TRUE(worth_sharing(0.6e-6, 8, 0.5e-6));
  EXPECT_FALSE(worth_sharing(0.55e-6, 8, 0.5e-6));
}

TEST(WorthSharing, WhatIsNotKnownIsTriedAndOneWorkerIsNoTeam) {
  EXPECT_TRUE(worth_sharing(0, 2, 1));
  EXPECT_FALSE(worth_sharing(1, 1, 0));
}

TEST(WorthOffLoading, WhatTheAcceleratorAndBothWaysTakeMustBeLessThanTheHost) {
  EXPECT_TRUE(worth_off_loading({.accelerator = 10, .host = 15, .communication = 2}));
  EXPECT_FALSE(worth_off_loading({.accelerator = 10, .host = 14, .communication = 2}));  // as long is no gain
  EXPECT_FALSE(worth_off_loading({.accelerator = 10, .host = 13, .communication = 2}));
  EXPECT_FALSE(worth_off_loading({.accelerator = 10, .host = 10}));
}

TEST(WorthOffLoading, ShippingItsCodeCounts) {
  EXPECT_TRUE(worth_off_loading({.accelerator = 10, .host = 20, .communication = 2, .code = 5}));
  EXPECT_FALSE(worth_off_loading({.accelerator = 10, .host = 20, .communication = 2, .code = 6}));
}

TEST(WorthOffLoading, WhatIsNotKnownIsOffLoaded) {
  EXPECT_TRUE(worth_off_loading({}));
  EXPECT_TRUE(worth_off_loading({.accelerator = 0, .host = 1, .communication = 100}));
  EXPECT_TRUE(worth_off_loading({.accelerator = 1, .host = 0, .communication = 100}));
}

TEST(WorthOffLoading, AHostThatIsSharedDoesOneKernelAfterTheOther) {
  EXPECT_FALSE(worth_off_loading({.accelerator = 40, .host = 40, .communication = 1, .context_switch = 2}));
  EXPECT_TRUE(
      worth_off_loading({.accelerator = 40, .host = 40, .communication = 1, .context_switch = 2, .sharing = 2}));
}

TEST(WorthOffLoading, AKernelSmallerThanTheSwitchIsNotWhoeverSharesTheHost) {
  EXPECT_FALSE(worth_off_loading({.accelerator = 1, .host = 3, .communication = 1, .context_switch = 2, .sharing = 8}));
  EXPECT_TRUE(worth_off_loading({.accelerator = 1, .host = 4, .communication = 1, .context_switch = 2, .sharing = 8}));
}

TEST(WorthTaking, AsManyBlocksAsPayForTheirHandingOver) {
  EXPECT_EQ(worth_taking(0, 100), 1);
  EXPECT_EQ(worth_taking(200, 100), 1);
  EXPECT_EQ(worth_taking(30, 100), 3);
}

TEST(RunsAtOnce, ATaskShorterThanItsHandingOver) {
  EXPECT_TRUE(runs_at_once(99, 100, 0, {}, 8));
  EXPECT_FALSE(runs_at_once(101, 100, 0, {}, 8));
}

TEST(RunsAtOnce, ATaskShorterThanItsHandingOverWithItsAccesses) {
  EXPECT_TRUE(runs_at_once(599, 100, 500, {}, 8));
  EXPECT_FALSE(runs_at_once(601, 100, 500, {}, 8));
}

TEST(InGraph, TheCreatorAloneAddsAndAllShareTheRest) {
  EXPECT_EQ(in_graph(300, 200, 2), 500);
  EXPECT_EQ(in_graph(100, 500, 3), 300);
  EXPECT_EQ(in_graph(300, 200, 64), 300);
  EXPECT_GT(in_graph(1, 1, 1), 1e300);
}

TEST(RunsAtOnce, AShortTaskInsideOthersOnceEverybodyFindsTwoOfThem) {
  EXPECT_FALSE(runs_at_once(1000, 100, 0, {15, 0}, 8));
  EXPECT_TRUE(runs_at_once(1000, 100, 0, {16, 0}, 8));
  EXPECT_FALSE(runs_at_once(1000, 100, 0, {16, 1}, 8));
  EXPECT_TRUE(runs_at_once(1000, 100, 0, {17, 1}, 8));
}

TEST(RunsAtOnce, AShortTaskOfManyOnceThereIsEnoughToFetch) {
  EXPECT_FALSE(runs_at_once(1000, 100, 0, {19, 1000}, 8));
  EXPECT_TRUE(runs_at_once(1000, 100, 0, {20, 1000}, 8));
}

TEST(RunsAtOnce, AShortTaskUntilThereIsLessThanOneForEach) {
  EXPECT_TRUE(runs_at_once(1000, 100, 0, {8, 0, false}, 8));
  EXPECT_FALSE(runs_at_once(1000, 100, 0, {7, 0, false}, 8));
  EXPECT_FALSE(runs_at_once(1000, 100, 0, {8, 1, false}, 8));
}

TEST(Refills, FromLessThanOneForEachToTwo) {
  EXPECT_TRUE(refills(false, 7, 8));
  EXPECT_FALSE(refills(false, 8, 8));
  EXPECT_TRUE(refills(true, 15, 8));
  EXPECT_FALSE(refills(true, 16, 8));
}

TEST(RunsAtOnce, ALongTaskNever) { EXPECT_FALSE(runs_at_once(5000, 100, 0, {1000, 0}, 8)); }

TEST(RunsAtOnce, WhatIsNotKnownIsHandedOver) { EXPECT_FALSE(runs_at_once(0, 100, 0, {1000, 0}, 1)); }

}  // namespace
}  // namespace maslin::grain
