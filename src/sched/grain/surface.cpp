#include "sched/grain/surface.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
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
// What workers take from each other (memory, caches, hosts) for every octave of busy workers.
constexpr double contention_sd = 0.6;

/// The part of a kernel that no team shares, as long as nothing is known of it.
constexpr double serial_share = 0.05;

double octaves(double count) { return std::log2(count); }

double mean_width(configuration c) { return c.width + static_cast<double>(c.wider) / c.streams; }

}  // namespace

double expectation::operator()(configuration c) const {
  const double w = mean_width(c);
  double one = serial_share + (1 - serial_share) / w;
  if (w > 1 && kernel_seconds > 0) one += handing_over_seconds * std::log2(w) / kernel_seconds;
  return std::log(c.streams / (own + (1 - own) * std::min(one, 1.0)));
}

surface::surface(int workers, expectation before, std::vector<measured> points)
    : all_workers_(octaves(workers)), before_(before), points_(std::move(points)) {
  const std::size_t n = points_.size();
  factor_.resize(n * n);
  weights_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = covariance(points_[i].under, points_[j].under);
      if (i == j) rest += points_[i].variance;
      for (std::size_t k = 0; k < j; ++k) rest -= factor_[i * n + k] * factor_[j * n + k];
      factor_[i * n + j] = i == j ? std::sqrt(std::max(rest, 1e-12)) : rest / factor_[j * n + j];
    }
    double rest = points_[i].log_w - before_(points_[i].under);
    for (std::size_t k = 0; k < i; ++k) rest -= factor_[i * n + k] * weights_[k];
    weights_[i] = rest / factor_[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) weights_[i] -= factor_[k * n + i] * weights_[k];
    weights_[i] /= factor_[i * n + i];
  }
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

estimate surface::at(configuration c) const {
  const std::size_t n = points_.size();
  estimate e{before_(c), covariance(c, c)};
  std::vector<double> reduced(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double shared = covariance(c, points_[i].under);
    e.mean += shared * weights_[i];
    double rest = shared;
    for (std::size_t k = 0; k < i; ++k) rest -= factor_[i * n + k] * reduced[k];
    reduced[i] = rest / factor_[i * n + i];
    e.sd -= reduced[i] * reduced[i];
  }
  e.sd = std::sqrt(std::max(e.sd, 0.0));
  return e;
}

estimate surface::off(std::size_t i) const {
  // Of the inverse of the points' covariance: its diagonal says how well the others know a point, itself included.
  const std::size_t n = points_.size();
  std::vector<double> column(n);
  double diagonal = 0;
  for (std::size_t row = i; row < n; ++row) {
    double rest = row == i ? 1 : 0;
    for (std::size_t k = i; k < row; ++k) rest -= factor_[row * n + k] * column[k];
    column[row] = rest / factor_[row * n + row];
    diagonal += column[row] * column[row];
  }
  return {weights_[i] / diagonal, std::sqrt(1 / diagonal)};
}

}  // namespace maslin::grain
