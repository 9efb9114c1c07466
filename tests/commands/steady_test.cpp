#include "steady.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace {

/// Rounds of a tenth of a second on two CPUs, of which other processes take some.
class Rounds {
 public:
  explicit Rounds(std::vector<double> values, double others = 0, double had_cpu = 1)
      : values_(std::move(values)), others_(others), had_cpu_(had_cpu) {}

  measured_round next() {
    constexpr double seconds = 0.1;
    use_.now += seconds;
    use_.own += seconds;
    use_.all += (1 + others_) * seconds;
    return {values_.at(at_++ % values_.size()), 0, had_cpu_};
  }
  cpu_use use() const { return use_; }
  std::size_t ran() const { return at_; }

 private:
  std::vector<double> values_;
  double others_, had_cpu_;
  cpu_use use_;
  std::size_t at_ = 0;
};

steady figures_of(Rounds& rounds) {
  return steady(
      2, [](const std::string&) {}, [&] { return rounds.use(); });
}

curve_point measured(steady& figures, Rounds& rounds, steady::best which = steady::best::least) {
  return figures.measure("it", 7, which, [&] { return rounds.next(); });
}

TEST(Steady, AFigureThatIsStableTakesThreeRounds) {
  Rounds rounds({10, 10.5, 10.2});
  steady figures = figures_of(rounds);
  const curve_point p = measured(figures, rounds);
  EXPECT_EQ(rounds.ran(), 3u);
  EXPECT_EQ(p.at, 7);
  EXPECT_EQ(p.is, 10.2);
  EXPECT_DOUBLE_EQ(p.error, 0.25);
  EXPECT_TRUE(figures.doubts().empty());
}

TEST(Steady, RoundsThatWereDisturbedDoNotCount) {
  Rounds times({40, 10, 90, 10.4, 60, 10.2});
  steady figures = figures_of(times);
  EXPECT_EQ(measured(figures, times).is, 10.2);
  EXPECT_EQ(times.ran(), 6u);
  Rounds bandwidths({2, 10, 5, 9.8, 3, 9.6});
  steady others = figures_of(bandwidths);
  EXPECT_EQ(measured(others, bandwidths, steady::best::most).is, 9.8);
  EXPECT_TRUE(figures.doubts().empty());
  EXPECT_TRUE(others.doubts().empty());
}

TEST(Steady, AFigureThatNeverIsStableIsDoubtful) {
  Rounds rounds({10, 20, 40, 80, 160, 320, 640, 1280, 2560});
  steady figures = figures_of(rounds);
  EXPECT_EQ(measured(figures, rounds).is, 20);
  EXPECT_EQ(rounds.ran(), 9u);
  ASSERT_EQ(figures.doubts().size(), 1u);
  EXPECT_EQ(figures.doubts()[0].first, "it");
  EXPECT_EQ(figures.doubts()[0].second, "9 rounds gave from 10 to 2.56e+03");
}

TEST(Steady, ThreadsThatLackACpuAreDoubtful) {
  Rounds rounds({10}, 0, 0.6);
  steady figures = figures_of(rounds);
  measured(figures, rounds);
  ASSERT_EQ(figures.doubts().size(), 1u);
  EXPECT_EQ(figures.doubts()[0].second, "its threads had a CPU for 60 % of the time");
}

TEST(Steady, WhatOthersTakeMakesAStableFigureDoubtful) {
  Rounds rounds({10}, 0.9);  // on the other CPU: no thread lacks one
  steady figures = figures_of(rounds);
  measured(figures, rounds);
  measured(figures, rounds);
  ASSERT_EQ(figures.doubts().size(), 1u);  // each name once
  EXPECT_EQ(figures.doubts()[0].second, "other processes took 0.9 of 2 CPUs meanwhile");
  EXPECT_NEAR(figures.taken_by_others(), 0.9, 1e-9);

  Rounds quiet({10}, 0.05);
  steady others = figures_of(quiet);
  measured(others, quiet);
  EXPECT_TRUE(others.doubts().empty());
}

TEST(Steady, TheSystemSaysWhatWasTaken) {
  const cpu_use before = cpu_use_so_far();
  volatile double sum = 0;
  while (cpu_use_so_far().own - before.own < 0.1) sum = sum + 1;
  const cpu_use after = cpu_use_so_far();
  EXPECT_GE(after.now - before.now, 0.05);
  if (after.all < 0) GTEST_SKIP() << "skipped: /proc/stat does not name the CPUs of this process";
  EXPECT_GE(after.all - before.all, 0.05);  // in hundredths of a second
}

TEST(LoopsOfTwo, CountWhereEachWorkerHasRunABlock) {
  const std::vector<loop_of_two> loops{{40, false}, {0.5, true}, {41, false}, {0.7, true}, {40, false}, {0.6, true}};
  const measured_round round = round_of_shared(loops, 0.97);
  EXPECT_EQ(round.is, 0.6);
  EXPECT_EQ(round.had_cpu, 0.97);
}

TEST(LoopsOfTwo, AreDoubtfulWhereOneWorkerHasRunAll) {
  const measured_round round = round_of_shared({{40, false}, {42, false}, {41, false}}, 1);
  EXPECT_EQ(round.is, 41);
  EXPECT_EQ(round.had_cpu, 0);
}

}  // namespace
