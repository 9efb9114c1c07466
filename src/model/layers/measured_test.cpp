#include "model/layers/measured.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace maslin::layers {
namespace {

TEST(Measured, TheErrorOfAMeanIsThatOfItsSamples) {
  const std::vector<double> samples{1, 2, 3, 4};
  const measured m = mean_of(samples);
  EXPECT_DOUBLE_EQ(m.value, 2.5);
  EXPECT_NEAR(m.error, std::sqrt(5.0 / 3 / 4), 1e-12);  // squares 5, of 3, by 4
  EXPECT_EQ(mean_of(std::vector<double>{7}).error, 0);
  EXPECT_EQ(mean_of(std::vector<double>{}).value, 0);
}

TEST(Measured, ContentionIsFittedByOneParameter) {
  // (1·0.1 + 2·0.3 + 3·0.2) / (1 + 4 + 9) = 1.3 / 14
  const std::vector<point> slow{{1, {1, 0}}, {2, {1.1, 0}}, {3, {1.3, 0}}, {4, {1.2, 0}}};
  const measured a = fit_contention(slow);
  EXPECT_DOUBLE_EQ(a.value, 1.3 / 14);
  const double b = 1.3 / 14;
  const double residuals = (0.1 - b) * (0.1 - b) + (0.3 - 2 * b) * (0.3 - 2 * b) + (0.2 - 3 * b) * (0.2 - 3 * b);
  EXPECT_NEAR(a.error, std::sqrt(residuals / 2 / 14), 1e-12);
}

TEST(Measured, APerfectLineHasNoError) {
  const std::vector<point> slow{{1, {1, 0}}, {2, {1.25, 0}}, {4, {1.75, 0}}};
  EXPECT_DOUBLE_EQ(fit_contention(slow).value, 0.25);
  EXPECT_NEAR(fit_contention(slow).error, 0, 1e-12);
}

TEST(Measured, OnePointGivesItsOwnErrorAndNoPointsGiveNothing) {
  const std::vector<point> one{{3, {1.4, 0.1}}};
  EXPECT_DOUBLE_EQ(fit_contention(one).value, 0.2);
  EXPECT_DOUBLE_EQ(fit_contention(one).error, 0.05);
  const std::vector<point> alone{{1, {1, 0.1}}};
  EXPECT_EQ(fit_contention(alone).value, 0);
  const std::vector<point> faster{{2, {0.9, 0}}, {3, {0.8, 0}}};
  EXPECT_EQ(fit_contention(faster).value, 0);  // threads do not help each other
}

TEST(Measured, CurvesGoOnStraightLines) {
  const std::vector<point> c{{8, {1, 0.1}}, {1008, {3, 0.3}}};
  EXPECT_DOUBLE_EQ(interpolate(c, 1).value, 1);
  EXPECT_DOUBLE_EQ(interpolate(c, 508).value, 2);
  EXPECT_DOUBLE_EQ(interpolate(c, 508).error, 0.2);
  EXPECT_DOUBLE_EQ(interpolate(c, 2008).value, 5);
  EXPECT_DOUBLE_EQ(interpolate(c, 2008).error, 0.6);
  const std::vector<point> falls{{1, {3, 0}}, {2, {2, 0}}};
  EXPECT_DOUBLE_EQ(interpolate(falls, 10).value, 2);
  EXPECT_EQ(interpolate(std::vector<point>{}, 1).value, 0);
}

}  // namespace
}  // namespace maslin::layers
