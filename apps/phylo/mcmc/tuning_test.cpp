#include "phylo/mcmc/tuning.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "phylo/search/random.hpp"

namespace phylo {
namespace {

std::size_t at(Move move) { return static_cast<std::size_t>(move); }

constexpr PerMove<double> gtr_gamma = {16, 24, 40, 6, 14, 2, 2, 0, 2, 0};
constexpr std::size_t length = 0, first_rate = 1, first_frequency = 7, shape = 12;

PerMove<bool> all() {
  PerMove<bool> adapts;
  adapts.fill(true);
  return adapts;
}

/// What so many generations of moves in proportion to their weights would have noted, if a jump of each coordinate of a
/// move were so long (the coordinates' variance is 1).
Tuning noted(double of_length, double of_rates, double of_frequencies, double of_shape,
             std::int64_t generations = 10600) {
  Tuning tuning = first_tuning(gtr_gamma);
  tuning.generations = generations;
  for (MoveRecord& record : tuning.moves)
    record.tried_lately = std::llround(record.weight / 106 * static_cast<double>(generations));
  const auto jump = [&](std::size_t coordinate, double by) {
    Spread& spread = tuning.spreads[coordinate];
    spread.squares = static_cast<double>(generations);
    spread.own = by * by * static_cast<double>(tuning.moves[at(move_of(coordinate))].tried_lately);
  };
  jump(length, of_length);
  for (std::size_t i = 0; i < 6; ++i) jump(first_rate + i, i == 4 ? of_rates : 10 * of_rates);
  for (std::size_t i = 0; i < 4; ++i) jump(first_frequency + i, of_frequencies);
  jump(shape, of_shape);
  tuning.moves[at(Move::nni)].read_lately = tuning.moves[at(Move::extending_spr)].read_lately = 10000;
  tuning.moves[at(Move::nni)].passed_lately = tuning.moves[at(Move::extending_spr)].passed_lately = 1000;
  return tuning;
}

double sum(const Tuning& tuning) {
  double weight = 0;
  for (const MoveRecord& record : tuning.moves) weight += record.weight;
  return weight;
}

TEST(Tuning, BoldnessComesToWhereThreeOfTenAreAccepted) {
  // e^(-boldness) of the tries are accepted, so 1.2 is right; the least that a short burn-in has is two hundred tries.
  for (const double first : {0.02, 6.0}) {
    Random random(1);
    MoveRecord record;
    record.boldness = first;
    for (int i = 0; i < 200; ++i) tune(Move::shape, random.uniform() < std::exp(-record.boldness), record);
    EXPECT_NEAR(record.boldness, 1.2, 0.5) << first;
  }
}

TEST(Tuning, TheBoldnessOfTreeMovesStays) {
  MoveRecord record;
  record.boldness = 0.2;
  for (int i = 0; i < 100; ++i) tune(Move::nni, true, record);
  EXPECT_EQ(record.boldness, 0.2);
}

TEST(Weights, TheSlowestParameterGetsMoreAndAGenerationCostsTheSame) {
  // The slowest rate jumps by a third of what the others do: it needs nine times as many tries.
  Tuning tuning = noted(0.3, 0.1, 0.3, 0.3);
  for (int i = 0; i < 20; ++i) {
    const Tuning now = noted(0.3, 0.1, 0.3, 0.3);
    Tuning next = now;
    for (std::size_t m = 0; m < moves; ++m) next.moves[m].weight = tuning.moves[m].weight;
    weigh(all(), next);
    tuning = next;
  }
  // 12 in all; 9 shares of rates, one each of the three others.
  EXPECT_NEAR(tuning.moves[at(Move::rates)].weight, 9, 0.1);
  for (const Move other : {Move::tree_multiplier, Move::frequencies, Move::shape})
    EXPECT_NEAR(tuning.moves[at(other)].weight, 1, 0.1) << name_of(other);
  EXPECT_NEAR(sum(tuning), 106, 1e-9);
  EXPECT_NEAR(tuning.moves[at(Move::branch_multiplier)].weight, 40, 1e-12);
}

TEST(Weights, WhatOtherMovesDoForTreeLengthNeedNotBeDone) {
  Tuning alone = noted(0.3, 0.3, 0.3, 0.3), helped = alone;
  helped.spreads[length].others = 100 * helped.spreads[length].own;
  weigh(all(), alone);
  weigh(all(), helped);
  EXPECT_LT(helped.moves[at(Move::tree_multiplier)].weight, alone.moves[at(Move::tree_multiplier)].weight);
  // Half of the way, in logarithms, from 6 to a quarter of an equal share.
  EXPECT_NEAR(helped.moves[at(Move::tree_multiplier)].weight / helped.moves[at(Move::shape)].weight,
              std::sqrt(6 * 0.75) / std::sqrt(2 * 3.75), 0.01);
}

TEST(Weights, TreeMovesShareByWhatTheyPass) {
  Tuning tuning = noted(0.3, 0.3, 0.3, 0.3);
  weigh(all(), tuning);
  EXPECT_NEAR(tuning.moves[at(Move::nni)].weight / tuning.moves[at(Move::extending_spr)].weight, std::sqrt(16.0 / 24),
              0.001);
  tuning = noted(0.3, 0.3, 0.3, 0.3);
  tuning.moves[at(Move::extending_spr)].passed_lately = 0;
  weigh(all(), tuning);
  EXPECT_GT(tuning.moves[at(Move::nni)].weight, 20);
  EXPECT_GT(tuning.moves[at(Move::extending_spr)].weight, 5);
  EXPECT_NEAR(tuning.moves[at(Move::nni)].weight + tuning.moves[at(Move::extending_spr)].weight, 40, 1e-9);
}

TEST(Weights, StayWhereTheyAreGivenOrLittleIsKnown) {
  const auto weights = [](const Tuning& tuning) {
    PerMove<double> all_weights;
    for (std::size_t m = 0; m < moves; ++m) all_weights[m] = tuning.moves[m].weight;
    return all_weights;
  };
  Tuning given = noted(0.3, 0.1, 0.3, 0.3);
  weigh({}, given);
  EXPECT_EQ(weights(given), gtr_gamma);
  Tuning shape_given = noted(0.3, 0.1, 0.3, 0.3);
  PerMove<bool> adapts = all();
  adapts[at(Move::shape)] = false;
  weigh(adapts, shape_given);
  EXPECT_EQ(shape_given.moves[at(Move::shape)].weight, 2);
  EXPECT_GT(shape_given.moves[at(Move::rates)].weight, 2.5);
  EXPECT_NEAR(sum(shape_given), 106, 1e-9);
  Tuning few_tries = noted(0.3, 0.1, 0.3, 0.3, 150);
  weigh(all(), few_tries);
  EXPECT_EQ(few_tries.moves[at(Move::rates)].weight, 2);
  Tuning unmoved = noted(0.3, 0, 0.3, 0.3);
  weigh(all(), unmoved);
  EXPECT_EQ(unmoved.moves[at(Move::rates)].weight, 2);
}

TEST(Weights, ChangeFourTimesInABurnIn) {
  int times = 0;
  for (std::int64_t generation = 0; generation <= 2000; ++generation) times += weighs_after(generation, 1000);
  EXPECT_EQ(times, 4);
  EXPECT_TRUE(weighs_after(1000, 1000));
  EXPECT_FALSE(weighs_after(0, 0));
}

TEST(Tuning, NotesHowCoordinatesAreDistributedAndJump) {
  Tuning tuning = first_tuning(gtr_gamma);
  Step step;
  step.around = {1, 2, 3, 4};
  step.passed = 2;
  Coordinates before{}, now{};
  double x = 0;
  for (const double next : {1.0, -1.0, 3.0, 1.0}) {
    before[shape] = x;
    now[shape] = x = next;
    before[length] = now[length] = 5;
    note(Move::shape, step, true, before, now, tuning);
  }
  note(Move::nni, step, false, now, now, tuning);
  now[length] = 7;
  note(Move::extending_spr, step, true, before, now, tuning);
  EXPECT_EQ(tuning.generations, 6);
  EXPECT_DOUBLE_EQ(tuning.spreads[shape].mean, 1);
  EXPECT_DOUBLE_EQ(tuning.spreads[shape].squares, 8);
  EXPECT_DOUBLE_EQ(tuning.spreads[shape].own, 1 + 4 + 16 + 4);
  EXPECT_DOUBLE_EQ(tuning.spreads[length].own, 0);
  EXPECT_DOUBLE_EQ(tuning.spreads[length].others, 4);
  EXPECT_EQ(tuning.moves[at(Move::nni)].passed_lately, 0);
  EXPECT_EQ(tuning.moves[at(Move::extending_spr)].passed_lately, 2);
  EXPECT_EQ(tuning.moves[at(Move::nni)].read_lately, 4);
}

}  // namespace
}  // namespace phylo
