#include "model/layers/fluid.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace maslin::layers {
namespace {

pace always(const turn& t) {
  return [t](std::size_t, int, int, int) { return t; };
}

TEST(Fluid, WithoutHostsWhoIsFreeTakesTheNext) {
  const std::vector<double> turns{3, 1, 1, 2};
  EXPECT_DOUBLE_EQ(last_end(turns, 1, {}, always({0, 10, 0, 0})), 70);
  EXPECT_DOUBLE_EQ(last_end(turns, 2, {}, always({0, 10, 0, 0})), 40);  // 3 | 1 1 2
  EXPECT_DOUBLE_EQ(last_end(turns, 9, {}, always({0, 10, 0, 0})), 30);
  EXPECT_EQ(last_end({}, 2, {}, always({0, 10, 0, 0})), 0);
}

TEST(Fluid, ThreadsOfOneHardwareThreadBeginOneAfterTheOther) {
  // Two threads, one off-load each: the second sends its kernel at 40.
  const std::vector<double> one{1, 1};
  EXPECT_DOUBLE_EQ(last_end(one, 2, {.contexts = 1}, always({20, 44, 0, 0})), 84);
  // Ten each: the host is the bound with four threads; the last kernel ends after all turns.
  const std::vector<double> ten{10, 10, 10, 10};
  EXPECT_NEAR(last_end(ten, 4, {.contexts = 1}, always({20, 44, 0, 0})), 10 * 80 + 44, 1e-6);
}

TEST(Fluid, AStreamGoesToTheHardwareThreadThatFewestShare) {
  std::vector<int> sharing;
  const pace of = [&](std::size_t, int, int shared, int) {
    sharing.push_back(shared);
    return turn{20, 44, 0, 0};
  };
  const std::vector<double> one{1, 1, 1};
  EXPECT_DOUBLE_EQ(last_end(one, 3, {.contexts = 2}, of), 84);
  EXPECT_EQ(*std::max_element(sharing.begin(), sharing.end()), 2);
}

TEST(Fluid, ABusyNeighbourOfTheCoreIsSeen) {
  const pace of = [](std::size_t, int, int, int busy) { return turn{20.0 * (1 + busy), 40, 0, 0}; };
  const std::vector<double> one{1}, two{1, 1};
  EXPECT_DOUBLE_EQ(last_end(one, 1, {.contexts = 2, .threads_per_core = 2}, of), 60);
  EXPECT_DOUBLE_EQ(last_end(two, 2, {.contexts = 2, .threads_per_core = 2}, of), 80);
  EXPECT_DOUBLE_EQ(last_end(two, 2, {.contexts = 2}, of), 60);
}

TEST(Fluid, AStreamGoesToAHardwareThreadOfItsNode) {
  const std::vector<double> two{10, 10};
  std::vector<int> sharing;
  const pace of = [&](std::size_t, int, int with, int) {
    sharing.push_back(with);
    return turn{1, 3};
  };
  EXPECT_EQ(last_end(two, 2, {.contexts = 2, .of_a_node = 1, .node = {1, 1}}, of), 41);
  EXPECT_EQ(*std::max_element(sharing.begin(), sharing.end()), 2);
}

TEST(Fluid, StreamsBeginWhenTheyAreStarted) {
  const std::vector<double> two{10, 10};
  const pace of = [](std::size_t, int, int, int) { return turn{1, 3}; };
  EXPECT_EQ(last_end(two, 2, {.contexts = 2, .started = {5, 7}}, of), 47);
}

}  // namespace
}  // namespace maslin::layers
