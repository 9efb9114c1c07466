#include "sched/place/comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {

using maslin::placement;
using maslin::place::comparison;
using maslin::place::stretch;
using enum maslin::placement;

/// What `tasks` tasks of a site take that take so many seconds each.
stretch of(std::uint64_t tasks, double each) { return {{"a.cpp:1", {tasks, static_cast<double>(tasks) * each}}}; }

/// Adds the stretch that it asks for, where tasks take as long as that under locality, and 1 s under dbs.
void add_wanted(comparison& to, double under_locality) {
  const placement next = to.next();
  to.add(next, of(100, next == dbs ? 1 : under_locality));
}

comparison after_pairs(int pairs, double under_locality) {
  comparison c;
  for (int i = 0; i < 2 * pairs; ++i) add_wanted(c, under_locality);
  return c;
}

/// What a thousand programs chose, whose tasks take so many seconds under locality and 1 s under dbs, where each
/// stretch is off by a normal error.
struct choices {
  int locality = 0;
  int pairs = 0;  ///< of all, until they had chosen
};
choices of_a_thousand(double under_locality, double error) {
  std::mt19937 chance(1);
  std::normal_distribution<double> noise(0, error);
  choices all;
  for (int program = 0; program < 1000; ++program) {
    comparison c;
    while (!c.chosen()) {
      const placement next = c.next();
      c.add(next, of(100, (next == locality ? under_locality : 1) * std::exp(noise(chance))));
    }
    all.locality += c.chosen() == locality;
    all.pairs += c.known().pairs;
  }
  return all;
}

TEST(Comparison, BeginsWithDbsAndTurnsTheOrderRoundFromPairToPair) {
  comparison c;
  std::vector<placement> order;
  for (int i = 0; i < 6; ++i) {
    order.push_back(c.next());
    add_wanted(c, 0.5);
  }
  EXPECT_EQ(order, (std::vector{dbs, locality, locality, dbs, dbs, locality}));
  EXPECT_EQ(c.known().pairs, 3);
}

TEST(Comparison, ChoosesLocalityWhereItGainsForSure) {
  EXPECT_FALSE(after_pairs(3, 0.8).chosen());
  const comparison c = after_pairs(4, 0.8);
  EXPECT_EQ(c.chosen(), locality);
  EXPECT_EQ(c.next(), locality);
  EXPECT_NEAR(std::exp(c.known().mean), 0.8, 1e-9);
}

TEST(Comparison, ChoosesDbsWhereLocalityLosesOrGainsNextToNothing) {
  EXPECT_FALSE(after_pairs(2, 1.2).chosen());
  EXPECT_EQ(after_pairs(3, 1.2).chosen(), dbs);
  EXPECT_EQ(after_pairs(3, 0.995).chosen(), dbs);
}

TEST(Comparison, NeedsFewPairsForDbsWhereLocalityLosesMuch) {
  // A tenth is lost, and each stretch is off by a twentieth.
  const choices all = of_a_thousand(1.1, 0.05);
  EXPECT_EQ(all.locality, 0);
  EXPECT_LT(all.pairs, 4000);
}

TEST(Comparison, AsksForMorePairsWhereTheyAreFarApartAndInTheEndStaysWithDbs) {
  comparison c;
  for (int i = 0; i < 2 * comparison::most_pairs - 2; ++i) add_wanted(c, (i / 2) % 2 ? 1.2 : 0.6);
  EXPECT_FALSE(c.chosen());
  for (int i = 0; i < 2; ++i) add_wanted(c, 0.6);
  EXPECT_EQ(c.chosen(), dbs);
}

TEST(Comparison, DoesNotTakeNoiseForAGain) {
  // Nothing is gained, and each stretch is off by a tenth: of a thousand programs few may get locality.
  EXPECT_LT(of_a_thousand(1, 0.1).locality, 30);
}

TEST(Comparison, FindsAGainOfAFifthInThatNoise) { EXPECT_GT(of_a_thousand(0.8, 0.1).locality, 800); }

TEST(Comparison, IsNotMisledByAnotherMixOfTasks) {
  // Each site's tasks gain a fifth, but the stretch under locality has many more of the long ones.
  comparison c;
  c.add(dbs, {{"short", {1000, 1000}}, {"long", {10, 1000}}});
  c.add(locality, {{"short", {10, 8}}, {"long", {1000, 80000}}});
  EXPECT_EQ(c.known().pairs, 1);
  EXPECT_NEAR(std::exp(c.known().mean), 0.8, 1e-9);
}

TEST(Comparison, MakesNoPairOfStretchesWithOtherTasks) {
  comparison c;
  c.add(dbs, of(100, 1));
  c.add(locality, {{"b.cpp:1", {100, 1}}});
  EXPECT_EQ(c.known().pairs, 0);
  EXPECT_EQ(c.next(), dbs) << "the later one waits for its other half";
}

TEST(Comparison, GoesOnWithWhatAnEarlierRunFound) {
  const comparison before = after_pairs(3, 0.8);
  comparison c(before.known(), dbs, of(50, 1));
  EXPECT_EQ(c.next(), locality);
  c.add(locality, of(70, 0.8));
  EXPECT_EQ(c.chosen(), locality);
}

}  // namespace
