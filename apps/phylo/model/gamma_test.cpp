#include "phylo/model/gamma.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace {

TEST(Gamma, ProbabilityOfShapeOneIsTheExponentialDistribution) {
  for (double x : {1e-6, 0.1, 1.0, 1.9, 2.1, 10.0, 30.0})
    EXPECT_NEAR(phylo::gamma_probability(1, x), -std::expm1(-x), 1e-14) << x;
}

TEST(Gamma, ProbabilityOfShapeHalfIsTheErrorFunction) {
  for (double x : {1e-8, 0.01, 0.5, 1.4, 1.6, 5.0, 20.0})
    EXPECT_NEAR(phylo::gamma_probability(0.5, x), std::erf(std::sqrt(x)), 1e-14) << x;
}

TEST(Gamma, QuantileInvertsProbability) {
  for (double shape : {0.02, 0.1, 0.4359, 1.0, 3.7, 50.0, 1000.0})
    for (double p : {0.05, 0.25, 0.5, 0.75, 0.99}) {
      const double x = phylo::gamma_quantile(shape, p);
      EXPECT_NEAR(phylo::gamma_probability(shape, x), p, 1e-12) << "shape " << shape << " x " << x;
    }
}

TEST(Gamma, CategoriesOfShapeHalfAreThePublishedOnes) {
  // Yang 1994, table 1: alpha = 0.5, four categories, means.
  const auto rates = phylo::discrete_gamma(0.5, 4);
  ASSERT_EQ(rates.size(), 4u);
  EXPECT_NEAR(rates[0], 0.03338775, 1e-8);
  EXPECT_NEAR(rates[1], 0.25191592, 1e-8);
  EXPECT_NEAR(rates[2], 0.82026848, 1e-8);
  EXPECT_NEAR(rates[3], 2.89442785, 1e-8);
}

TEST(Gamma, CategoriesHaveMeanOneAndAscend) {
  for (double shape : {0.02, 0.05, 0.3, 1.0, 12.0, 1000.0})
    for (int categories : {1, 2, 4, 5, 16}) {
      const auto rates = phylo::discrete_gamma(shape, categories);
      EXPECT_NEAR(std::accumulate(rates.begin(), rates.end(), 0.0) / categories, 1.0, 1e-12);
      for (std::size_t i = 1; i < rates.size(); ++i) EXPECT_LE(rates[i - 1], rates[i]) << shape;
      for (double r : rates) EXPECT_GE(r, 0) << shape;
    }
}

TEST(Gamma, MeansAreThoseOfTheDensityBetweenTheQuantiles) {
  // Against integration of x * density by Simpson's rule, shape 2: density x e^-x, mean 2.
  const double shape = 2;
  const auto rates = phylo::discrete_gamma(shape, 4);
  double from = 0;
  for (int i = 0; i < 3; ++i) {
    const double upto = phylo::gamma_quantile(shape, 0.25 * (i + 1));
    const int steps = 2000;
    const double h = (upto - from) / steps;
    double sum = 0;
    for (int k = 0; k <= steps; ++k) {
      const double x = from + k * h;
      sum += (k == 0 || k == steps ? 1 : k % 2 ? 4 : 2) * x * x * std::exp(-x);
    }
    EXPECT_NEAR(rates[static_cast<std::size_t>(i)], 4 * sum * h / 3 / shape, 1e-10);
    from = upto;
  }
}

TEST(Gamma, MediansAreThoseOfTheQuantilesWithMeanOne) {
  // As RAxML-NG 1.2.2 prints them.
  const struct {
    double shape;
    std::vector<double> rates;
  } all[] = {{0.5, {0.029077754, 0.280714534, 0.924773055, 2.765434657}},
             {0.3, {0.000693908, 0.027161249, 0.152764972, 0.501030343, 1.349832462, 3.968517065}}};
  for (const auto& one : all) {
    const auto rates = phylo::discrete_gamma(one.shape, static_cast<int>(one.rates.size()), true);
    for (std::size_t i = 0; i < rates.size(); ++i) EXPECT_NEAR(rates[i], one.rates[i], 1e-7);
  }
}

}  // namespace
