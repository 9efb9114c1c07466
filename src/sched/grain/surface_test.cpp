#include "sched/grain/surface.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace maslin::grain {
namespace {

TEST(Surface, WithoutPointsTheExpectationIsAllThatIsKnown) {
  const surface s(8, {}, {});
  EXPECT_DOUBLE_EQ(s.at({8, 1}).mean, std::log(8));
  EXPECT_LT(s.at({4, 2}).mean, std::log(8));
  EXPECT_GT(s.at({4, 2}).sd, 0.3);
}

TEST(Surface, WhatWasMeasuredExactlyIsKnownAndWhatIsFarIsNot) {
  const surface s(8, {}, {{{8, 1}, 1.5, 1e-6}});
  EXPECT_NEAR(s.at({8, 1}).mean, 1.5, 1e-3);
  EXPECT_LT(s.at({8, 1}).sd, 0.02);
  EXPECT_LT(s.at({7, 1}).sd, s.at({4, 1}).sd);
  EXPECT_LT(s.at({4, 1}).sd, s.at({1, 1}).sd);
}

TEST(Surface, NeighboursLearnFromEachOther) {
  const expectation expected;
  const surface s(8, expected, {{{4, 2}, expected({4, 2}) - 0.5, 1e-4}});
  EXPECT_LT(s.at({5, 1}).mean, expected({5, 1}) - 0.2);
}

TEST(Surface, ThatFewerWorkersMayBeFasterIsNotRuledOutByWhatAllOfThemDo) {
  const surface s(16, {}, {{{16, 1}, std::log(16), 1e-4}, {{8, 2}, std::log(15), 1e-4}, {{1, 1}, 0, 1e-4}});
  const estimate half = s.at({8, 1});
  EXPECT_GT(half.mean + 2 * half.sd, std::log(16));
}

TEST(Surface, APointAgainstAllOthersIsFarOff) {
  const expectation expected;
  std::vector<measured> points;
  for (const configuration c : {configuration{8, 1}, {7, 1}, {6, 1}, {4, 2}, {5, 1}})
    points.push_back({c, expected(c), 0.01});
  const surface calm(8, expected, points);
  EXPECT_LT(std::abs(calm.off(1).mean), calm.off(1).sd);
  points[1].log_w -= 1.5;
  const surface strange(8, expected, points);
  EXPECT_LT(strange.off(1).mean, -3 * strange.off(1).sd);
}

TEST(Expectation, TinyKernelsDoNotPayForBeingShared) {
  const expectation tiny{1e-6, 1e-6};
  const expectation large{1e-3, 1e-6};
  EXPECT_DOUBLE_EQ(tiny({1, 8}), 0);
  EXPECT_GT(large({1, 8}), std::log(5));
}

}  // namespace
}  // namespace maslin::grain
