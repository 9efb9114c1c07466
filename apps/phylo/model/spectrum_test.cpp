#include "phylo/model/spectrum.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "phylo/io/patterns.hpp"

namespace {

using phylo::Matrix;
using phylo::Model;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(16);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 4; ++k) c[4 * i + j] += a[4 * i + k] * b[4 * k + j];
  return c;
}

Model uneven() {
  Model m;
  m.rates = {1.15, 7.7, 0.08, 0.33, 93.8, 1};
  m.frequencies = {0.45, 0.05, 0.2, 0.3};
  return m;
}

std::vector<Model> models() {
  Model equal;
  Model extreme = uneven();
  extreme.rates = {1e-4, 1e4, 1e-4, 1e-4, 1e4, 1};
  extreme.frequencies = {0.001, 0.499, 0.001, 0.499};
  Model hky;
  hky.ties = "010010";
  hky.rates = {1, 4, 1, 1, 4, 1};
  hky.frequencies = {0.1, 0.2, 0.3, 0.4};
  return {equal, uneven(), extreme, hky};
}

TEST(Spectrum, RatesAreScaledToOneSubstitution) {
  for (const Model& m : models()) {
    const Matrix q = phylo::rate_matrix(m);
    double speed = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      speed -= m.frequencies[i] * q[5 * i];
      EXPECT_NEAR(q[4 * i] + q[4 * i + 1] + q[4 * i + 2] + q[4 * i + 3], 0, 1e-12);
    }
    EXPECT_NEAR(speed, 1, 1e-13);
  }
}

TEST(Spectrum, MultipliesOutToTheRateMatrix) {
  for (const Model& m : models()) {
    const auto s = phylo::decompose(m);
    const Matrix q = phylo::rate_matrix(m);
    const Matrix diagonal = {s.values[0], 0, 0, 0, 0, s.values[1], 0, 0, 0, 0, s.values[2], 0, 0, 0, 0, s.values[3]};
    const Matrix back = product(product(s.right, diagonal), s.left);
    const double size = -s.values[3];
    for (std::size_t i = 0; i < 16; ++i) EXPECT_NEAR(back[i], q[i], 1e-12 * size);
    const Matrix one = product(s.left, s.right);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(one[4 * i + j], i == j ? 1 : 0, 1e-12);
    EXPECT_EQ(s.values[0], 0);
    for (std::size_t k = 1; k < 4; ++k) EXPECT_LT(s.values[k], 0);
  }
}

TEST(Spectrum, ProbabilitiesSumToOneAndComposeOverTime) {
  for (const Model& m : models()) {
    const auto s = phylo::decompose(m);
    for (double t : {0.0, 1e-6, 1e-3, 0.1, 1.0, 20.0}) {
      const Matrix p = phylo::transition_matrix(s, t);
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(p[4 * i] + p[4 * i + 1] + p[4 * i + 2] + p[4 * i + 3], 1, 1e-12) << t;
        for (std::size_t j = 0; j < 4; ++j) {
          EXPECT_GE(p[4 * i + j], 0);
          // Time reversibility.
          EXPECT_NEAR(m.frequencies[i] * p[4 * i + j], m.frequencies[j] * p[4 * j + i], 1e-13);
        }
      }
      const Matrix twice = product(p, phylo::transition_matrix(s, 0.7));
      const Matrix sum = phylo::transition_matrix(s, t + 0.7);
      for (std::size_t i = 0; i < 16; ++i) EXPECT_NEAR(twice[i], sum[i], 1e-12);
    }
  }
}

TEST(Spectrum, ShortTimesKeepTheirDigits) {
  const Model m = uneven();
  const auto s = phylo::decompose(m);
  const Matrix q = phylo::rate_matrix(m);
  const double t = 1e-10;
  const Matrix p = phylo::transition_matrix(s, t);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      if (i != j) {
        EXPECT_NEAR(p[4 * i + j] / (q[4 * i + j] * t), 1, 1e-6);
      }
}

TEST(Spectrum, JukesCantorIsTheClosedForm) {
  Model jc;
  jc.ties = "000000";
  const auto s = phylo::decompose(jc);
  const Matrix p = phylo::transition_matrix(s, 0.3);
  EXPECT_NEAR(p[0], 0.25 + 0.75 * std::exp(-0.4), 1e-15);
  EXPECT_NEAR(p[1], 0.25 - 0.25 * std::exp(-0.4), 1e-15);
}

TEST(Model, CategoriesOfAModelWithInvariantSitesRunFaster) {
  Model m;
  m.categories = 4;
  m.alpha = 0.5;
  m.with_invariant = true;
  m.invariant = 0.2;
  const auto rates = phylo::category_rates(m);
  EXPECT_NEAR((rates[0] + rates[1] + rates[2] + rates[3]) / 4 * 0.8, 1, 1e-12);
}

phylo::Patterns patterns(const std::vector<std::vector<std::uint8_t>>& rows, std::vector<std::uint32_t> weights) {
  phylo::Patterns p;
  p.taxa = static_cast<int>(rows.size());
  p.count = static_cast<int>(weights.size());
  for (const auto& row : rows) p.codes.insert(p.codes.end(), row.begin(), row.end());
  p.weights = std::move(weights);
  return p;
}

TEST(Model, EmpiricalFrequenciesCountBasesByTheirWeights) {
  const auto f = phylo::empirical_frequencies(patterns({{1, 2, 4, 8}, {1, 1, 15, 15}}, {3, 2, 1, 4}));
  // A: 3 + 3 + 2, C: 2, G: 1, T: 4; sites without information do not count.
  EXPECT_NEAR(f[0], 8.0 / 15, 1e-12);
  EXPECT_NEAR(f[1], 2.0 / 15, 1e-12);
  EXPECT_NEAR(f[2], 1.0 / 15, 1e-12);
  EXPECT_NEAR(f[3], 4.0 / 15, 1e-12);
}

TEST(Model, AmbiguousCodesShareInProportion) {
  // 6 A, 2 C, 1 G, 1 T and 10 of A-or-C: the fixed point keeps A:C at 3:1.
  const auto f = phylo::empirical_frequencies(patterns({{1, 2, 4, 8, 3}}, {6, 2, 1, 1, 10}));
  EXPECT_NEAR(f[0], 0.9 * 0.75, 1e-9);
  EXPECT_NEAR(f[1], 0.9 * 0.25, 1e-9);
  EXPECT_NEAR(f[2], 0.05, 1e-9);
}

TEST(Model, AbsentBasesKeepAPositiveFrequency) {
  const auto f = phylo::empirical_frequencies(patterns({{1, 1, 2}}, {5, 1, 4}));
  for (double x : f) EXPECT_GE(x, 0.0009);
  EXPECT_NEAR(f[0] + f[1] + f[2] + f[3], 1, 1e-15);
}

}  // namespace
