#pragma once
// The length of a branch that maximizes the likelihood.

#include <algorithm>
#include <cmath>

#include "phylo/like/kernels.hpp"

namespace phylo {

/// Gives a maximum of a log-likelihood over [shortest, longest], from `length`; `slopes(t)` gives its derivatives.
/// Newton-Raphson, except that each step goes to the top of the curve a log t - b t instead of the parabola that has
/// the derivatives at hand: that is how a branch with `a` changes behaves, and far from the top it takes a third fewer
/// steps. A step that leaves the interval known to hold the maximum is replaced by one inside. Ends after `iterations`
/// derivatives, or when the next step would gain less than `tolerance`.
template <class GetSlopes>
double maximize_length(double length, double shortest, double longest, int iterations, double tolerance,
                       GetSlopes&& slopes) {
  double low = shortest, high = longest;
  bool low_tried = false, high_tried = false;
  double t = std::clamp(length, low, high);
  for (int i = 0; i < iterations; ++i) {
    const Slopes s = slopes(t);
    if (s.first > 0) {
      low = t;
      low_tried = true;
      if (t >= longest) return t;
    } else {
      high = t;
      high_tried = true;
      if (t <= shortest) return t;
    }
    constexpr double stride = 8, dive = 1e-3;
    // The second derivative by the logarithm of t, divided by t.
    const double bend = s.second * t + s.first;
    double factor = s.first > 0 ? stride : 1 / stride;
    if (bend < 0) factor = s.second < 0 ? s.second * t / bend : std::exp(-s.first / bend);
    double next = t * std::clamp(factor, dive, stride);
    if (next <= low) next = low_tried ? std::sqrt(low * t) : low;
    if (next >= high) next = high_tried ? std::sqrt(high * t) : high;
    const bool settled = s.second < 0 && s.first * s.first < -2 * tolerance * s.second;
    if (settled || next == t) return next;
    t = next;
  }
  return t;
}

}  // namespace phylo
