#pragma once
// The length of a branch that maximizes the likelihood.

#include <algorithm>
#include <cmath>

#include "phylo/like/kernels.hpp"

namespace phylo {

/// Gives a maximum of a function over [shortest, longest] by Newton-Raphson from `length`: `slopes(t)` gives its
/// derivatives. A step that leaves the interval known to hold the maximum is replaced by one inside, and where the
/// curve bends upwards the slope is followed. Ends after `iterations` derivatives, or when the next step would gain
/// less than `tolerance`.
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
    constexpr double stride = 8;
    double next = s.second < 0 ? t - s.first / s.second : s.first > 0 ? t * stride : t / stride;
    // From a steep flank the tangent overshoots; lengths are compared by their ratio.
    next = std::clamp(next, t / (4 * stride), std::max(t * stride, 0.01));
    if (next <= low) next = low_tried ? std::sqrt(low * t) : low;
    if (next >= high) next = high_tried ? std::sqrt(high * t) : high;
    const bool settled = s.second < 0 && s.first * s.first < -2 * tolerance * s.second;
    if (settled || next == t) return next;
    t = next;
  }
  return t;
}

}  // namespace phylo
