#include "ucb.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>

#include "sched/grain/feasible.hpp"
#include "sched/grain/simulated_phase.hpp"

namespace maslin::grain {
namespace {

sample slice_of(configuration under, double throughput) { return simulated_slice(under, throughput, 0.1); }

double streams_only(configuration c) { return c.streams * (1 + 0.1 * (c.width - 1)); }

using plays = std::map<std::pair<int, int>, int>;

plays play(ucb& grain, int slices, const std::function<double(configuration)>& w) {
  plays all;
  for (int i = 0; i < slices; ++i) {
    const configuration c = grain.current();
    ++all[{c.streams, c.width}];
    grain.observe(slice_of(c, w(c)));
  }
  return all;
}

TEST(Ucb, EveryFeasibleConfigurationIsPlayedOnceFirst) {
  for (const int workers : {2, 8, 64}) {
    ucb grain({workers, 100});
    const auto arms = feasible(workers, 100, workers);
    const plays seen = play(grain, static_cast<int>(arms.size()), streams_only);
    EXPECT_EQ(seen.size(), arms.size());
    for (const configuration c : arms) EXPECT_EQ(seen.count({c.streams, c.width}), 1u);
  }
}

TEST(Ucb, TheBestArmIsPlayedMostAndTheOthersNeverStop) {
  ucb grain({4, 100});
  play(grain, 200, streams_only);
  const plays later = play(grain, 20000, streams_only);
  const int best = later.at({4, 1});
  for (const auto& [arm, count] : later) {
    if (arm == std::pair(4, 1)) continue;
    EXPECT_LT(count, best / 4) << arm.first << 'x' << arm.second;
  }
  EXPECT_EQ(later.size(), feasible(4, 100, 4).size());
  EXPECT_TRUE(grain.sampling());
  EXPECT_FALSE(grain.chosen());
}

TEST(Ucb, TheRegretOfTwoArmsIsWithinTheTheorem) {
  // Two arms, rewards 1 and 1/2: the worse is played at most 8 ln n / (1/2)^2 + 1 + pi^2 / 3 times in the mean.
  ucb grain({2, 1});
  ASSERT_EQ(feasible(2, 1, 2).size(), 2u);
  const int n = 5000;
  const plays seen = play(grain, n, [](configuration c) { return c.width == 2 ? 2.0 : 1.0; });
  EXPECT_LE(seen.at({1, 1}), 8 * std::log(n) / 0.25 + 1 + std::acos(-1) * std::acos(-1) / 3);
  EXPECT_GT(seen.at({1, 1}), 10) << "and it is not given up either";
}

TEST(Ucb, RewardsAreSharesOfTheLargestSoThatTheirUnitDoesNotMatter) {
  ucb slow({4, 100});
  ucb fast({4, 100});
  EXPECT_EQ(play(slow, 1000, streams_only), play(fast, 1000, [](auto c) { return 1000 * streams_only(c); }));
}

TEST(Ucb, NoiseOfThirtyPercentLeavesTheBestArmInFront) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> factor(0.7, 1.3);
  ucb grain({4, 100});
  const plays seen = play(grain, 20000, [&](auto c) { return factor(random) * streams_only(c); });
  for (const auto& [arm, count] : seen) {
    if (arm == std::pair(4, 1)) continue;
    EXPECT_LT(count, seen.at({4, 1}));
  }
}

TEST(Ucb, ArmsTooLargeForTheStreamsLeftAreNotPlayed) {
  ucb grain({8, 100});
  play(grain, 100, streams_only);
  grain.streams_left(3);
  for (int i = 0; i < 200; ++i) {
    ASSERT_LE(grain.current().streams, 3);
    grain.observe(slice_of(grain.current(), streams_only(grain.current())));
  }
  EXPECT_TRUE(grain.sampling());
}

TEST(Ucb, OneArmNeedsNoPlays) {
  const ucb grain({1, 100});
  EXPECT_FALSE(grain.sampling());
  EXPECT_EQ(grain.chosen(), (configuration{1, 1}));
}

TEST(Ucb, OtherWorkersHaveOtherArmsAndWhatStaysIsNotForgotten) {
  ucb grain({4, 100});
  play(grain, 100, streams_only);
  grain.resize(2);
  EXPECT_EQ(grain.samples().size(), feasible(2, 100, 2).size()) << "these were played";
  play(grain, 10, streams_only);
  grain.resize(8);
  const std::size_t arms = feasible(8, 100, 8).size();
  const std::size_t fresh = arms - feasible(4, 100, 4).size();
  const plays seen = play(grain, static_cast<int>(fresh), streams_only);
  EXPECT_EQ(seen.size(), fresh) << "each that was never played, and none other";
  EXPECT_EQ(grain.samples().size(), arms);
}

TEST(Ucb, StreamsThatOffLoadNothingAreCountedAsTheyFinish) {
  ucb grain({2, 100});
  plays seen;
  for (int i = 0; i < 2000; ++i) {
    const configuration c = grain.current();
    ++seen[{c.streams, c.width}];
    grain.observe({.under = c, .seconds = 0.1, .kernels = {}, .units = c.streams});
  }
  EXPECT_GT(seen.at({2, 1}), 1000);
}

TEST(Ucb, WhatIsNoArmOrHasNoDurationChangesNothing) {
  ucb grain({2, 100});
  grain.observe({.under = {1, 1}, .seconds = 0, .kernels = {}, .units = 1});
  grain.observe(slice_of({7, 7}, 1));
  EXPECT_TRUE(grain.samples().empty());
  EXPECT_EQ(grain.current(), (configuration{1, 1}));
}

TEST(Ucb, SamplesAreOneAnArmHoweverLongThePhase) {
  ucb grain({4, 100});
  play(grain, 5000, streams_only);
  double seconds = 0;
  for (const phase_sample& s : grain.samples()) seconds += s.seconds;
  EXPECT_EQ(grain.samples().size(), feasible(4, 100, 4).size());
  EXPECT_NEAR(seconds, 500, 1e-6);
}

}  // namespace
}  // namespace maslin::grain
