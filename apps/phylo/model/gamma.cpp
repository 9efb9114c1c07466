#include "phylo/model/gamma.hpp"

#include <math.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace phylo {

double log_gamma(double x) {
  int sign;  // std::lgamma writes it into a global
  return lgamma_r(x, &sign);
}

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// x^shape e^-x / Gamma(shape), in logarithms because each factor may overflow.
double power_term(double shape, double x) { return std::exp(shape * std::log(x) - x - log_gamma(shape)); }

/// P by its power series, which converges fast for x < shape + 1.
double lower_series(double shape, double x) {
  double term = 1 / shape;
  double sum = term;
  for (double k = shape + 1; term > sum * epsilon; ++k) {
    term *= x / k;
    sum += term;
  }
  return sum * power_term(shape, x);
}

/// 1 - P by its continued fraction (modified Lentz), which converges fast for x > shape + 1.
double upper_fraction(double shape, double x) {
  constexpr double tiny = 1e-300;
  constexpr int most_terms = 10000;
  double b = x + 1 - shape;
  double c = 1 / tiny;
  double d = 1 / b;
  double h = d;
  for (int i = 1; i < most_terms; ++i) {
    const double a = -i * (i - shape);
    b += 2;
    d = a * d + b;
    if (std::abs(d) < tiny) d = tiny;
    c = b + a / c;
    if (std::abs(c) < tiny) c = tiny;
    d = 1 / d;
    const double factor = d * c;
    h *= factor;
    if (std::abs(factor - 1) < 2 * epsilon) break;
  }
  return h * power_term(shape, x);
}

}  // namespace

double gamma_probability(double shape, double x) {
  if (x <= 0) return 0;
  return x < shape + 1 ? lower_series(shape, x) : 1 - upper_fraction(shape, x);
}

double gamma_quantile(double shape, double probability) {
  if (probability <= 0) return 0;
  // The smallest x that the leading term of the series allows: P(shape, x) <= x^shape / Gamma(shape + 1).
  const double lowest = (std::log(probability) + log_gamma(shape + 1)) / shape;
  if (lowest < std::log(std::numeric_limits<double>::min())) return 0;
  // Newton's method in log x, where P is smooth down to zero, kept inside a bracket.
  double low = lowest;
  double high = std::log(shape + 1);
  while (gamma_probability(shape, std::exp(high)) < probability) high += 1;
  double u = low;
  for (int step = 0; step < 200; ++step) {
    const double x = std::exp(u);
    const double excess = gamma_probability(shape, x) - probability;
    (excess > 0 ? high : low) = u;
    const double slope = power_term(shape, x);
    double next = slope > 0 ? u - excess / slope : low;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const bool settled = std::abs(next - u) <= 4 * epsilon * std::max(1.0, std::abs(u));
    u = next;
    if (settled) break;
  }
  return std::exp(u);
}

std::vector<double> discrete_gamma(double shape, int categories) {
  std::vector<double> rates(static_cast<std::size_t>(categories), 1.0);
  // The mean of x over (a, b) of a gamma density of shape s is that of the density of shape s + 1, times s.
  double below = 0;
  for (int i = 0; i < categories; ++i) {
    const double upto =
        i + 1 == categories ? 1 : gamma_probability(shape + 1, gamma_quantile(shape, double(i + 1) / categories));
    rates[static_cast<std::size_t>(i)] = categories * (upto - below);
    below = upto;
  }
  return rates;
}

}  // namespace phylo
