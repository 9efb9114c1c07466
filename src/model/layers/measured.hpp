#pragma once
// Numbers that carry their error bar, and how errors of independent numbers add up.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace maslin::layers {

/// A number with its standard error, in the number's unit.
struct measured {
  double value = 0;
  double error = 0;
};

/// A point of a curve that was measured.
struct point {
  double at = 0;
  measured is;
};

/// Gives the mean of some samples and its standard error; nothing is known of the error of a single one.
inline measured mean_of(std::span<const double> samples) {
  if (samples.empty()) return {};
  double sum = 0;
  for (const double s : samples) sum += s;
  const auto count = static_cast<double>(samples.size());
  const double mean = sum / count;
  if (samples.size() < 2) return {mean, 0};
  double squares = 0;
  for (const double s : samples) squares += (s - mean) * (s - mean);
  return {mean, std::sqrt(squares / (count - 1) / count)};
}

/// Fits the one parameter of α(p) = 1 + a (p - 1) to slow-downs measured with p threads on one hardware thread (4.1),
/// by least squares: a = Σ (p - 1)(α - 1) / Σ (p - 1)². Its error is that of the residuals; with one point beside p = 1
/// it is that of the point. Never below 0.
inline measured fit_contention(std::span<const point> slow_downs) {
  double products = 0, squares = 0;
  int used = 0;
  measured last;
  double last_distance = 1;
  for (const point& p : slow_downs) {
    const double distance = p.at - 1;
    if (distance <= 0) continue;
    products += distance * (p.is.value - 1);
    squares += distance * distance;
    last = p.is;
    last_distance = distance;
    ++used;
  }
  if (used == 0) return {};
  const double a = products / squares;
  if (used == 1) return {a > 0 ? a : 0, last.error / last_distance};
  double residuals = 0;
  for (const point& p : slow_downs) {
    const double distance = p.at - 1;
    if (distance <= 0) continue;
    const double off = p.is.value - 1 - a * distance;
    residuals += off * off;
  }
  return {a > 0 ? a : 0, std::sqrt(residuals / (used - 1) / squares)};
}

/// Gives the curve at `at`, on straight lines between the points, which are in their order. Below the first it is the
/// first; beyond the last it goes on as the last line does, which never falls: a larger message takes no less.
inline measured interpolate(std::span<const point> curve, double at) {
  if (curve.empty()) return {};
  if (curve.size() == 1 || at <= curve.front().at) return curve.front().is;
  const auto beyond =
      std::lower_bound(curve.begin() + 1, curve.end() - 1, at, [](const point& p, double x) { return p.at < x; });
  const auto high = static_cast<std::size_t>(beyond - curve.begin());
  const point& a = curve[high - 1];
  const point& b = curve[high];
  const double part = (at - a.at) / (b.at - a.at);
  if (part <= 1) return {a.is.value + part * (b.is.value - a.is.value), a.is.error + part * (b.is.error - a.is.error)};
  const double slope = b.is.value > a.is.value ? (b.is.value - a.is.value) / (b.at - a.at) : 0;
  return {b.is.value + slope * (at - b.at), b.is.error * part};
}

}  // namespace maslin::layers
