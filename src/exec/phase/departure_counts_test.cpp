#include "exec/phase/departure_counts.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace maslin {
namespace {

TEST(DepartureCounts, AnOffLoadThatRunsAloneSeesItself) {
  departure_counts counts;
  counts.begin(3);
  counts.running(8);
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(counts.depart(counts.arrive()));
  EXPECT_FALSE(counts.take());
  EXPECT_TRUE(counts.depart(counts.arrive()));
  const auto seen = counts.take();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->count, 3);
  EXPECT_EQ(seen->on_workers, 3);
  EXPECT_FALSE(counts.take()) << "taken is taken";
}

TEST(DepartureCounts, WhatArrivesWhileItRunsCountsAndWhatWasThereBeforeDoesNot) {
  departure_counts counts;
  counts.begin(1);
  counts.running(8);
  const auto first = counts.arrive();
  const auto second = counts.arrive();
  counts.depart(first);
  EXPECT_EQ(counts.take()->on_workers, 2);
  counts.depart(second);
  EXPECT_EQ(counts.take()->on_workers, 1);
}

TEST(DepartureCounts, AKernelThatIsNotOffLoadedDepartsAndSeesTheOthersOnly) {
  departure_counts counts;
  counts.begin(1);
  counts.running(8);
  EXPECT_TRUE(counts.depart(counts.pass()));
  EXPECT_EQ(counts.take()->on_workers, 0);
  const auto passed = counts.pass();
  counts.arrive();
  counts.depart(passed);
  EXPECT_EQ(counts.take()->on_workers, 1);
}

TEST(DepartureCounts, ALongOffLoadBesideManyShortOnesSeesNoMoreWorkersThanStreamsRun) {
  departure_counts counts;
  counts.begin(101);
  counts.running(2);
  const auto lengthy = counts.arrive();
  for (int i = 0; i < 100; ++i) counts.depart(counts.arrive());
  counts.depart(lengthy);
  EXPECT_EQ(counts.take()->on_workers, 100 + 2);
}

TEST(DepartureCounts, WhatIsNotWantedIsNotCounted) {
  departure_counts counts;
  EXPECT_FALSE(counts.depart(counts.arrive()));
  EXPECT_FALSE(counts.take());
  counts.begin(1);
  EXPECT_TRUE(counts.depart(counts.arrive()));
  counts.begin(0);
  EXPECT_FALSE(counts.take());
}

TEST(DepartureCounts, ThreadsLoseNone) {
  departure_counts counts;
  counts.begin(4000);
  counts.running(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) counts.depart(counts.arrive());
    });
  for (std::thread& t : threads) t.join();
  const auto seen = counts.take();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->count, 4000);
  EXPECT_GE(seen->on_workers, 4000);
  EXPECT_LE(seen->on_workers, 4 * 4000);
}

}  // namespace
}  // namespace maslin
