#include "phylo/like/quasi_newton.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace {

using Vector = std::vector<double>;

phylo::Box box(std::size_t n, double low, double high) { return {Vector(n, low), Vector(n, high)}; }

TEST(QuasiNewton, FindsTheTopOfATiltedParabola) {
  const auto f = [](const Vector& x) {
    const double a = x[0] - 0.3, b = x[1] + 0.7;
    return -100 * a * a - 30 * b * b - 80 * a * b + 5;
  };
  Vector x = {2, 2};
  phylo::Curvature curvature;
  EXPECT_NEAR(phylo::maximize(f, x, f(x), box(2, -5, 5), 1e-6, curvature), 5, 1e-5);
  EXPECT_NEAR(x[0], 0.3, 2e-3);
  EXPECT_NEAR(x[1], -0.7, 2e-3);
}

TEST(QuasiNewton, ClimbsACurvedRidge) {
  const auto f = [](const Vector& x) { return -100 * std::pow(x[1] - x[0] * x[0], 2) - std::pow(1 - x[0], 2); };
  Vector x = {-1.2, 1};
  phylo::Curvature curvature;
  EXPECT_NEAR(phylo::maximize(f, x, f(x), box(2, -5, 5), 1e-7, curvature), 0, 1e-4);
}

TEST(QuasiNewton, StopsAtBoundsThatTheTopLiesBehind) {
  const auto f = [](const Vector& x) { return -std::pow(x[0] - 3, 2) - std::pow(x[1] - 0.2, 2) + x[2]; };
  Vector x = {0, 0, 0};
  phylo::Curvature curvature;
  phylo::maximize(f, x, f(x), box(3, -1, 1), 1e-9, curvature);
  EXPECT_EQ(x[0], 1);
  EXPECT_NEAR(x[1], 0.2, 1e-3);
  EXPECT_EQ(x[2], 1);
}

TEST(QuasiNewton, KeptCurvatureSparesCallsAndMisleadingOneIsDropped) {
  int calls = 0;
  const auto f = [&](const Vector& x) {
    ++calls;
    const double a = x[0] - 0.3, b = x[1] + 0.7;
    return -100 * a * a - 30 * b * b - 80 * a * b;
  };
  phylo::Curvature curvature;
  Vector x = {2, 2};
  phylo::maximize(f, x, f(x), box(2, -5, 5), 1e-6, curvature);
  calls = 0;
  x = {0.35, -0.6};
  EXPECT_NEAR(phylo::maximize(f, x, f(x), box(2, -5, 5), 1e-3, curvature), 0, 1e-3);
  EXPECT_LE(calls, 12);
  phylo::Curvature wrong;
  wrong.inverse = {-50, 0, 0, -50};
  x = {2, 2};
  EXPECT_NEAR(phylo::maximize(f, x, f(x), box(2, -5, 5), 1e-6, wrong), 0, 1e-4);
}

TEST(QuasiNewton, WhatIsKnownIsNotMeasured) {
  // Fifty parameters with known slopes beside one without.
  constexpr std::size_t n = 51;
  int calls = 0, asked = 0;
  Vector last;
  const auto f = [&](const Vector& x) {
    ++calls;
    last = x;
    double value = 0;
    for (std::size_t i = 0; i < n; ++i)
      value -= static_cast<double>(i + 1) * std::pow(x[i] - 0.01 * static_cast<double>(i), 2);
    return value - 0.1 * x[0] * x[50];
  };
  const auto known = [&](const Vector& x) {
    ++asked;
    EXPECT_EQ(x, last);
    phylo::Known k;
    for (std::size_t i = 0; i < n; ++i) {
      k.slopes.push_back(-2 * static_cast<double>(i + 1) * (x[i] - 0.01 * static_cast<double>(i)) -
                         (i == 0 ? 0.1 * x[50] : 0));
      k.bends.push_back(3 * static_cast<double>(i + 1));
    }
    k.slopes[50] = k.bends[50] = phylo::unknown;
    return k;
  };
  Vector x(n, 1.0);
  phylo::Curvature curvature;
  const double top = phylo::maximize(f, x, f(x), box(n, -5, 5), 1e-6, curvature, known);
  for (std::size_t i = 1; i < n; ++i) EXPECT_NEAR(x[i], 0.01 * static_cast<double>(i), 2e-3) << i;
  EXPECT_NEAR(top, 0, 1e-3);
  EXPECT_LT(calls, 80);
  EXPECT_LE(asked, 25);
  EXPECT_EQ(last, x);
}

TEST(QuasiNewton, LastCallIsAtTheResult) {
  Vector last;
  const auto f = [&](const Vector& x) {
    last = x;
    return -std::pow(x[0] - 0.1, 2) - std::pow(x[1], 4);
  };
  Vector x = {1, 1};
  phylo::Curvature curvature;
  phylo::maximize(f, x, f(x), box(2, -2, 2), 1e-6, curvature);
  EXPECT_EQ(last, x);
}

}  // namespace
