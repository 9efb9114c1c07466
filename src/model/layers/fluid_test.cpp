#include "model/layers/fluid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace maslin::layers {
namespace {

pace always(const turn& t) {
  return [t](std::size_t, int, int, int, int) { return t; };
}

TEST(Fluid, WithoutHostsWhoIsFreeTakesTheNext) {
  const std::vector<double> turns{3, 1, 1, 2};
  EXPECT_DOUBLE_EQ(last_end(turns, 1, {}, always({0, 10, 0, 0})).when, 70);
  EXPECT_DOUBLE_EQ(last_end(turns, 2, {}, always({0, 10, 0, 0})).when, 40);  // 3 | 1 1 2
  EXPECT_DOUBLE_EQ(last_end(turns, 9, {}, always({0, 10, 0, 0})).when, 30);
  EXPECT_EQ(last_end({}, 2, {}, always({0, 10, 0, 0})).when, 0);
}

TEST(Fluid, WithoutHostsStreamsGoAtThePaceOfAsManyAsRun) {
  const std::vector<double> turns{3, 1, 1, 2};
  const auto last = [&](int at_a_time) {
    return last_end(turns, at_a_time, {.slowed_by_each = 0.5}, always({0, 10, 0, 0}));
  };
  EXPECT_DOUBLE_EQ(last(1).when, 70);
  EXPECT_DOUBLE_EQ(last(2).when, 30 * 1.5 + 10);  // 3 | 1 1 2
  EXPECT_EQ(last(2).slot, 1);
  EXPECT_DOUBLE_EQ(last(9).when, 10 * 2.5 + 10 * 1.5 + 10);
}

TEST(Fluid, ThreadsOfOneHardwareThreadBeginOneAfterTheOther) {
  // Two threads, one off-load each: the second sends its kernel at 40.
  const std::vector<double> one{1, 1};
  EXPECT_DOUBLE_EQ(last_end(one, 2, {.contexts = 1}, always({20, 44, 0, 0})).when, 84);
  // Ten each: the host is the bound with four threads; the last kernel ends after all turns.
  const std::vector<double> ten{10, 10, 10, 10};
  EXPECT_NEAR(last_end(ten, 4, {.contexts = 1}, always({20, 44, 0, 0})).when, 10 * 80 + 44, 1e-6);
}

TEST(Fluid, AStreamGoesToTheHardwareThreadThatFewestShare) {
  std::vector<int> sharing;
  const pace of = [&](std::size_t, int, int shared, int, int) {
    sharing.push_back(shared);
    return turn{20, 44, 0, 0};
  };
  const std::vector<double> one{1, 1, 1};
  EXPECT_DOUBLE_EQ(last_end(one, 3, {.contexts = 2}, of).when, 84);
  EXPECT_EQ(*std::max_element(sharing.begin(), sharing.end()), 2);
}

TEST(Fluid, WhatAllShareIsForThoseThatAreLeft) {
  const pace of = [](std::size_t, int, int, int, int running) { return turn{0, 1.0 * running, 0, 0}; };
  const std::vector<double> turns{10, 20}, four{10, 10, 10, 20};
  EXPECT_DOUBLE_EQ(last_end(turns, 2, {.contexts = 2}, of).when, 40);
  // The last of its turns is counted as it came to it.
  EXPECT_DOUBLE_EQ(last_end(turns, 2, {.contexts = 2, .all_share = true}, of).when, 20 + 9 + 2);
  EXPECT_DOUBLE_EQ(last_end(four, 2, {.contexts = 2, .all_share = true}, of).when, 40 + 10);
  EXPECT_DOUBLE_EQ(last_end(turns, 1, {.contexts = 2, .all_share = true}, of).when, 30);
}

TEST(Fluid, ABusyNeighbourOfTheCoreIsSeen) {
  const pace of = [](std::size_t, int, int, int busy, int) { return turn{20.0 * (1 + busy), 40, 0, 0}; };
  const std::vector<double> one{1}, two{1, 1};
  EXPECT_DOUBLE_EQ(last_end(one, 1, {.contexts = 2, .threads_per_core = 2}, of).when, 60);
  EXPECT_DOUBLE_EQ(last_end(two, 2, {.contexts = 2, .threads_per_core = 2}, of).when, 80);
  EXPECT_DOUBLE_EQ(last_end(two, 2, {.contexts = 2}, of).when, 60);
}

TEST(Fluid, StreamsOfOtherCoresMakeNoDifference) {
  // Of each node, one stream is long: what runs beside it is slower as long as it does, and nothing else is.
  constexpr int nodes = 1000;
  hosts_of many{.contexts = 2 * nodes, .of_a_node = 2, .threads_per_core = 2},
      one{.contexts = 2, .threads_per_core = 2};
  std::vector<double> turns;
  for (int slot = 0; slot < 2 * nodes; ++slot) {
    many.node.push_back(slot / 2);
    turns.push_back(slot % 2 == 0 ? 1 : 5 + slot);
  }
  const pace of = [](std::size_t, int, int, int busy, int) { return turn{20.0 * (1 + busy), 40, 0, 0}; };
  const ending last = last_end(turns, 2 * nodes, many, of);
  const std::vector<double> of_last_node{1, 5 + 2.0 * nodes - 1};
  EXPECT_NEAR(last.when, last_end(of_last_node, 2, one, of).when, 1e-6);
  EXPECT_EQ(last.slot, 2 * nodes - 1);
}

TEST(Fluid, AStreamGoesToAHardwareThreadOfItsNode) {
  const std::vector<double> two{10, 10};
  std::vector<int> sharing;
  const pace of = [&](std::size_t, int, int with, int, int) {
    sharing.push_back(with);
    return turn{1, 3};
  };
  EXPECT_EQ(last_end(two, 2, {.contexts = 2, .of_a_node = 1, .node = {1, 1}}, of).when, 41);
  EXPECT_EQ(*std::max_element(sharing.begin(), sharing.end()), 2);
}

TEST(Fluid, StreamsBeginWhenTheyAreStarted) {
  const std::vector<double> two{10, 10};
  const pace of = [](std::size_t, int, int, int, int) { return turn{1, 3}; };
  EXPECT_EQ(last_end(two, 2, {.contexts = 2, .started = {5, 7}}, of).when, 47);
}

TEST(Fluid, WithoutHostsStreamsBeginWhenTheyAreStarted) {
  const std::vector<double> four{1, 1, 1, 1};
  const ending last = last_end(four, 2, {.started = {6, 1}}, always({0, 10, 0, 0}));
  EXPECT_DOUBLE_EQ(last.when, 26);  // 1 to 21 and 6 to 26
  EXPECT_EQ(last.slot, 0);
}

TEST(Fluid, ADelayOfLessThanNoneIsNone) {
  const std::vector<double> two{10, 10};
  const delay early = [](std::size_t, int, double) { return -1000; };
  EXPECT_DOUBLE_EQ(last_end(two, 2, {.contexts = 2}, always({1, 9, 0, 0}), early).when, 100);
  EXPECT_DOUBLE_EQ(last_end(two, 2, {}, always({1, 9, 0, 0}), early).when, 100);
}

TEST(Fluid, ComesToAnEndWhateverTheNumbersAre) {
  const std::vector<double> three{10, 10, 10};
  const double nothing = std::numeric_limits<double>::quiet_NaN(), endless = std::numeric_limits<double>::infinity();
  for (const double number : {-10.0, 0.0, endless, nothing}) {
    const delay late = [&](std::size_t, int, double) { return number; };
    EXPECT_LT(last_end(three, 2, {.contexts = 1}, always({number, 9, 0, 0})).slot, 2);
    EXPECT_LT(last_end(three, 2, {.contexts = 1}, always({1, 9, 0, 0}), late).slot, 2);
  }
}

TEST(Fluid, TheFirstStreamsWaitForTheirTeams) {
  const std::vector<double> four{1, 1, 1, 1};
  std::vector<double> begins;
  const delay five = [&](std::size_t, int, double begin) { return begins.push_back(begin), 5; };
  EXPECT_DOUBLE_EQ(last_end(four, 2, {.started = {2, 3}}, always({0, 10, 0, 0}), five).when, 28);
  EXPECT_EQ(begins, (std::vector<double>{2, 3}));
  begins.clear();
  // On hosts it is told when the first kernel is sent.
  EXPECT_DOUBLE_EQ(last_end(four, 2, {.contexts = 2, .started = {2, 3}}, always({1, 9, 0, 0}), five).when, 28);
  EXPECT_EQ(begins, (std::vector<double>{3, 4}));
}

}  // namespace
}  // namespace maslin::layers
