#pragma once
// The length of a branch that maximizes the likelihood.

#include <algorithm>
#include <cmath>

#include "phylo/like/kernels.hpp"

namespace phylo {

/// Climbs to a maximum of a log-likelihood over [shortest, longest]: whoever has it computes the derivatives at `at()`
/// and hands them over, until it is done. Newton-Raphson, except that each step goes to the top of the curve a log t -
/// b t instead of the parabola that has the derivatives at hand: that is how a branch with `a` changes behaves, and far
/// from the top it takes a third fewer steps. A step that leaves the interval known to hold the maximum is replaced by
/// one inside. Ends after `iterations` derivatives, or when the next step would gain less than `tolerance`.
class LengthSearch {
 public:
  LengthSearch(double length, double shortest, double longest, int iterations, double tolerance)
      : shortest_(shortest),
        longest_(longest),
        low_(shortest),
        high_(longest),
        at_(std::clamp(length, shortest, longest)),
        left_(iterations),
        tolerance_(tolerance) {}

  bool done() const { return left_ <= 0; }
  /// Where it stands: the result when it is done.
  double at() const { return at_; }

  void take(const Slopes& s) {
    const double t = at_;
    --left_;
    if (s.first > 0) {
      low_ = t;
      low_tried_ = true;
      if (t >= longest_) return stop();
    } else {
      high_ = t;
      high_tried_ = true;
      if (t <= shortest_) return stop();
    }
    constexpr double stride = 8, dive = 1e-3;
    // The second derivative by the logarithm of t, divided by t.
    const double bend = s.second * t + s.first;
    double factor = s.first > 0 ? stride : 1 / stride;
    if (bend < 0) factor = s.second < 0 ? s.second * t / bend : std::exp(-s.first / bend);
    double next = t * std::clamp(factor, dive, stride);
    if (next <= low_) next = low_tried_ ? std::sqrt(low_ * t) : low_;
    if (next >= high_) next = high_tried_ ? std::sqrt(high_ * t) : high_;
    const bool settled = s.second < 0 && s.first * s.first < -2 * tolerance_ * s.second;
    at_ = next;
    if (settled || next == t) stop();
  }

 private:
  void stop() { left_ = 0; }

  double shortest_, longest_;
  double low_, high_;
  bool low_tried_ = false, high_tried_ = false;
  double at_;
  int left_;
  double tolerance_;
};

/// Gives the maximum that a search from `length` ends at; `slopes(t)` gives the derivatives.
template <class GetSlopes>
double maximize_length(double length, double shortest, double longest, int iterations, double tolerance,
                       GetSlopes&& slopes) {
  LengthSearch search(length, shortest, longest, iterations, tolerance);
  while (!search.done()) search.take(slopes(search.at()));
  return search.at();
}

}  // namespace phylo
