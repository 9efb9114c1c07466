#include "sched/grain/automatic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <utility>

#include "sched/grain/feasible.hpp"
#include "sched/grain/s_mgps.hpp"
#include "sched/grain/simulated_phase.hpp"

namespace maslin::grain {
namespace {

double square(double x) { return x * x; }
double mean_width(configuration c) { return c.width + static_cast<double>(c.wider) / c.streams; }
double amdahl(double width, double serial) { return 1 / (serial + (1 - serial) / width); }

// Machines that are formulas: W of a configuration on so many workers.
throughput_of streams_scale(int) {
  return [](configuration c, double) { return c.streams * amdahl(mean_width(c), 0.5); };
}
throughput_of streams_contend(int workers) {
  return [workers](configuration c, double) {
    return c.streams * amdahl(mean_width(c), 0.05) / (1 + 0.8 * (c.streams - 1.0) / workers);
  };
}
throughput_of memory_bound(int workers) {
  return [workers](configuration c, double) {
    const double busy = c.streams * mean_width(c);
    return std::min(c.streams * amdahl(mean_width(c), 0.02), workers * 0.4) /
           (1 + 0.6 * std::max(0.0, busy / workers - 0.4));
  };
}
throughput_of medium_width(int workers) {
  return [workers](configuration c, double) {
    const double off = std::log2(mean_width(c)) - std::log2(workers) / 3;
    return c.streams * mean_width(c) * std::exp(-0.15 * off * off);
  };
}
const std::pair<const char*, throughput_of (*)(int)> machines[] = {{"streams_scale", streams_scale},
                                                                   {"streams_contend", streams_contend},
                                                                   {"memory_bound", memory_bound},
                                                                   {"medium_width", medium_width}};

simulated_phase phase_of(throughput_of w, int streams, double each = 1) {
  return {std::move(w), std::vector<double>(static_cast<std::size_t>(streams), each)};
}

double best_fixed(const simulated_phase& phase, int workers) {
  double best = 1e300;
  for (const configuration c : feasible(workers, static_cast<std::int64_t>(phase.streams.size()), workers)) {
    fixed pinned(c);
    best = std::min(best, simulate(pinned, phase, workers).seconds);
  }
  return best;
}

double regret(const simulated_phase& phase, int workers, const std::vector<knowledge>& before = {}) {
  automatic grain({workers, static_cast<std::int64_t>(phase.streams.size()), 0, before});
  return simulate(grain, phase, workers).seconds / best_fixed(phase, workers) - 1;
}

std::function<double(int)> noisy(double sd, unsigned seed, double outliers = 0) {
  return [random = std::mt19937(seed), normal = std::normal_distribution<double>(0, sd),
          uniform = std::uniform_real_distribution<double>(0, 1), outliers](int) mutable {
    const double wild = uniform(random) < outliers ? (uniform(random) < 0.5 ? 0.3 : 2) : 1;
    return wild * std::exp(normal(random));
  };
}

TEST(Automatic, WithSixtyFourUnitsOrMoreItIsWithinTwoPercentOfTheBestFixedInTheMean) {
  double sum = 0;
  int runs = 0;
  for (const auto& [name, make] : machines)
    for (const int workers : {2, 8, 16, 64})
      for (const int streams : {64, 256}) {
        simulated_phase phase = phase_of(make(workers), streams);
        phase.noise = noisy(0.03, 1);
        const double r = regret(phase, workers);
        EXPECT_LE(r, 0.1) << name << ' ' << workers << " workers, " << streams << " streams";
        sum += r, ++runs;
      }
  EXPECT_LE(sum / runs, 0.02);
}

TEST(Automatic, WithSixteenUnitsItIsWithinFivePercentInTheMean) {
  double sum = 0;
  int runs = 0;
  for (const auto& [name, make] : machines)
    for (const int workers : {2, 8, 16, 64}) {
      simulated_phase phase = phase_of(make(workers), 16, 4);
      phase.noise = noisy(0.03, 2);
      const double r = regret(phase, workers);
      EXPECT_LE(r, 0.1) << name << ' ' << workers;
      sum += r, ++runs;
    }
  EXPECT_LE(sum / runs, 0.05);
}

TEST(Automatic, WhatAnEarlierRunLearnedIsUsedAtOnce) {
  double sum = 0;
  int runs = 0;
  for (const auto& [name, make] : machines)
    for (const int workers : {2, 8, 64}) {
      simulated_phase phase = phase_of(make(workers), 64, 4);
      phase.noise = noisy(0.03, 3);
      automatic first({workers, 64});
      simulate(first, phase, workers);
      sum += regret(phase, workers, {first.learned()});
      ++runs;
    }
  EXPECT_LE(sum / runs, 0.01);
}

TEST(Automatic, WhatWasLearnedOfAnotherInputDoesNotMislead) {
  const knowledge other{1.0, {{{1, 8}, 100}, {{8, 1}, 1}}};
  automatic grain({8, 200, 0, {other}});
  EXPECT_EQ(grain.current(), (configuration{1, 8}));
  const simulated_phase phase = phase_of(streams_scale(8), 200);
  simulate(grain, phase, 8);
  EXPECT_EQ(grain.chosen(), (configuration{8, 1}));
}

// An earlier run may have learned from its last streams alone: few and wide, and nothing else.
TEST(Automatic, AllStreamsThatFitStayACandidateWhateverWasLearned) {
  for (const int workers : {8, 64, 128})
    for (const double as_if : {0.1, 1.0, 10.0}) {
      const configuration few{3, workers / 3};
      const throughput_of w = streams_scale(workers);
      automatic grain({workers, 300, 0, {{1.0, {{few, as_if * w(few, 0)}}}}});
      simulate(grain, phase_of(w, 300), workers);
      const configuration most{workers, 1};
      EXPECT_EQ(grain.chosen(), most) << workers << " workers, learned " << as_if << " of what is so";
    }
}

TEST(Automatic, SamplingCostsAtMostAThirdOfWhatExhaustiveSamplingDoes) {
  for (const auto& [name, make] : machines) {
    const simulated_phase phase = phase_of(make(8), 256);
    automatic grain({8, 256});
    s_mgps exhaustive({8, 256}, grain::count::work);
    const simulated_run a = simulate(grain, phase, 8);
    const simulated_run e = simulate(exhaustive, phase, 8);
    EXPECT_LT(a.lost, e.lost / 3) << name;
  }
}

TEST(Automatic, NoiseOfThirtyPercentAndOneOutlierInTenCostLittle) {
  double sum = 0;
  int runs = 0;
  for (const auto& [name, make] : machines)
    for (const int workers : {2, 8, 64})
      for (unsigned seed = 0; seed < 5; ++seed) {
        simulated_phase phase = phase_of(make(workers), 128, 2);
        phase.noise = noisy(0.3, seed, 0.1);
        const double r = regret(phase, workers);
        EXPECT_LE(r, 0.5) << name << ' ' << workers << " seed " << seed;
        sum += r, ++runs;
      }
  EXPECT_LE(sum / runs, 0.1);
  RecordProperty("mean_regret_ppm", static_cast<int>(1e6 * sum / runs));
}

TEST(Automatic, WhereTheShapeChangesHalfWayItIsFasterThanEveryFixedConfiguration) {
  for (const int workers : {2, 8, 16, 64}) {
    const auto w = [workers](configuration c, double done) {
      if (done < 0.5) return c.streams * amdahl(mean_width(c), 0.5);
      return c.streams * amdahl(mean_width(c), 0.01) / (1 + 3.0 * (c.streams - 1.0) / workers);
    };
    EXPECT_LT(regret(phase_of(w, 256), workers), -0.02) << workers;
  }
}

TEST(Automatic, DriftOfAllThroughputAlikeCostsLittle) {
  const auto w = [](configuration c, double done) { return streams_contend(8)(c, done) * (1 - 0.5 * done); };
  EXPECT_LE(regret(phase_of(w, 128), 8), 0.05);
}

TEST(Automatic, AConfigurationInWhichNothingMovesIsGivenUp) {
  const auto w = [](configuration c, double) { return c.streams == 4 && c.width == 2 ? 1e-3 : medium_width(8)(c, 0); };
  EXPECT_LE(regret(phase_of(w, 128), 8), 0.1);
}

TEST(Automatic, AmongEqualsItStaysWhereItIs) {
  const auto flat = [](configuration, double) { return 1.0; };
  EXPECT_LE(regret(phase_of(flat, 128, 0.1), 8), 0.01);
}

TEST(Automatic, WithFewerStreamsThanRunAtATimeTheRestGetTheFreedWorkers) {
  automatic grain({16, 48});
  const auto w = [](configuration c) { return c.streams * amdahl(mean_width(c), 0.5); };
  double now = 0;
  for (int i = 0; i < 1000 && !grain.chosen(); ++i) {
    sample s = simulated_slice(grain.current(), w(grain.current()), grain.rule().seconds);
    s.at = now += s.seconds;
    grain.observe(s);
  }
  ASSERT_EQ(grain.chosen(), (configuration{16, 1}));
  grain.streams_left(3);
  EXPECT_EQ(grain.current(), (configuration{3, 5, 1}));  // 6, 5, 5
  grain.streams_left(1);
  EXPECT_EQ(grain.current(), (configuration{1, 16}));
  EXPECT_EQ(grain.chosen(), (configuration{16, 1}));
}

TEST(Automatic, UnevenEndsAreFasterThanEveryFixedConfiguration) {
  for (const int trajectories : {6, 14}) {
    simulated_phase phase{streams_contend(8), {}};
    for (int i = 0; i < trajectories; ++i) phase.streams.push_back(1 + 0.4 * (i % 5));
    automatic grain({8, trajectories});
    EXPECT_LT(simulate(grain, phase, 8).seconds, best_fixed(phase, 8)) << trajectories;
  }
}

TEST(Automatic, TheSameObservationsGiveTheSameDecisions) {
  automatic a({16, 100});
  automatic b({16, 100});
  const auto noise = noisy(0.1, 7);
  for (int i = 0; i < 300; ++i) {
    ASSERT_EQ(a.current(), b.current()) << i;
    ASSERT_EQ(a.rule().seconds, b.rule().seconds) << i;
    sample s = simulated_slice(a.current(), streams_contend(16)(a.current(), 0) * noise(i), a.rule().seconds);
    s.at = 0.01 * (i + 1);
    s.silent = i % 7;
    s.without_cpu = 0.1 * (i % 4);
    a.observe(s);
    b.observe(s);
    if (i % 10 == 9) a.streams_left(100 - i / 10), b.streams_left(100 - i / 10);
  }
}

// What an earlier run learned is a reason to try a configuration, never to choose it: this one must have seen it.
TEST(Automatic, WhatItChoosesItHasSampled) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const std::vector<knowledge> before{{0, {{{4, 2}, 1.0}, {{8, 1}, 0.98}, {{2, 4}, 0.96}, {{1, 8}, 0.9}}}};
    automatic grain({8, 12, 0, before});
    std::mt19937 random(seed);
    std::lognormal_distribution<double> wild(0, 0.6);
    for (int i = 0; i < 60; ++i) {
      sample s = simulated_slice(grain.current(), wild(random), grain.rule().seconds);
      s.at = 0.01 * (i + 1);
      grain.observe(s);
      if (i % 10 == 9) grain.streams_left(12 - 2 * (i / 10));
      const auto chosen = grain.chosen();
      const auto seen = grain.samples();
      ASSERT_TRUE(!chosen || std::any_of(seen.begin(), seen.end(), [&](auto& x) { return x.under == *chosen; }))
          << "seed " << seed << ", slice " << i << ": " << chosen->streams << "x" << chosen->width;
    }
  }
}

/// Passes everything on to `auto`, and looks at what it says of its choice each time.
class watched final : public controller {
 public:
  explicit watched(const situation& begin) : of_(begin) {}
  configuration current() const override { return of_.current(); }
  std::optional<configuration> chosen() const override { return of_.chosen(); }
  bool sampling() const override { return of_.sampling(); }
  sample_rule rule() const override { return of_.rule(); }
  void streams_left(std::int64_t left) override { of_.streams_left(left), look(); }
  void resize(int workers) override { of_.resize(workers); }
  void observe(const sample& slice) override { of_.observe(slice), look(); }
  knowledge learned() const override { return of_.learned(); }

  int choices = 0;  ///< looked at, with something to compare them with

 private:
  void look() {
    const std::vector<phase_estimate> all = of_.estimates();
    for (std::size_t i = 1; i < all.size(); ++i) ASSERT_GE(all[i - 1].throughput, all[i].throughput);
    if (!of_.chosen()) return;
    const auto chosen = std::ranges::find(all, *of_.chosen(), &phase_estimate::under);
    ASSERT_NE(chosen, all.end()) << "nothing is said of what was chosen";
    ASSERT_GE(chosen->throughput, all.front().throughput * (1 - 0.005)) << "something else is said to be better";
    choices += all.size() > 1;
  }

  automatic of_;
};

TEST(Automatic, NothingThatItKnowsIsMoreThanHalfAPercentBetterThanWhatItChose) {
  int choices = 0;
  for (const auto& [name, make] : machines)
    for (const int workers : {2, 8, 16})
      for (const int streams : {5, 24, 101})
        for (const unsigned seed : {1u, 2u, 3u}) {
          simulated_phase phase = phase_of(make(workers), streams, 2);
          phase.noise = noisy(0.1, seed, 0.05);
          for (auto& one : phase.streams) one *= 1 + 0.1 * static_cast<double>(&one - phase.streams.data()) / streams;
          watched first({workers, streams});
          simulate(first, phase, workers);
          watched second({workers, streams, 0, {first.learned()}});
          simulate(second, phase, workers);
          choices += first.choices + second.choices;
          ASSERT_FALSE(testing::Test::HasFatalFailure()) << name << ' ' << workers << ' ' << streams << ' ' << seed;
        }
  EXPECT_GT(choices, 1000);
}

TEST(Automatic, SaysWhatItKnowsFromAnEarlierRun) {
  const knowledge before{0, {{{8, 1}, 4.0}, {{4, 2}, 2.0}}};
  const automatic grain({8, 100, 0, {before}});
  const std::vector<phase_estimate> all = grain.estimates();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].under, (configuration{8, 1}));
  EXPECT_NEAR(all[0].throughput / all[1].throughput, 2, 0.1);
  for (const phase_estimate& e : all) {
    EXPECT_EQ(e.samples, 0);
    EXPECT_GT(e.error.value_or(0), 0);
  }
}

// What the last streams are too few for is still part of what was decided by.
TEST(Automatic, KeepsWhatItKnewWhenTheLastStreamsAreTooFewForIt) {
  automatic grain({8, 40});
  const auto observe = [&](double at) {
    sample s = simulated_slice(grain.current(), streams_contend(8)(grain.current(), 0), grain.rule().seconds);
    s.at = at;
    grain.observe(s);
  };
  observe(0.003);
  ASSERT_FALSE(grain.chosen());
  const std::vector<phase_estimate> before = grain.estimates();
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(before[0].under, (configuration{8, 1}));
  grain.streams_left(3);
  observe(0.006);
  ASSERT_EQ(grain.estimates().size(), 1u);
  EXPECT_EQ(grain.estimates()[0].under, (configuration{8, 1}));
  EXPECT_EQ(grain.estimates()[0].throughput, before[0].throughput);
}

/// A slice as a phase's machine says it, so many seconds after the last.
void observe_next(
    automatic& grain, double& now, double throughput, double kernel_seconds = 50e-6,
    const std::function<void(sample&)>& also = [](sample&) {}) {
  sample s = simulated_slice(grain.current(), throughput, grain.rule().seconds, kernel_seconds);
  s.at = now += s.seconds;
  also(s);
  grain.observe(s);
}

// Where memory bounds a kernel, its time on one worker is another one in every configuration. So kernels a second say
// whether an earlier run had the same input.
TEST(Automatic, AnEarlierRunHadTheSameInputIfItsKernelsAreAsFast) {
  const configuration all{8, 1};
  const configuration few{2, 1};
  const double here = 4;
  struct {
    double kernel_seconds, throughput;
    bool is_same;
  } const earlier[] = {{50e-6, here, true},        {200e-6, 4 * here, true},  {50e-6 / 4, here / 4, true},
                       {200e-6, here, false},      {50e-6 / 4, here, false},  {50e-6 * 1.3, here, true},
                       {50e-6, 2.5 * here, false}, {50e-6, here / 2.5, false}};
  for (const auto& was : earlier) {
    const knowledge before{was.kernel_seconds, {{{all, was.throughput}, {few, 3 * was.throughput}}}};
    automatic grain({8, 1000, 0, {before}});
    sample first = simulated_slice(all, here, 0.05);
    first.at = 0.05;
    grain.observe(first);
    const std::vector<phase_estimate> known = grain.estimates();
    const bool knows_few = std::ranges::find(known, few, &phase_estimate::under) != known.end();
    EXPECT_EQ(knows_few, was.is_same) << was.kernel_seconds << " s a kernel, throughput " << was.throughput;
  }
}

// Without what runs the most workers the next run would try that again.
TEST(Automatic, TheConfigurationOfMostWorkersIsRememberedHoweverSlowItIs) {
  constexpr int workers = 64;
  automatic grain({workers, 4000});
  double now = 0;
  const auto w = [](configuration c) { return 8 / (1 + 0.02 * std::abs(c.streams * mean_width(c) - 12)); };
  for (int i = 0; i < 400; ++i) observe_next(grain, now, w(grain.current()));
  std::vector<configuration> seen;
  for (const phase_sample& s : grain.samples())
    if (std::ranges::find(seen, s.under) == seen.end()) seen.push_back(s.under);
  const knowledge learned = grain.learned();
  ASSERT_GT(seen.size(), learned.best.size()) << "all that was seen is kept, so this proves nothing";
  const configuration most{workers, 1};
  EXPECT_NE(std::ranges::find(learned.best, most, &knowledge::known::under), learned.best.end());
  EXPECT_NE(learned.best.front().under, most);
}

// What rounding leaves of streams' own code says nothing of the pace of that.
TEST(Automatic, OwnCodeThatIsNextToNothingHasNoPace) {
  const auto chosen_with = [](double own) {
    automatic grain({8, 1000});
    double now = 0;
    double own_so_far = 0;
    std::vector<kernel_record> so_far;
    for (int i = 0; i < 40; ++i) {
      const configuration c = grain.current();
      observe_next(grain, now, streams_scale(8)(c, 0), 50e-6, [&](sample& s) {
        // Much more of it in one configuration than in the others.
        s.own_seconds = own * (c.streams == 8 ? 16 : 1) * s.seconds;
        s.own_so_far = own_so_far += s.own_seconds;
        accumulate(so_far, s.kernels);
        s.kernels_so_far = so_far;
      });
    }
    std::vector<std::pair<configuration, double>> all;
    for (const phase_estimate& e : grain.estimates()) all.emplace_back(e.under, e.throughput);
    return all;
  };
  const auto without = chosen_with(0);
  const auto with = chosen_with(1e-5);
  ASSERT_EQ(with.size(), without.size());
  for (std::size_t i = 0; i < with.size(); ++i) {
    EXPECT_EQ(with[i].first, without[i].first);
    EXPECT_NEAR(with[i].second / without[i].second, 1, 1e-3);
  }
  EXPECT_NE(chosen_with(0.5).front().second, without.front().second);
}

// Streams that do not come to an off-load keep their places, so fewer at a time would have the others stand aside and
// nothing else.
TEST(Automatic, ConfigurationsOfFewerStreamsThanKeepTheirPlacesAreNotTried) {
  constexpr int silent = 5;
  const auto fewest_streams = [](int of_them_silent, std::int64_t ended) {
    automatic grain({8, 400});
    double now = 0;
    int fewest = 8;
    for (int i = 0; i < 60; ++i) {
      observe_next(grain, now, memory_bound(8)(grain.current(), 0), 50e-6, [&](sample& s) {
        s.silent = of_them_silent;
        s.units = ended;
      });
      fewest = std::min(fewest, grain.current().streams);
    }
    return fewest;
  };
  EXPECT_GE(fewest_streams(silent, 0), silent);
  EXPECT_LT(fewest_streams(0, 0), silent);
  EXPECT_LT(fewest_streams(silent, 1), silent) << "those that end soon make room";
}

/// A slice in which others had the CPUs for a share of the time.
sample disturbed_slice(configuration c, double throughput, double seconds, double share) {
  sample s = simulated_slice(c, throughput * (1 - share), seconds);
  for (kernel_record& k : s.kernels) {  // each of its kernels took longer
    k.one_worker_seconds /= 1 - share;
    k.worker_seconds /= 1 - share;
  }
  return s;
}

TEST(Automatic, WhatOthersHadOfTheCpusDoesNotSpeakAgainstAConfiguration) {
  const auto wrong = [](bool is_told) {
    int runs = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
      std::mt19937 random(seed);
      std::uniform_real_distribution<double> share(0, 0.7);
      automatic grain({2, 400});
      double now = 0;
      for (int i = 0; i < 60; ++i) {
        const double taken = share(random);
        sample s = disturbed_slice(grain.current(), streams_scale(2)(grain.current(), 0), grain.rule().seconds, taken);
        s.without_cpu = is_told ? taken : 0;
        s.at = now += s.seconds;
        grain.observe(s);
      }
      runs += grain.current() != configuration{2, 1};
    }
    return runs;
  };
  EXPECT_EQ(wrong(true), 0);
  EXPECT_GT(wrong(false), 0) << "this proves nothing";
}

// Wider streams may be best there, too: they are tried later.
TEST(Automatic, WhereLibrariesGainByWidthThatIsFound) {
  for (const auto& [name, make] : machines)
    for (const int workers : {2, 8, 64}) {
      simulated_phase phase = phase_of(make(workers), 512);
      phase.noise = noisy(0.03, 1);
      automatic grain({workers, 512, 0, {}, true});
      EXPECT_LE(simulate(grain, phase, workers).seconds, 1.05 * best_fixed(phase, workers)) << name << ' ' << workers;
    }
}

/// Streams take jobs from one queue, each an off-load that no team makes shorter, until none is left. Gives the
/// seconds.
double run_jobs(controller& grain, const std::vector<double>& jobs, int streams) {
  std::vector<double> free_at(static_cast<std::size_t>(streams), 0);
  sample slice;
  double began = 0;
  const auto begin_slice = [&](double now) {
    slice = {};
    slice.under = grain.current();
    slice.kernels.resize(1);
    began = now;
  };
  begin_slice(0);
  std::vector<kernel_record> so_far(1);
  for (const double job : jobs) {
    const auto running = free_at.begin() + std::min(streams, grain.current().streams);
    const auto first = std::min_element(free_at.begin(), running);
    const double now = *first += job;
    for (auto aside = running; aside != free_at.end(); ++aside) *aside = std::max(*aside, now);
    const kernel_record one{1, 1, 0, 1, job, job * grain.current().width, job, square(job * grain.current().width)};
    accumulate(slice.kernels, std::vector{one});
    accumulate(so_far, std::vector{one});
    slice.seconds = now - began;
    if (!grain.sampling() ||
        !grain.rule().complete({slice.seconds, static_cast<std::int64_t>(slice.kernels[0].executions), 0,
                                std::min(streams, grain.current().streams)}))
      continue;
    slice.at = now;
    slice.kernels_so_far = so_far;
    grain.observe(slice);
    begin_slice(now);
  }
  return *std::max_element(free_at.begin(), free_at.end());
}

// What joblib hands out: few, long, and some a hundred times as long as others.
TEST(Automatic, FewJobsOfUnequalLengthDoNotMislead) {
  for (const double sd : {0.0, 0.5, 1.0, 1.5}) {
    double sum = 0;
    constexpr int runs = 200;
    for (unsigned seed = 0; seed < runs; ++seed) {
      std::mt19937 random(seed);
      std::lognormal_distribution<double> seconds(std::log(0.02), sd);
      std::vector<double> jobs(64);
      for (double& job : jobs) job = seconds(random);
      automatic grain({2, 2, 0, {}, true});
      fixed both({2, 1});
      sum += run_jobs(grain, jobs, 2) / run_jobs(both, jobs, 2) - 1;
    }
    EXPECT_LE(sum / runs, 0.1) << sd;
  }
}

TEST(Automatic, OneWorkerNeedsNoSampling) {
  const automatic grain({1, 100});
  EXPECT_FALSE(grain.sampling());
  EXPECT_EQ(grain.current(), (configuration{1, 1}));
  EXPECT_EQ(grain.chosen(), grain.current());
}

TEST(Automatic, OtherWorkersAreServedFromWhatIsKnown) {
  automatic grain({8, 100});
  for (int i = 0; i < 100; ++i) {
    sample s = simulated_slice(grain.current(), streams_scale(8)(grain.current(), 0), grain.rule().seconds);
    s.at = 0.01 * (i + 1);
    grain.observe(s);
  }
  for (const int workers : {3, 8, 64, 1}) {
    grain.resize(workers);
    EXPECT_LE(busy(grain.current()), workers);
  }
}

// A second phase takes workers away: what was measured on them is no part of what is expected, decided and learned.
TEST(Automatic, WhatNeedsMoreWorkersThanThereAreSaysNothing) {
  for (const int later : {2, 3, 4, 6}) {
    automatic grain({8, 1000});
    double now = 0;
    const auto observe = [&](int workers, int slices) {
      for (int i = 0; i < slices; ++i) {
        sample s =
            simulated_slice(grain.current(), streams_scale(workers)(grain.current(), 0) * (1 + 0.02 * std::sin(i)),
                            grain.rule().seconds);
        s.at = now += s.seconds;
        grain.observe(s);
      }
    };
    observe(8, 20);
    grain.resize(later);
    observe(later, 60);
    EXPECT_EQ(grain.chosen(), (configuration{later, 1})) << later;
    const std::vector<phase_estimate> estimates = grain.estimates();
    EXPECT_FALSE(estimates.empty());
    for (const phase_estimate& e : estimates) EXPECT_TRUE(std::isfinite(e.throughput) && e.throughput > 0) << later;
    for (const knowledge::known& k : grain.learned().best) EXPECT_LE(busy(k.under), later);
  }
}

}  // namespace
}  // namespace maslin::grain
