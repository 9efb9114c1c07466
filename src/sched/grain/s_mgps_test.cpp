#include "sched/grain/s_mgps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <set>

namespace maslin::grain {
namespace {

/// W(p, w) of a machine that is a formula.
using machine = std::function<double(configuration)>;

/// Streams whose loops speed up as on a Cell (best at five workers), and hosts that contend a little.
double cell_like(configuration c) {
  constexpr double speedup[] = {0, 1, 1.75, 2.3, 2.7, 2.9, 2.75, 2.6, 2.5};
  return c.streams * speedup[std::min(c.width, 8)] / (1 + 0.03 * (c.streams - 1));
}
double streams_only(configuration c) { return c.streams * (1 + 0.1 * (c.width - 1)); }
double memory_bound(configuration c) {
  const double asked = c.streams * std::pow(c.width, 0.8);
  return std::min(asked, 3.0) - 0.05 * (c.streams * c.width > 4 ? c.streams * c.width - 4 : 0);
}

sample slice_of(configuration under, double throughput, double seconds, double kernel_seconds = 20e-6) {
  sample s;
  s.under = under;
  s.seconds = seconds;
  kernel_record k;
  k.completed = static_cast<std::uint64_t>(std::llround(throughput * seconds / kernel_seconds));
  if (under.width == 1) {
    k.one_worker = k.completed;
    k.one_worker_seconds = static_cast<double>(k.completed) * kernel_seconds;
  }
  k.worker_seconds = static_cast<double>(k.completed) * kernel_seconds * under.width;
  s.kernels = {k};
  return s;
}

using noise = std::function<double(int slice)>;
double none(int) { return 1; }

struct outcome {
  configuration chosen;
  std::vector<phase_sample> samples;
  double seconds = 0;  // of sampling
  double lost = 0;     // seconds at the best throughput that the sampled work took longer
};

double best_of(const machine& w, int workers, std::int64_t streams) {
  double best = 0;
  for (const configuration c : feasible(workers, streams, workers)) best = std::max(best, w(c));
  return best;
}

outcome decide(const machine& w, int workers, std::int64_t streams, const noise& factor = none) {
  s_mgps grain(workers, streams);
  outcome o;
  const double best = best_of(w, workers, streams);
  for (int slice = 0; grain.sampling(); ++slice) {
    EXPECT_LT(slice, 10000);
    const configuration c = grain.current();
    EXPECT_LE(c.streams * c.width, workers);
    EXPECT_LE(c.streams, streams);
    const double seconds = grain.rule().seconds;
    o.seconds += seconds;
    o.lost += seconds * (1 - w(c) / best);
    grain.observe(slice_of(c, w(c) * factor(slice), seconds));
  }
  EXPECT_EQ(grain.chosen(), grain.current());
  o.chosen = grain.current();
  o.samples = grain.samples();
  return o;
}

double regret(const machine& w, int workers, std::int64_t streams, configuration chosen) {
  return best_of(w, workers, streams) / w(chosen) - 1;
}

TEST(Smgps, EightWorkersAndABestWidthOfFiveGiveSeventeenConfigurations) {
  const auto all = feasible(8, 100, 5);
  EXPECT_EQ(all.size(), 17u);
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](auto c) { return c.width == 1; }), 8);
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](auto c) { return c.width == 2; }), 4);
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](auto c) { return c.width == 5; }), 1);
  for (const auto c : all) EXPECT_LE(c.streams * c.width, 8);
}

TEST(Smgps, SamplesExactlyTheSeventeenAndTheWiderTeamsOfStepOne) {
  const outcome o = decide(cell_like, 8, 100);
  std::set<std::pair<int, int>> sampled;
  for (const auto& s : o.samples) sampled.insert({s.under.streams, s.under.width});
  for (const auto c : feasible(8, 100, 5))
    EXPECT_TRUE(sampled.count({c.streams, c.width})) << c.streams << 'x' << c.width;
  EXPECT_EQ(sampled.size(), 17u + 3u);  // 1x6, 1x7, 1x8 belong to step 1 alone
}

TEST(Smgps, BeginsWithOneStreamAndNoWiderThanOneWorker) {
  const s_mgps grain(8, 100);
  EXPECT_EQ(grain.current(), (configuration{1, 1}));
  EXPECT_TRUE(grain.sampling());
  EXPECT_FALSE(grain.chosen());
}

TEST(Smgps, WithoutNoiseTheBestConfigurationIsFound) {
  for (const auto& [w, name] : {std::pair<machine, const char*>{cell_like, "cell_like"},
                                {streams_only, "streams_only"},
                                {memory_bound, "memory_bound"}})
    for (const int workers : {2, 3, 4, 6, 8})
      for (const std::int64_t streams : {1, 2, 5, 100}) {
        const outcome o = decide(w, workers, streams);
        // Step 1 bounds the width; on these machines the best is never wider.
        EXPECT_NEAR(regret(w, workers, streams, o.chosen), 0, 1e-3) << name << ' ' << workers << ' ' << streams;
      }
}

TEST(Smgps, KeepsWorkersIdleWhereThatIsFaster) {
  const outcome o = decide(memory_bound, 8, 100);
  EXPECT_LT(o.chosen.streams * o.chosen.width, 8);
}

TEST(Smgps, AmongEqualsTheOneWithFewerWorkersWinsThenTheNarrower) {
  const auto flat = [](configuration) { return 1.0; };
  EXPECT_EQ(decide(flat, 8, 100).chosen, (configuration{1, 1}));
  const auto by_workers = [](configuration c) { return std::min(c.streams * c.width, 4) * 1.0; };
  EXPECT_EQ(decide(by_workers, 8, 100).chosen, (configuration{4, 1}));
}

TEST(Smgps, OneWorkerOrNothingToCompareNeedsNoSampling) {
  const s_mgps grain(1, 100);
  EXPECT_FALSE(grain.sampling());
  EXPECT_EQ(grain.current(), (configuration{1, 1}));
  EXPECT_TRUE(grain.samples().empty());
}

TEST(Smgps, OneStreamIsOnlyWidened) { EXPECT_EQ(decide(cell_like, 8, 1).chosen, (configuration{1, 5})); }

TEST(Smgps, NoiseOfThirtyPercentCostsLittle) {
  std::mt19937 random(1);
  double worst = 0;
  double sum = 0;
  int runs = 0;
  for (const machine& w : {machine(cell_like), machine(streams_only), machine(memory_bound)})
    for (const int workers : {2, 4, 8})
      for (int seed = 0; seed < 100; ++seed, ++runs) {
        std::uniform_real_distribution<double> factor(0.7, 1.3);
        const outcome o = decide(w, workers, 100, [&](int) { return factor(random); });
        const double r = regret(w, workers, 100, o.chosen);
        worst = std::max(worst, r);
        sum += r;
      }
  // No slice is wrong by more than a factor of 1.3/0.7, so no choice by medians can be.
  EXPECT_LE(worst, 1.3 / 0.7 - 1 + 1e-6);
  EXPECT_LE(sum / runs, 0.05);
  RecordProperty("mean_regret_ppm", static_cast<int>(1e6 * sum / runs));
  RecordProperty("worst_regret_ppm", static_cast<int>(1e6 * worst));
}

TEST(Smgps, OneWildSliceAnywhereDoesNotChangeTheChoice) {
  for (const double wild : {0.05, 0.3, 3.0})
    for (const int workers : {2, 4, 8}) {
      const outcome calm = decide(cell_like, workers, 100);
      for (int at = 0; at < static_cast<int>(calm.samples.size()); ++at) {
        const outcome o = decide(cell_like, workers, 100, [&](int slice) { return slice == at ? wild : 1.0; });
        EXPECT_EQ(o.chosen, calm.chosen) << wild << " at slice " << at << " of " << workers << " workers";
      }
    }
}

TEST(Smgps, SamplingTwoWorkersCostsUnderTwoPercentOfThirtyTwoReplicatesOfTwoSeconds) {
  for (const machine& w : {machine(cell_like), machine(streams_only)}) {
    const outcome o = decide(w, 2, 32);
    const double whole = 32 * 2.0 / best_of(w, 2, 32);
    EXPECT_LT(o.lost / whole, 0.02);
  }
}

TEST(Smgps, ManyWorkersAreSampledInBoundedTime) {
  for (const int workers : {64, 128}) {
    EXPECT_LE(feasible(workers, 1000, workers).size(), 400u);
    const outcome o = decide(streams_only, workers, 1000);
    EXPECT_EQ(o.chosen, (configuration{workers, 1}));
    EXPECT_LT(o.seconds, 10.0);
  }
}

TEST(Smgps, TheMixOfKernelsDoesNotMisleadIt) {
  // A slice of 2x1 happens to hold few, heavy kernels; counting off-loads would call it slow.
  s_mgps grain(2, 100);
  for (int slice = 0; grain.sampling(); ++slice) {
    const configuration c = grain.current();
    const double w = c.streams == 2 ? 1.9 : c.width == 2 ? 1.4 : 1.0;
    const bool heavy = c.streams == 2;
    sample light_part = slice_of(c, w * (heavy ? 0.1 : 0.9), 0.1, 10e-6);
    sample heavy_part = slice_of(c, w * (heavy ? 0.9 : 0.1), 0.1, 200e-6);
    light_part.kernels.push_back(heavy_part.kernels[0]);
    grain.observe(light_part);
  }
  EXPECT_EQ(grain.current(), (configuration{2, 1}));
}

TEST(Smgps, StreamsThatOffLoadNothingAreCountedAsTheyFinish) {
  s_mgps grain(4, 100);
  int slices = 0;
  for (; grain.sampling(); ++slices) {
    const configuration c = grain.current();
    sample s;
    s.under = c;
    s.units = c.streams;
    s.seconds = 0.1;  // width does not help them, nor do they hinder each other
    grain.observe(s);
  }
  EXPECT_EQ(grain.current(), (configuration{4, 1}));
  EXPECT_EQ(slices, 4 + 3) << "one slice each: four widths, then 2x1, 3x1, 4x1";
  EXPECT_DOUBLE_EQ(grain.samples().back().work, grain.samples().back().under.streams);
}

TEST(Smgps, WhenFewerStreamsAreLeftTheBestKnownForThatManyRuns) {
  s_mgps grain(8, 100);
  const machine w = [](configuration c) { return c.streams * (1 + 0.6 * (c.width - 1)); };
  while (grain.sampling()) grain.observe(slice_of(grain.current(), w(grain.current()), 0.1));
  EXPECT_EQ(grain.current(), (configuration{8, 1}));
  grain.streams_left(8);
  EXPECT_EQ(grain.current(), (configuration{8, 1}));
  grain.streams_left(5);
  EXPECT_EQ(grain.current(), (configuration{4, 2}));
  grain.streams_left(1);
  EXPECT_EQ(grain.current(), (configuration{1, 8}));
  EXPECT_EQ(grain.chosen(), (configuration{8, 1}));
}

TEST(Smgps, NeverAsksForMoreStreamsThanAreLeftWhileSampling) {
  s_mgps grain(8, 12);
  std::int64_t left = 12;
  for (int slice = 0; grain.sampling(); ++slice) {
    ASSERT_LT(slice, 1000);
    ASSERT_LE(grain.current().streams, left);
    grain.observe(slice_of(grain.current(), cell_like(grain.current()), 0.1));
    if (slice % 4 == 3 && left > 1) grain.streams_left(--left);
  }
  EXPECT_LE(grain.current().streams, left);
}

TEST(Smgps, ARaceThatTheEndOfThePhaseDecidesStillChoosesWhatWasMeasuredBest) {
  s_mgps grain(2, 20);
  while (grain.samples().size() < 7) grain.observe(slice_of(grain.current(), streams_only(grain.current()), 0.1));
  ASSERT_TRUE(grain.sampling());
  grain.streams_left(1);
  EXPECT_EQ(grain.chosen(), (configuration{2, 1}));
  EXPECT_EQ(grain.current(), (configuration{1, 2}));
}

TEST(Smgps, FewerWorkersAreServedFromWhatIsKnownAndMoreAreSampled) {
  s_mgps grain(8, 100);
  const auto run = [&](int workers) {
    std::set<std::pair<int, int>> asked;
    while (grain.sampling()) {
      const configuration c = grain.current();
      EXPECT_LE(c.streams * c.width, workers);
      asked.insert({c.streams, c.width});
      grain.observe(slice_of(c, streams_only(c), 0.1));
    }
    return asked;
  };
  run(8);
  EXPECT_EQ(grain.current(), (configuration{8, 1}));
  const std::size_t before = grain.samples().size();
  grain.resize(4);
  run(4);
  EXPECT_EQ(grain.current(), (configuration{4, 1}));
  EXPECT_LT(grain.samples().size() - before, 2 * feasible(4, 100, 4).size());
  grain.resize(12);
  EXPECT_TRUE(run(12).count({12, 1}));
  EXPECT_EQ(grain.current(), (configuration{12, 1}));
}

TEST(SampleRule, ASliceBeginsWhenEveryStreamHasOffLoadedOrPatienceEnds) {
  const sample_rule rule;
  EXPECT_FALSE(rule.settled(4, 3, 0.0));
  EXPECT_TRUE(rule.settled(4, 4, 0.0));
  EXPECT_TRUE(rule.settled(4, 0, rule.patience_seconds));
}

TEST(SampleRule, ASliceEndsByTimeAndKernelsOrByFinishedStreams) {
  const sample_rule rule;
  EXPECT_FALSE(rule.complete({.seconds = 1, .kernels = 199, .units = 3, .streams = 4}));
  EXPECT_TRUE(rule.complete({.seconds = 1, .kernels = 200, .units = 0, .streams = 4}));
  EXPECT_FALSE(rule.complete({.seconds = 0.01, .kernels = 100000, .units = 0, .streams = 4}));
  EXPECT_TRUE(rule.complete({.seconds = 0.01, .kernels = 0, .units = 4, .streams = 4}));
}

TEST(SampleRule, LaterPassesTakeLongerSlices) {
  s_mgps grain(2, 100);
  const double first = grain.rule().seconds;
  double longest = first;
  while (grain.sampling()) {
    longest = std::max(longest, grain.rule().seconds);
    grain.observe(slice_of(grain.current(), 1.0, 0.1));
  }
  EXPECT_GT(longest, first);
}

}  // namespace
}  // namespace maslin::grain
