#include "sched/grain/surface.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace maslin::grain {
namespace {

// The expectation, or less where a bound is possible: so what is expected is below it, and least so where few workers
// are busy.
TEST(Surface, WithoutPointsThereIsAnExpectationAndThatItMayBeBounded) {
  const expectation expected;
  const surface s(8, expected, {});
  EXPECT_LT(s.at({8, 1}).mean, expected({8, 1}));
  EXPECT_GT(s.at({8, 1}).mean, s.at({2, 1}).mean);
  EXPECT_DOUBLE_EQ(s.at({1, 1}).mean, expected({1, 1}));
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
  const surface s(16, {}, {{{16, 1}, std::log(16), 1e-4}, {{8, 2}, std::log(15), 1e-4}});
  const estimate half = s.at({8, 1});
  EXPECT_GT(half.mean + 2 * half.sd, std::log(16));
}

// One worker that does a sixteenth of what all do: so nothing bounds what half of them do.
TEST(Surface, ThatFewerWorkersMayBeFasterIsRuledOutWhereThroughputGrowsWithThem) {
  const surface s(16, {}, {{{16, 1}, std::log(16), 1e-4}, {{1, 1}, 0, 1e-4}});
  const estimate half = s.at({8, 1});
  EXPECT_NEAR(half.mean, std::log(8), 0.1);
  EXPECT_LT(half.mean + half.sd, std::log(16));
}

// Half of the workers do as much as all: so two of 32 may be enough, and they are the next to be asked.
TEST(Surface, WhereHalfOfTheWorkersDoAsMuchFurtherHalvesAreExpectedToDoNearlyAsMuch) {
  const surface halved(32, {}, {{{32, 1}, 1, 1e-4}, {{16, 1}, 1.1, 1e-4}});
  const surface scaled(32, {}, {{{32, 1}, 1, 1e-4}, {{16, 1}, 1 - std::log(2), 1e-4}});
  EXPECT_GT(halved.at({8, 1}).mean, 0.8);
  EXPECT_NEAR(scaled.at({8, 1}).mean, 1 - std::log(4), 0.2);
  EXPECT_GT(halved.at({8, 1}).mean + halved.at({8, 1}).sd, 1.1);
}

// A library may share its work or not; a look at a wider configuration tells for all of them.
TEST(Surface, WhatMayShareNothingIsExpectedToGainLessByWidthUntilItWasSeenTo) {
  expectation libraries;
  libraries.unshared = 0.5;
  const surface nothing_known(8, libraries, {});
  EXPECT_LT(nothing_known.at({4, 2}).mean, surface(8, {}, {}).at({4, 2}).mean - 0.2);
  const std::vector<measured> shares{{{8, 1}, std::log(8), 1e-4}, {{4, 2}, std::log(7.6), 1e-4}};
  const std::vector<measured> does_not{{{8, 1}, std::log(8), 1e-4}, {{4, 2}, std::log(4), 1e-4}};
  EXPECT_GT(surface(8, libraries, shares).at({2, 4}).mean, std::log(5));
  EXPECT_LT(surface(8, libraries, does_not).at({2, 4}).mean, std::log(3));
}

// What may be counts in the mean only: without a look at fewer workers, more of them are the likeliest to do more.
TEST(Surface, WhatIsLikeliestIsUnboundedUntilSlicesSayOtherwise) {
  const expectation half_serial{1e-5, 1e-6};
  const surface unknown(16, half_serial, {{{16, 1}, 1, 1e-2}});
  EXPECT_LT(unknown.at({4, 4}).mean, unknown.at({4, 2}).mean);
  EXPECT_GT(unknown.likeliest({4, 4}), unknown.likeliest({4, 2}));
  const surface bounded(16, half_serial, {{{16, 1}, 1, 1e-4}, {{8, 1}, 1.1, 1e-4}, {{4, 1}, 1.2, 1e-4}});
  EXPECT_LT(bounded.likeliest({4, 4}), bounded.likeliest({4, 1}));
}

TEST(Surface, ThePointsMayBeInAnyUnit) {
  const std::vector<measured> points{{{8, 1}, 1, 1e-4}, {{4, 1}, 0.9, 1e-3}, {{1, 1}, -0.7, 1e-2}};
  std::vector<measured> others = points;
  for (measured& p : others) p.log_w += 5;
  for (const configuration c : {configuration{8, 1}, {2, 1}, {1, 4}}) {
    EXPECT_NEAR(surface(8, {}, others).at(c).mean, surface(8, {}, points).at(c).mean + 5, 1e-9);
    EXPECT_NEAR(surface(8, {}, others).at(c).sd, surface(8, {}, points).at(c).sd, 1e-9);
  }
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
