#include "sched/grain/s_mgps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "sched/grain/feasible.hpp"
#include "sched/grain/simulated_phase.hpp"

namespace maslin::grain {
namespace {

/// Streams whose loops speed up as on a Cell (best at five workers), and hosts that contend a little.
double cell_like(configuration c, double) {
  constexpr double speedup[] = {0, 1, 1.75, 2.3, 2.7, 2.9, 2.75, 2.6, 2.5};
  return c.streams * speedup[std::min(c.width, 8)] / (1 + 0.03 * (c.streams - 1));
}
double streams_only(configuration c, double) { return c.streams * (1 + 0.1 * (c.width - 1)); }
double idle_is_faster(configuration c, double) {
  return std::min(1.0 * c.streams * c.width, 3.0) - 0.05 * std::max(0, c.streams * c.width - 4);
}

simulated_phase units(throughput_of w, int streams) {
  return {std::move(w), std::vector<double>(static_cast<std::size_t>(streams), 0.1)};
}

s_mgps decided(const throughput_of& w, int workers, int streams, grain::count by = grain::count::off_loads) {
  s_mgps grain({workers, streams}, by);
  simulate(grain, units(w, streams), workers);
  return grain;
}

double best_of(const throughput_of& w, int workers, int streams) {
  double best = 0;
  for (const configuration c : feasible(workers, streams, workers)) best = std::max(best, w(c, 0));
  return best;
}

TEST(Smgps, EightWorkersAndABestWidthOfFiveGiveSeventeenConfigurations) {
  const auto all = feasible(8, 100, 5);
  EXPECT_EQ(all.size(), 17u);
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](auto c) { return c.width == 1; }), 8);
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](auto c) { return c.width == 2; }), 4);
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](auto c) { return c.width == 5; }), 1);
  for (const auto c : all) EXPECT_LE(c.streams * c.width, 8);
}

TEST(Smgps, SamplesTheSeventeenAndTheWiderTeamsOfStepOneOnceEach) {
  const s_mgps grain = decided(cell_like, 8, 200);
  std::multiset<std::pair<int, int>> sampled;
  for (const auto& s : grain.samples()) sampled.insert({s.under.streams, s.under.width});
  for (const auto c : feasible(8, 100, 5))
    EXPECT_EQ(sampled.count({c.streams, c.width}), 1u) << c.streams << 'x' << c.width;
  EXPECT_EQ(sampled.size(), 17u + 3u);  // 1x6, 1x7, 1x8 belong to step 1 alone
  EXPECT_EQ(grain.chosen(), grain.current());
}

TEST(Smgps, BeginsWithOneStreamOnOneWorker) {
  const s_mgps grain({8, 100}, grain::count::off_loads);
  EXPECT_EQ(grain.current(), (configuration{1, 1}));
  EXPECT_TRUE(grain.sampling());
  EXPECT_FALSE(grain.chosen());
}

TEST(Smgps, ASampleIsOneUnitOfEachActiveStream) {
  s_mgps grain({8, 100}, grain::count::off_loads);
  EXPECT_FALSE(grain.rule().complete({.seconds = 100, .kernels = 1'000'000, .units = 2, .streams = 3}));
  EXPECT_TRUE(grain.rule().complete({.seconds = 0.001, .kernels = 1, .units = 3, .streams = 3}));
}

TEST(Smgps, WhereAllStreamsRunAtATimeASampleIsAnInterval) {
  s_mgps grain({8, 4}, grain::count::off_loads);
  EXPECT_TRUE(grain.rule().complete({.seconds = 0.1, .kernels = 800, .units = 0, .streams = 4}));
}

TEST(Smgps, WithoutNoiseTheBestConfigurationIsFound) {
  for (const throughput_of& w : {throughput_of(cell_like), throughput_of(streams_only), throughput_of(idle_is_faster)})
    for (const int workers : {2, 3, 4, 6, 8}) {
      const s_mgps grain = decided(w, workers, 200);
      ASSERT_TRUE(grain.chosen());
      EXPECT_NEAR(w(*grain.chosen(), 0), best_of(w, workers, 200), 1e-2) << workers;
    }
}

TEST(Smgps, AmongEqualsTheOneWithFewerWorkersWinsThenTheNarrower) {
  s_mgps grain({8, 100}, grain::count::off_loads);
  for (int i = 0; grain.sampling() && i < 100; ++i) grain.observe(simulated_slice(grain.current(), 1, 0.1));
  EXPECT_EQ(grain.chosen(), (configuration{1, 1}));
}

TEST(Smgps, OneWorkerNeedsNoSampling) {
  const s_mgps grain({1, 100}, grain::count::off_loads);
  EXPECT_FALSE(grain.sampling());
  EXPECT_EQ(grain.current(), (configuration{1, 1}));
}

TEST(Smgps, CountingOffLoadsIsMisledByUnbalancedTasksAndWeighingThemIsNot) {
  const auto choice = [](grain::count by) {
    s_mgps grain({2, 2}, by);
    for (int i = 0; grain.sampling() && i < 10; ++i) {
      const configuration c = grain.current();
      const double w = c.streams == 2 ? 1.9 : c.width == 2 ? 1.4 : 1.0;
      // A sample of 2x1 happens to hold few, heavy off-loads.
      const double light = c.streams == 2 ? 0.1 : 0.9;
      sample s = simulated_slice(c, w * light, 0.1, 10e-6);
      s.kernels.push_back(simulated_slice(c, w * (1 - light), 0.1, 100e-6).kernels[0]);
      grain.observe(s);
    }
    return grain.chosen();
  };
  EXPECT_EQ(choice(grain::count::work), (configuration{2, 1}));
  EXPECT_EQ(choice(grain::count::off_loads), (configuration{1, 2}));
}

TEST(Smgps, WithoutOffLoadsFinishedStreamsAreCounted) {
  s_mgps grain({2, 100}, grain::count::off_loads);
  for (int i = 0; grain.sampling() && i < 10; ++i) {
    sample s;
    s.under = grain.current();
    s.units = s.under.streams;
    s.seconds = 0.1;  // width does not help them, nor do they hinder each other
    grain.observe(s);
  }
  EXPECT_EQ(grain.chosen(), (configuration{2, 1}));
}

TEST(Smgps, WhenFewerStreamsAreLeftTheBestKnownForThatManyRuns) {
  s_mgps grain({8, 100}, grain::count::off_loads);
  const auto w = [](configuration c) { return c.streams * (1 + 0.6 * (c.width - 1)); };
  for (int i = 0; grain.sampling() && i < 100; ++i)
    grain.observe(simulated_slice(grain.current(), w(grain.current()), 0.1));
  EXPECT_EQ(grain.current(), (configuration{8, 1}));
  grain.streams_left(5);
  EXPECT_EQ(grain.current(), (configuration{4, 2}));
  grain.streams_left(1);
  EXPECT_EQ(grain.current(), (configuration{1, 8}));
  EXPECT_EQ(grain.chosen(), (configuration{8, 1}));
}

TEST(Smgps, FewerWorkersAreServedFromWhatIsKnown) {
  s_mgps grain({8, 100}, grain::count::off_loads);
  const auto run = [&] {
    int slices = 0;
    for (; grain.sampling() && slices < 100; ++slices)
      grain.observe(simulated_slice(grain.current(), streams_only(grain.current(), 0), 0.1));
    return slices;
  };
  run();
  EXPECT_EQ(grain.current(), (configuration{8, 1}));
  grain.resize(4);
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(grain.current(), (configuration{4, 1}));
}

TEST(SampleRule, ASliceBeginsWhenEveryStreamHasOffLoadedOrPatienceEnds) {
  const sample_rule rule;
  EXPECT_FALSE(rule.settled(4, 3, 0.0));
  EXPECT_TRUE(rule.settled(4, 4, 0.0));
  EXPECT_TRUE(rule.settled(4, 0, rule.patience_seconds));
}

TEST(SampleRule, ASliceEndsByTimeAndKernelsOrByFinishedStreamsOrWhenNothingMoves) {
  sample_rule rule;
  EXPECT_FALSE(rule.complete({.seconds = 1, .kernels = 199, .units = 3, .streams = 4}));
  EXPECT_TRUE(rule.complete({.seconds = 1, .kernels = 200, .units = 0, .streams = 4}));
  EXPECT_FALSE(rule.complete({.seconds = 0.01, .kernels = 100000, .units = 0, .streams = 4}));
  EXPECT_TRUE(rule.complete({.seconds = 0.01, .kernels = 0, .units = 4, .streams = 4}));
  rule.units_suffice = false;
  EXPECT_FALSE(rule.complete({.seconds = 0.01, .kernels = 0, .units = 4, .streams = 4}));
  EXPECT_TRUE(rule.complete({.seconds = 1, .kernels = 0, .units = 4, .streams = 4}));
  rule.at_most_seconds = 2;
  EXPECT_TRUE(rule.complete({.seconds = 2, .kernels = 0, .units = 0, .streams = 4}));
}

TEST(MeasuredSlices, EstimatesAreMeansWithTheErrorOfTheMean) {
  measured_slices slices;
  EXPECT_TRUE(slices.estimates().empty());
  for (const double throughput : {1.9, 2.1}) slices.add(simulated_slice({2, 1}, throughput, 1));
  slices.add(simulated_slice({1, 1}, 3, 1));
  EXPECT_EQ(slices.unit(), unit::work);
  const std::vector<phase_estimate> all = slices.estimates();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].under, (configuration{1, 1}));
  EXPECT_NEAR(all[0].throughput, 3, 1e-9);
  EXPECT_FALSE(all[0].error) << "a single sample does not say how sure it is";
  EXPECT_EQ(all[1].samples, 2);
  EXPECT_NEAR(all[1].throughput, 2, 1e-9);
  EXPECT_NEAR(all[1].error.value_or(0), 0.05, 1e-9);
}

}  // namespace
}  // namespace maslin::grain
