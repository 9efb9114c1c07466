#include "sched/grain/mgps.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace maslin::grain {
namespace {

/// Departures that saw so many tasks on workers each.
departures some(std::int64_t count, std::int64_t each) { return {.count = count, .on_workers = count * each}; }

/// A phase whose streams are all in off-loads all the time: gives what it runs in after so many epochs.
configuration after(int workers, std::int64_t streams, int epochs = 3) {
  mgps grain({workers, streams});
  for (int i = 0; i < epochs; ++i) grain.departed(some(100, grain.current().streams));
  return grain.current();
}

TEST(Mgps, AnArrivalGetsOneWorker) {
  for (int workers = 1; workers <= 64; ++workers)
    for (const std::int64_t streams : {1, 2, 1000}) {
      const mgps grain({workers, streams});
      EXPECT_EQ(grain.current(), (configuration{static_cast<int>(std::min<std::int64_t>(workers, streams)), 1}));
      EXPECT_EQ(grain.epoch(), 100);
      EXPECT_FALSE(grain.hybrid());
    }
}

TEST(Mgps, FewStreamsGetTheWorkersThatWereIdle) {
  EXPECT_EQ(after(8, 1), (configuration{1, 8}));
  EXPECT_EQ(after(8, 2), (configuration{2, 4}));
  EXPECT_EQ(after(8, 3), (configuration{3, 2}));
  EXPECT_EQ(after(64, 3), (configuration{3, 21}));
}

TEST(Mgps, HalfOfTheWorkersIsNotUnderHalf) {
  EXPECT_EQ(after(8, 4), (configuration{4, 1}));
  mgps grain({8, 4});
  grain.departed({.count = 100, .on_workers = 400});
  EXPECT_FALSE(grain.hybrid());
  grain.departed({.count = 100, .on_workers = 399});
  EXPECT_EQ(grain.current(), (configuration{4, 2}));
}

TEST(Mgps, OddWorkersAreHalvedExactly) {
  EXPECT_EQ(after(7, 3), (configuration{3, 2}));  // 3 of 7
  EXPECT_EQ(after(5, 3), (configuration{3, 1}));  // 3 of 5
  EXPECT_EQ(after(3, 1), (configuration{1, 3}));
  EXPECT_EQ(after(2, 1), (configuration{1, 1}));  // half
  EXPECT_EQ(after(1, 1), (configuration{1, 1}));
}

TEST(Mgps, AnEpochHasAHundredOffLoads) {
  mgps grain({8, 2});
  for (int i = 0; i < 99; ++i) grain.departed(some(1, 1));
  EXPECT_FALSE(grain.hybrid());
  grain.departed(some(1, 1));
  EXPECT_TRUE(grain.hybrid());
  EXPECT_EQ(grain.epoch(), 0);
}

TEST(Mgps, EpochsDoNotRemember) {
  mgps grain({8, 8});
  for (int i = 0; i < 1000; ++i) grain.departed(some(100, 8));
  grain.streams_left(2);
  grain.departed(some(100, 2));
  EXPECT_EQ(grain.current(), (configuration{2, 4}));
}

TEST(Mgps, WhereNoStreamCanHaveOneWorkerMoreNothingChanges) {
  // Eight streams that spend most of their time on the host: utilization is low and every worker has its stream.
  mgps grain({8, 100});
  for (int i = 0; i < 10; ++i) grain.departed(some(100, 1));
  EXPECT_EQ(grain.current(), (configuration{8, 1}));
  EXPECT_FALSE(grain.hybrid());
  grain.streams_left(5);
  grain.departed(some(100, 1));
  EXPECT_EQ(grain.current(), (configuration{8, 1}));
  grain.streams_left(4);
  grain.departed(some(100, 1));
  EXPECT_EQ(grain.current(), (configuration{4, 2}));
}

TEST(Mgps, TheIdleWorkersOfTheEpochAreAllThatIsGivenAway) {
  mgps grain({8, 3});
  grain.streams_left(1);  // two have just ended: the epoch saw three
  grain.departed(some(100, 3));
  EXPECT_EQ(grain.current(), (configuration{1, 6}));
}

TEST(Mgps, ThereIsNoRuleForGoingBackNorForGoingOn) {
  mgps grain({8, 4});
  grain.departed(some(100, 3));
  ASSERT_EQ(grain.current(), (configuration{4, 2}));
  grain.departed(some(1000, 8));
  EXPECT_EQ(grain.current(), (configuration{4, 2}));
  grain.streams_left(1);
  grain.departed(some(1000, 1));
  EXPECT_EQ(grain.current(), (configuration{4, 2}));
  EXPECT_EQ(grain.chosen(), grain.current());
}

TEST(Mgps, OtherWorkersBeginAnEpochAndKeepTheWidthThatFits) {
  mgps grain({8, 4});
  grain.departed(some(99, 1));
  grain.resize(16);
  grain.departed(some(99, 1));
  EXPECT_EQ(grain.current(), (configuration{4, 1})) << "198 departures, but of no whole epoch";
  grain.departed(some(1, 1));
  ASSERT_EQ(grain.current(), (configuration{4, 4}));
  grain.resize(3);
  EXPECT_EQ(grain.current(), (configuration{1, 3}));
  grain.resize(8);
  EXPECT_EQ(grain.current(), (configuration{2, 4}));
}

TEST(Mgps, NothingThatMayHappenAsksForMoreThanThereIs) {
  std::mt19937 random(1);
  const auto upto = [&](int last) { return static_cast<int>(random() % static_cast<unsigned>(last + 1)); };
  for (int workers = 1; workers <= 64; ++workers)
    for (int run = 0; run < 20; ++run) {
      std::int64_t left = 1 + upto(2 * workers);
      int have = workers;
      mgps grain({have, left});
      mgps replayed({have, left});
      for (int step = 0; step < 50; ++step) {
        switch (upto(3)) {
          case 0:
            if (left > 1) --left;
            grain.streams_left(left);
            replayed.streams_left(left);
            break;
          case 1:
            have = 1 + upto(workers - 1);
            grain.resize(have);
            replayed.resize(have);
            break;
          default: {
            const departures d{upto(150), upto(150 * have)};  // also none, and fewer on workers than departed
            grain.departed(d);
            replayed.departed(d);
          }
        }
        const configuration c = grain.current();
        ASSERT_GE(c.streams, 1);
        ASSERT_GE(c.width, 1);
        ASSERT_LE(c.streams * c.width, have);
        ASSERT_EQ(c, replayed.current()) << "the same history gives the same decisions";
      }
    }
}

}  // namespace
}  // namespace maslin::grain
