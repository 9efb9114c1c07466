#include "phylo/like/quasi_newton.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace phylo {
namespace {

using Vector = std::vector<double>;

constexpr double difference = 1e-4;   ///< width of the differences that give slopes
constexpr double longest_step = 1.5;  ///< of one parameter
constexpr int most_steps = 100;
constexpr int most_trials = 8;

class Climb {
 public:
  Climb(const std::function<double(const Vector&)>& f, Vector& x, double value, const Box& box, Curvature& curvature,
        const KnownSlopes& known)
      : f_(f), x_(x), value_(value), box_(box), inverse_(curvature.inverse), known_slopes_(known), n_(x.size()) {}

  double run(double epsilon) {
    if (n_ == 0) return value_;
    if (inverse_.size() != n_ * n_) measure_curvature();
    Vector slope = slopes();
    for (int step = 0; step < most_steps; ++step) {
      const Vector direction = ascent(slope);
      double promised = 0;
      for (std::size_t i = 0; i < n_; ++i) promised += 0.5 * slope[i] * direction[i];
      if (promised <= 0 && !fresh_) {
        measure_curvature();
        slope = slopes();
        continue;
      }
      if (promised < epsilon / 10) break;
      const Vector before = x_;
      const double gain = search_line(direction, 2 * promised);
      if (gain <= 0) {
        // The slopes are not exact enough, or the curvature that was kept misleads: look again.
        if (central_ && fresh_) break;
        if (central_) measure_curvature();
        central_ = true;
        slope = slopes();
        continue;
      }
      if (gain < epsilon && promised < epsilon) break;
      const Vector old_slope = slope;
      slope = slopes();
      update(before, old_slope, slope);
    }
    if (!at_x_) f_(x_);
    return value_;
  }

 private:
  double call(const Vector& x) {
    at_x_ = false;
    return f_(x);
  }

  /// A width of difference at x_[i] that stays within the bounds.
  double width(std::size_t i) const { return x_[i] + difference <= box_.high[i] ? difference : -difference; }

  /// What is known where it stands.
  const Known& known() {
    if (!known_slopes_ || known_at_x_) return known_;
    if (!at_x_) call(x_);
    at_x_ = true;
    known_ = known_slopes_(x_);
    known_at_x_ = true;
    return known_;
  }

  Vector slopes() {
    Vector slope = known().slopes;
    slope.resize(n_, unknown);
    for (std::size_t i = 0; i < n_; ++i) {
      if (!std::isnan(slope[i])) continue;
      Vector moved = x_;
      moved[i] += width(i);
      const double there = call(moved);
      slope[i] = (there - value_) / width(i);
      if (central_ && x_[i] - difference >= box_.low[i] && x_[i] + difference <= box_.high[i]) {
        moved[i] = x_[i] - difference;
        slope[i] = (there - call(moved)) / (2 * difference);
      }
    }
    return slope;
  }

  /// Sets the inverse to that of the diagonal of the second derivatives.
  void measure_curvature() {
    constexpr double wide = 0.02;
    // Where the function is flat or bends upwards, as if it gained this much per unit squared.
    constexpr double least_bend = 1;
    // What is known to bend so little does: changes that hardly ever happen.
    constexpr double least_known_bend = 0.01;
    Vector bends = known().bends;
    bends.resize(n_, unknown);
    inverse_.assign(n_ * n_, 0);
    for (std::size_t i = 0; i < n_; ++i) {
      if (!std::isnan(bends[i])) {
        inverse_[i * n_ + i] = 1 / std::max(least_known_bend, bends[i]);
        continue;
      }
      const double centre = std::clamp(x_[i], box_.low[i] + wide, box_.high[i] - wide);
      Vector at = x_;
      at[i] = centre;
      const double middle = centre == x_[i] ? value_ : call(at);
      at[i] = centre + wide;
      const double right = call(at);
      at[i] = centre - wide;
      const double left = call(at);
      inverse_[i * n_ + i] = 1 / std::max(least_bend, (2 * middle - left - right) / (wide * wide));
    }
    fresh_ = true;
  }

  bool blocked(std::size_t i, double by) const {
    return (x_[i] <= box_.low[i] && by < 0) || (x_[i] >= box_.high[i] && by > 0);
  }

  Vector ascent(const Vector& slope) const {
    Vector d(n_, 0.0);
    double longest = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      if (blocked(i, slope[i])) continue;
      for (std::size_t j = 0; j < n_; ++j)
        if (!blocked(j, slope[j])) d[i] += inverse_[i * n_ + j] * slope[j];
      longest = std::max(longest, std::abs(d[i]));
    }
    if (longest > longest_step)
      for (double& v : d) v *= longest_step / longest;
    return d;
  }

  /// Goes along the direction as far as it gains; `slope` is that of the function along it.
  double search_line(const Vector& direction, double slope) {
    double t = 1;
    for (int trial = 0; trial < most_trials; ++trial) {
      Vector at = x_;
      for (std::size_t i = 0; i < n_; ++i) at[i] = std::clamp(at[i] + t * direction[i], box_.low[i], box_.high[i]);
      const double there = call(at);
      const double gain = there - value_;
      if (gain > 1e-4 * t * slope) {
        x_ = at;
        value_ = there;
        at_x_ = true;
        known_at_x_ = false;
        return gain;
      }
      // The parabola through the start, its slope and this point.
      const double peak = slope * t * t / (2 * (slope * t - gain));
      t = std::clamp(peak, 0.1 * t, 0.5 * t);
    }
    return 0;
  }

  /// BFGS on the inverse: afterwards it maps the change of slope to the step that was made.
  void update(const Vector& before, const Vector& old_slope, const Vector& slope) {
    Vector s(n_), y(n_), by(n_, 0.0);
    double sy = 0, yby = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      s[i] = x_[i] - before[i];
      y[i] = old_slope[i] - slope[i];
      sy += s[i] * y[i];
    }
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) by[i] += inverse_[i * n_ + j] * y[j];
      yby += y[i] * by[i];
    }
    if (sy <= 1e-10) return;
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j)
        inverse_[i * n_ + j] += (1 + yby / sy) * s[i] * s[j] / sy - (by[i] * s[j] + s[i] * by[j]) / sy;
    fresh_ = false;
  }

  const std::function<double(const Vector&)>& f_;
  Vector& x_;
  double value_;
  const Box& box_;
  Vector& inverse_;
  const KnownSlopes& known_slopes_;
  std::size_t n_;
  Known known_;
  bool known_at_x_ = false;
  bool fresh_ = false;  ///< nothing but measured curvature
  bool at_x_ = true;
  bool central_ = false;  ///< slopes by differences to both sides
};

}  // namespace

double maximize(const std::function<double(const Vector&)>& f, Vector& x, double value, const Box& box, double epsilon,
                Curvature& curvature, const KnownSlopes& known) {
  return Climb(f, x, value, box, curvature, known).run(epsilon);
}

}  // namespace phylo
