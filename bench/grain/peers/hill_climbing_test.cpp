#include "hill_climbing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <set>

#include "sched/grain/simulated_phase.hpp"

namespace maslin::grain {
namespace {

using machine = std::function<double(configuration)>;

sample slice_of(configuration under, double throughput) { return simulated_slice(under, throughput, 0.1); }

configuration top(const machine& w, int workers, std::int64_t streams) {
  hill_climbing grain({workers, streams});
  for (int slice = 0; grain.sampling(); ++slice) {
    EXPECT_LT(slice, 10000);
    EXPECT_LE(grain.current().streams * grain.current().width, workers);
    grain.observe(slice_of(grain.current(), w(grain.current())));
  }
  EXPECT_EQ(grain.chosen(), grain.current());
  return grain.current();
}

double streams_only(configuration c) { return c.streams * (1 + 0.1 * (c.width - 1)); }
double teams_only(configuration c) { return c.width * (1 + 0.1 * (c.streams - 1)); }

TEST(HillClimbing, NeighboursAreOneStepAwayAndFit) {
  EXPECT_EQ(neighbours({8, 1}, 8, 100), (std::vector<configuration>{{7, 1}, {4, 2}}));
  EXPECT_EQ(neighbours({4, 2}, 8, 100), (std::vector<configuration>{{5, 1}, {3, 2}, {2, 3}, {4, 1}}));
  EXPECT_EQ(neighbours({1, 8}, 8, 100), (std::vector<configuration>{{2, 4}, {1, 7}}));
  EXPECT_EQ(neighbours({3, 1}, 8, 3), (std::vector<configuration>{{2, 1}, {3, 2}}));
  EXPECT_TRUE(neighbours({1, 1}, 1, 100).empty());
  for (int workers = 1; workers <= 64; ++workers)
    for (const std::int64_t streams : {1, 5, 100})
      for (int w = 1; w <= workers; ++w)
        for (int p = 1; p * w <= workers && p <= streams; ++p)
          for (const configuration c : neighbours({p, w}, workers, streams)) {
            ASSERT_GE(c.streams, 1);
            ASSERT_GE(c.width, 1);
            ASSERT_LE(c.streams, streams);
            ASSERT_LE(c.streams * c.width, workers);
          }
}

TEST(HillClimbing, BeginsWithAllStreamsAtWidthOne) {
  EXPECT_EQ(hill_climbing({8, 100}).current(), (configuration{8, 1}));
  EXPECT_EQ(hill_climbing({8, 3}).current(), (configuration{3, 1}));
  EXPECT_FALSE(hill_climbing({8, 3}).chosen());
}

TEST(HillClimbing, ASingleConfigurationIsChosenAtOnce) {
  EXPECT_EQ(hill_climbing({1, 100}).chosen(), (configuration{1, 1}));
}

TEST(HillClimbing, StaysAtTheFootIfThatIsTheTopAndSamplesOnlyTheNeighbours) {
  hill_climbing grain({8, 100});
  while (grain.sampling()) grain.observe(slice_of(grain.current(), streams_only(grain.current())));
  EXPECT_EQ(grain.chosen(), (configuration{8, 1}));
  EXPECT_EQ(grain.samples().size(), 3u);
}

TEST(HillClimbing, ClimbsToWhereNoNeighbourIsBetter) {
  EXPECT_EQ(top(teams_only, 8, 100), (configuration{1, 8}));
  EXPECT_EQ(top(streams_only, 8, 3), (configuration{3, 2}));
  EXPECT_EQ(top([](configuration c) { return -std::abs(c.streams * c.width - 3) + 100.0; }, 8, 100),
            (configuration{3, 1}));
}

TEST(HillClimbing, ALocalTopIsWhereItEnds) {
  // Four streams of two are worse than eight, two of four are better: the valley is not crossed.
  const machine valley = [](configuration c) { return c.width >= 4 ? 10.0 * c.width : c.width == 1 ? c.streams : 0.5; };
  EXPECT_EQ(top(valley, 8, 100), (configuration{8, 1}));
}

TEST(HillClimbing, NoConfigurationIsSampledTwice) {
  hill_climbing grain({16, 100});
  std::set<std::pair<int, int>> asked;
  while (grain.sampling()) {
    EXPECT_TRUE(asked.insert({grain.current().streams, grain.current().width}).second);
    grain.observe(slice_of(grain.current(), teams_only(grain.current())));
  }
}

TEST(HillClimbing, WithNoiseItEndsToo) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> factor(0.7, 1.3);
  for (int workers : {2, 8, 64})
    for (int run = 0; run < 50; ++run)
      top([&](configuration c) { return factor(random) * teams_only(c); }, workers, 100);
}

TEST(HillClimbing, StreamsThatOffLoadNothingAreCountedAsTheyFinish) {
  hill_climbing grain({4, 100});
  while (grain.sampling()) {
    const configuration c = grain.current();
    grain.observe({.under = c, .seconds = 0.1 / c.width, .kernels = {}, .units = 1});
  }
  EXPECT_EQ(grain.chosen(), (configuration{1, 4}));
}

TEST(HillClimbing, WhatIsTooLargeForTheStreamsLeftIsNotSampled) {
  hill_climbing grain({8, 9});
  grain.observe(slice_of(grain.current(), 8));
  for (std::int64_t left = 8; grain.sampling(); --left) {
    ASSERT_GE(left, 1);
    grain.streams_left(left);
    if (!grain.sampling()) break;
    ASSERT_LE(grain.current().streams, left);
    grain.observe(slice_of(grain.current(), teams_only(grain.current())));
  }
  EXPECT_TRUE(grain.chosen());
}

TEST(HillClimbing, OtherWorkersMeanAnotherHillAndWhatIsKnownCounts) {
  hill_climbing grain({8, 100});
  const auto run = [&] {
    int slices = 0;
    for (; grain.sampling(); ++slices) grain.observe(slice_of(grain.current(), streams_only(grain.current())));
    return slices;
  };
  EXPECT_EQ(run(), 3);
  grain.resize(4);
  EXPECT_LE(grain.current().streams * grain.current().width, 4);
  EXPECT_EQ(run(), 3);
  EXPECT_EQ(grain.chosen(), (configuration{4, 1}));
  grain.resize(8);
  EXPECT_EQ(run(), 0) << "all of it was measured before";
  EXPECT_EQ(grain.chosen(), (configuration{8, 1}));
}

}  // namespace
}  // namespace maslin::grain
