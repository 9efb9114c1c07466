#include "sched/grain/wait.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace maslin::grain {
namespace {

constexpr double us = 1e-6;
constexpr double wake_up = 45 * us;
constexpr std::array<wait_policy, 4> each{wait_policy::spin, wait_policy::yield, wait_policy::adaptive,
                                          wait_policy::park};

TEST(Wait, PoliciesHaveTheNamesOfTheSetting) {
  EXPECT_EQ(name_of(wait_policy::spin), "spin");
  EXPECT_EQ(name_of(wait_policy::yield), "yield");
  EXPECT_EQ(name_of(wait_policy::adaptive), "adaptive");
  EXPECT_EQ(name_of(wait_policy::park), "park");
  EXPECT_EQ(name_of(wait_policy::automatic), "auto");
}

TEST(Wait, NobodyStaysAwakeForLongerThanTenMilliseconds) {
  for (const wait_policy policy : each)
    for (const double cost : {0.0, us, wake_up, 1.0, 1e9})
      for (const bool asked : {false, true})
        for (const bool crowded : {false, true}) {
          const wait_plan plan = plan_of(policy, {cost, asked, crowded});
          EXPECT_GE(plan.spin, 0);
          EXPECT_GE(plan.yield, 0);
          const double longest = policy == wait_policy::adaptive ? std::max(plan.spin, plan.yield)  // one or the other
                                                                 : plan.spin + plan.yield;
          EXPECT_LE(longest, asked ? 10e-3 : (3 + 10) * 100 * us + 1e-12);
        }
}

TEST(Wait, InACrowdNobodySpinsAndNobodyYieldsForMoreThanThreeWakeUps) {
  for (const wait_policy policy : each)
    for (const bool asked : {false, true}) {
      const wait_plan plan = plan_of(policy, {wake_up, asked, true});
      EXPECT_EQ(plan.spin, 0);
      EXPECT_LE(plan.yield, 3 * wake_up);
    }
}

TEST(Wait, ByDefaultAWorkerSpinsForThreeWakeUpsAndYieldsForTenAndDoesNeitherInACrowd) {
  EXPECT_EQ(plan_of(wait_policy::spin, {wake_up, false, false}), (wait_plan{3 * wake_up, 10 * wake_up}));
  EXPECT_EQ(plan_of(wait_policy::spin, {wake_up, false, true}), wait_plan{});
}

TEST(Wait, WhoIsExpectedFirstIsFoundAmongThoseThatWait) {
  const auto is_first = [](std::int64_t mine, const std::vector<std::int64_t>& others) {
    return is_expected_first(mine, others, [](std::int64_t when) { return when; });
  };
  EXPECT_TRUE(is_first(5, {}));
  EXPECT_TRUE(is_first(5, {5, 7, 6}));
  EXPECT_FALSE(is_first(5, {7, 4}));
}

/// A history of waits and of what was waited for, told to `auto` in small portions.
struct history {
  explicit history(bool oversubscribed = false) : policy(wake_up, oversubscribed) {}

  void waits(int count, double seconds) {
    for (int i = 0; i < count; ++i) wait(seconds);
  }
  void wait(double seconds) {
    sums.waits += 1;
    sums.short_waits += seconds <= worth_spinning(wake_up) ? 1 : 0;
    sums.wait_seconds += seconds;
    policy.observe(sums);
  }
  void length(double seconds) {
    sums.lengths += 1;
    sums.length_seconds += seconds;
    sums.length_squares += seconds * seconds;
  }

  auto_wait policy;
  wait_sums sums;
};

TEST(AutoWait, SpinsUntilItHasSeenEnough) {
  history h;
  EXPECT_EQ(h.policy.current(), wait_policy::spin);
  EXPECT_EQ(h.policy.reason(), "few waits so far, a wake-up costs 45 us");
  h.waits(31, 1);
  EXPECT_EQ(h.policy.current(), wait_policy::spin);
}

TEST(AutoWait, SpinsWhereWaitsAreShortAndLengthsAlike) {
  history h;
  for (int i = 0; i < 100; ++i) {
    h.length(50 * us + (i % 2) * 5 * us);
    h.wait(20 * us);
  }
  EXPECT_EQ(h.policy.current(), wait_policy::spin);
  EXPECT_EQ(h.policy.reason(), "lengths vary by 0 %, a wake-up costs 45 us");
}

TEST(AutoWait, YieldsWhereLengthsVary) {
  history h;
  for (int i = 0; i < 100; ++i) {
    h.length(i % 5 == 0 ? 250 * us : 50 * us);
    h.wait(20 * us);
  }
  EXPECT_EQ(h.policy.current(), wait_policy::yield);
  EXPECT_EQ(h.policy.reason(), "lengths vary by 90 %, a wake-up costs 45 us");
}

TEST(AutoWait, ParksWhereWaitsAreLong) {
  history h;
  for (int i = 0; i < 100; ++i) {
    h.length(50 * us);
    h.wait(2.1e-3);
  }
  EXPECT_EQ(h.policy.current(), wait_policy::park);
  EXPECT_EQ(h.policy.reason(), "waits take 2 ms, a wake-up costs 45 us");
}

TEST(AutoWait, AFewLongWaitsAmongManyShortOnesDoNotMakeItPark) {
  history h;
  for (int i = 0; i < 1000; ++i) h.wait(i % 3 == 0 ? 5 * us : 1.0);
  EXPECT_EQ(h.policy.current(), wait_policy::spin);
}

TEST(AutoWait, YieldsWhereSomebodyElseTakesTheCores) {
  history h;
  h.waits(100, 20 * us);
  EXPECT_EQ(h.policy.current(), wait_policy::spin);
  for (int i = 0; i < 100; ++i) {
    h.sums.lost_cores += i % 10 == 0 ? 1 : 0;
    h.wait(20 * us);
  }
  EXPECT_EQ(h.policy.current(), wait_policy::yield);
  EXPECT_EQ(h.policy.reason(), "somebody else uses the CPUs, a wake-up costs 45 us");
  h.waits(100, 20 * us);
  EXPECT_EQ(h.policy.current(), wait_policy::spin) << "they are gone";
}

TEST(AutoWait, WithMoreWorkersThanCpusItNeverSpins) {
  history h(true);
  EXPECT_EQ(h.policy.current(), wait_policy::park);
  EXPECT_EQ(h.policy.reason(), "there are more workers than CPUs");
  std::mt19937 random(1);
  std::lognormal_distribution<double> waits(std::log(50 * us), 2);
  for (int i = 0; i < 3000; ++i) {
    h.wait(waits(random));
    EXPECT_NE(h.policy.current(), wait_policy::spin);
  }
}

TEST(AutoWait, OneOddStretchChangesNothing) {
  for (int when = 0; when < 10; ++when) {
    history h;
    for (int stretch = 0; stretch < 10; ++stretch) {
      h.waits(32, stretch == when ? 1.0 : 10 * us);
      EXPECT_EQ(h.policy.current(), wait_policy::spin) << when << ", " << stretch;
    }
  }
}

TEST(AutoWait, FollowsWaitsThatChange) {
  history h;
  h.waits(640, 10 * us);
  EXPECT_EQ(h.policy.current(), wait_policy::spin);
  h.waits(64, 5e-3);
  EXPECT_EQ(h.policy.current(), wait_policy::park) << "after two stretches";
  h.waits(64, 10 * us);
  EXPECT_EQ(h.policy.current(), wait_policy::spin);
}

/// 10,000 waits in which everything varies; gives the policies and reasons that follow each other.
std::vector<std::pair<wait_policy, std::string>> noisy(std::uint32_t seed) {
  history h;
  std::mt19937 random(seed);
  std::lognormal_distribution<double> waits(std::log(60 * us), 1.5);
  std::uniform_real_distribution<double> lengths(1 * us, 100 * us);
  std::vector<std::pair<wait_policy, std::string>> found;
  for (int i = 0; i < 10'000; ++i) {
    h.length(lengths(random));
    h.sums.lost_cores += random() % 1000 == 0 ? 1 : 0;
    h.wait(waits(random));
    if (found.empty() || found.back() != std::pair(h.policy.current(), h.policy.reason()))
      found.emplace_back(h.policy.current(), h.policy.reason());
  }
  return found;
}

TEST(AutoWait, TheSameHistoryGivesTheSameDecisionsInFewWords) {
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    const auto found = noisy(seed);
    EXPECT_EQ(found, noisy(seed));
    // Reasons become names in traces, so there must not be one for each stretch.
    std::vector<std::string> reasons;
    for (const auto& [policy, reason] : found) reasons.push_back(reason);
    std::sort(reasons.begin(), reasons.end());
    EXPECT_LE(std::unique(reasons.begin(), reasons.end()) - reasons.begin(), 20);
  }
}

TEST(WaitSums, VariationIsThatOfTheLengths) {
  wait_sums sums;
  EXPECT_EQ(sums.variation(), 0);
  for (const double length : {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}) {  // mean 5, standard deviation 2
    sums.lengths += 1;
    sums.length_seconds += length;
    sums.length_squares += length * length;
  }
  EXPECT_NEAR(sums.variation(), 0.4, 1e-12);
  const wait_sums twice = [&] {
    wait_sums both = sums;
    return both += sums;
  }();
  EXPECT_NEAR((twice - sums).variation(), 0.4, 1e-12);
  EXPECT_EQ((twice - sums).lengths, 8);
}

}  // namespace
}  // namespace maslin::grain
