#include "phylo/mcmc/diagnostics.hpp"

#include <array>
#include <cmath>

#include "phylo/mcmc/small_trees.hpp"
#include "phylo/mcmc/variates.hpp"
#include "phylo/model/gamma.hpp"

namespace phylo {
namespace {

std::vector<double> autoregressive(double correlation, std::size_t count, double mean, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> out;
  double x = 0;
  for (std::size_t i = 0; i < count; ++i) {
    x = correlation * x + std::sqrt(1 - correlation * correlation) * normal(random);
    out.push_back(mean + x);
  }
  return out;
}

TEST(Diagnostics, AnAutoregressionHasItsEffectiveSampleSize) {
  // n (1 - rho) / (1 + rho)
  EXPECT_NEAR(*effective_sample_size(autoregressive(0.9, 20000, 5, 1)), 20000.0 / 19, 150);
  EXPECT_NEAR(*effective_sample_size(autoregressive(0.5, 20000, 5, 2)), 20000.0 / 3, 500);
  EXPECT_GT(*effective_sample_size(autoregressive(0, 5000, 5, 3)), 4500);
  EXPECT_EQ(effective_sample_size(autoregressive(-0.9, 5000, 5, 4)), 5000);
  EXPECT_EQ(effective_sample_size({1, 2, 1}), 3);
  EXPECT_EQ(effective_sample_size(std::vector<double>(100, 2.5)), std::nullopt);
  std::vector<double> rounded(100, 13.88);
  rounded[40] = std::nextafter(rounded[40], 14);
  EXPECT_EQ(effective_sample_size(rounded), std::nullopt);
}

TEST(Diagnostics, RunsThatDifferHaveALargeScaleReductionFactor) {
  const std::vector<double> a = autoregressive(0, 5000, 0, 1), b = autoregressive(0, 5000, 0, 2);
  const std::vector<double> c = autoregressive(0, 5000, 2, 3);
  EXPECT_NEAR(scale_reduction({a, b}), 1, 0.001);
  EXPECT_NEAR(scale_reduction({a, c}), std::sqrt(1 + 2.0), 0.05);  // the means' variance is 2
  EXPECT_EQ(scale_reduction({{1, 1}, {1, 1}}), 1);
  EXPECT_TRUE(std::isinf(scale_reduction({{1, 1}, {2, 2}})));  // stuck at different values
}

TEST(Diagnostics, SplitsOfTwoRunsAreCompared) {
  const std::vector<Tree> four = all_topologies(4);
  std::vector<SplitCounts> runs(2, SplitCounts(4));
  for (int i = 0; i < 20; ++i) {
    runs[0].add(four[i < 10 ? 0 : 1]);
    runs[1].add(four[i < 18 ? 0 : i < 19 ? 1 : 2]);
  }
  // Shares 0.5 and 0.9, 0.5 and 0.05; the third split has 0.05 at most and is left out.
  const std::optional<SplitDeviation> deviation = split_deviation(runs);
  ASSERT_TRUE(deviation);
  EXPECT_NEAR(deviation->largest, 0.45 / std::sqrt(2), 1e-12);
  EXPECT_NEAR(deviation->average, (0.4 + 0.45) / 2 / std::sqrt(2), 1e-12);
}

TEST(Diagnostics, WhereNoSplitIsCommonNothingIsCompared) {
  const std::vector<Tree> all = all_topologies(6);
  std::vector<SplitCounts> runs(2, SplitCounts(6));
  for (const Tree& tree : all)
    for (SplitCounts& run : runs) run.add(tree);
  const std::optional<SplitDeviation> equal = split_deviation(runs);
  ASSERT_TRUE(equal);
  EXPECT_EQ(equal->largest, 0);
  EXPECT_FALSE(split_deviation(std::vector<SplitCounts>(2, SplitCounts(6))));
}

TEST(Diagnostics, AParameterThatIsStuckHasNoEffectiveSampleSize) {
  const Summary s = summarize({{1, 1, 1, 1}, {1, 2, 3, 2}});
  EXPECT_EQ(s.least_ess, std::nullopt);
  EXPECT_EQ(s.total_ess, std::nullopt);
}

TEST(Diagnostics, ASummaryHoldsWhatItsSamplesHold) {
  std::vector<double> x;
  for (int i = 0; i < 101; ++i) x.push_back((i * 37) % 101);
  const Summary s = summarize({x});
  EXPECT_DOUBLE_EQ(s.mean, 50);
  EXPECT_DOUBLE_EQ(s.median, 50);
  EXPECT_NEAR(s.variance, 101 * 102 / 12.0, 1e-9);
  EXPECT_DOUBLE_EQ(s.high - s.low, 95);
}

TEST(Variates, HaveTheirDistributions) {
  for (const double shape : {0.3, 1.0, 4.5}) {
    Random random(11);
    std::vector<double> x;
    for (int i = 0; i < 20000; ++i) x.push_back(gamma_variate(random, shape));
    EXPECT_LT(kolmogorov_smirnov(x, [&](double v) { return gamma_probability(shape, v); }), rarely_passed) << shape;
  }
  Random random(12);
  std::vector<double> x, first;
  for (int i = 0; i < 20000; ++i) {
    x.push_back(normal(random));
    std::array<double, 3> parts = {1, 2, 1};
    dirichlet(random, parts.data(), 3, parts.data());
    first.push_back(parts[0]);
  }
  EXPECT_LT(kolmogorov_smirnov(x, [](double v) { return std::erfc(-v / std::sqrt(2)) / 2; }), rarely_passed);
  EXPECT_LT(kolmogorov_smirnov(first, [](double v) { return 1 - std::pow(1 - v, 3); }), rarely_passed);
}

TEST(Variates, ADirichletDensityIsThatOfItsMarginals) {
  const std::array<double, 2> parts = {0.3, 0.7}, shapes = {2, 3};
  EXPECT_NEAR(log_dirichlet(parts.data(), shapes.data(), 2), std::log(12 * 0.3 * 0.7 * 0.7), 1e-12);
}

}  // namespace
}  // namespace phylo
