#include "sched/grain/surface.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

namespace maslin::grain {

namespace {

// How far throughput may be from what is expected, in log W. Configurations an octave of streams or width apart differ
// from the expectation by a fifth of each other; those beside each other by some percent; each has a quirk of its own.
constexpr double far_sd = 0.6;
constexpr double far_octaves = 3;
constexpr double near_sd = 0.06;
constexpr double near_octaves = 0.8;
constexpr double own_sd = 0.01;
// What else workers take from each other (memory, caches, hosts) for every octave of busy workers.
constexpr double contention_sd = 0.15;

// How likely it is that something bounds throughput; each bound is as likely as any other, and none likelier than
// `one_bound`. Beyond a bound, workers disturb each other: twice as many as it takes do a sixth less.
constexpr double bounded = 0.3;
constexpr double one_bound = 0.1;
constexpr double disturbance = 0.25;

double octaves(double count) { return std::log2(count); }

double mean_width(configuration c) { return c.width + static_cast<double>(c.wider) / c.streams; }

}  // namespace

double expectation::operator()(configuration c) const {
  const double w = mean_width(c);
  double one = serial_share + (1 - serial_share) / w;
  if (w > 1 && kernel_seconds > 0) one += handing_over_seconds * std::log2(w) / kernel_seconds;
  return std::log(c.streams / (own + (1 - own) * std::min(one, 1.0))) + (w - 1) * std::log(1 - without_cpu);
}

double surface::expected(configuration c, const formula& f) const {
  expectation e = before_;
  e.serial_share = f.serial_share;
  const double beyond = std::max(0.0, octaves(c.streams) + octaves(mean_width(c)) - f.enough);
  return e(c) - (1 + disturbance) * std::numbers::ln2 * beyond;
}

surface::surface(int workers, expectation before, std::vector<measured> points)
    : all_workers_(octaves(workers)), before_(before), points_(std::move(points)) {
  const std::size_t n = points_.size();
  factor_.resize(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = covariance(points_[i].under, points_[j].under);
      if (i == j) rest += points_[i].variance;
      for (std::size_t k = 0; k < j; ++k) rest -= factor_[i * n + k] * factor_[j * n + k];
      factor_[i * n + j] = i == j ? std::sqrt(std::max(rest, 1e-12)) : rest / factor_[j * n + j];
    }
  }

  const int halvings = static_cast<int>(all_workers_);
  const double each_bound = halvings > 0 ? std::min(bounded / halvings, one_bound) : 0;
  const auto with = [&](double serial_share, double probability) {
    if (probability <= 0) return;
    const double infinite = std::numeric_limits<double>::infinity();
    formulas_.push_back({infinite, serial_share, probability * (1 - halvings * each_bound)});
    for (int k = 1; k <= halvings; ++k) formulas_.push_back({all_workers_ - k, serial_share, probability * each_bound});
  };
  with(before_.serial_share, 1 - before_.unshared);
  with(1, before_.unshared);
  if (n == 0) return;
  const std::vector<double> ones = solve(std::vector<double>(n, 1));
  const double all_ones = std::accumulate(ones.begin(), ones.end(), 0.0);
  std::vector<double> off_by;  // half of the squared distances from the points
  for (formula& f : formulas_) {
    std::vector<double> rest;
    for (const measured& p : points_) rest.push_back(p.log_w - expected(p.under, f));
    f.level = std::inner_product(rest.begin(), rest.end(), ones.begin(), 0.0) / all_ones;
    for (double& r : rest) r -= f.level;
    f.weights = solve(rest);
    off_by.push_back(std::inner_product(rest.begin(), rest.end(), f.weights.begin(), 0.0) / 2);
  }
  const double least = *std::ranges::min_element(off_by);
  double sum = 0;
  for (std::size_t i = 0; i < formulas_.size(); ++i) sum += formulas_[i].probability *= std::exp(least - off_by[i]);
  for (formula& f : formulas_) f.probability /= sum;
}

std::vector<double> surface::solve_lower(std::vector<double> right) const {
  const std::size_t n = points_.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) right[i] -= factor_[i * n + k] * right[k];
    right[i] /= factor_[i * n + i];
  }
  return right;
}

std::vector<double> surface::solve(std::vector<double> right) const {
  const std::size_t n = points_.size();
  right = solve_lower(std::move(right));
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) right[i] -= factor_[k * n + i] * right[k];
    right[i] /= factor_[i * n + i];
  }
  return right;
}

double surface::covariance(configuration a, configuration b) const {
  const double streams = octaves(a.streams) - octaves(b.streams);
  const double width = octaves(mean_width(a)) - octaves(mean_width(b));
  const double apart = streams * streams + width * width;
  const double idle_a = all_workers_ - octaves(a.streams) - octaves(mean_width(a));
  const double idle_b = all_workers_ - octaves(b.streams) - octaves(mean_width(b));
  return far_sd * far_sd * std::exp(-apart / (2 * far_octaves * far_octaves)) +
         near_sd * near_sd * std::exp(-apart / (2 * near_octaves * near_octaves)) +
         contention_sd * contention_sd * std::min(idle_a, idle_b) + (a == b ? own_sd * own_sd : 0);
}

std::vector<double> surface::shared_with_points(configuration c) const {
  std::vector<double> shared;
  for (const measured& p : points_) shared.push_back(covariance(c, p.under));
  return shared;
}

double surface::mean(configuration c, const formula& f, const std::vector<double>& shared) const {
  return f.level + expected(c, f) + std::inner_product(f.weights.begin(), f.weights.end(), shared.begin(), 0.0);
}

double surface::likeliest(configuration c) const {
  return mean(c, *std::ranges::max_element(formulas_, {}, &formula::probability), shared_with_points(c));
}

estimate surface::at(configuration c) const {
  std::vector<double> shared = shared_with_points(c);
  double mean = 0;
  double squares = 0;
  for (const formula& f : formulas_) {
    const double one = this->mean(c, f, shared);
    mean += f.probability * one;
    squares += f.probability * one * one;
  }
  double variance = covariance(c, c) + std::max(0.0, squares - mean * mean);
  for (const double reduced : solve_lower(std::move(shared))) variance -= reduced * reduced;
  return {mean, std::sqrt(std::max(variance, 0.0))};
}

estimate surface::off(std::size_t i) const {
  // Of the inverse of the points' covariance: its diagonal says how well the others know a point, itself included.
  std::vector<double> unit(points_.size());
  unit[i] = 1;
  double diagonal = 0;
  for (const double one : solve_lower(std::move(unit))) diagonal += one * one;
  double weight = 0;
  for (const formula& f : formulas_) weight += f.probability * f.weights[i];
  return {weight / diagonal, std::sqrt(1 / diagonal)};
}

}  // namespace maslin::grain
