#pragma once
// What is believed of a phase's throughput in every configuration, from slices of a few: a Gaussian process over
// (log2 streams, log2 width). README.md says what it assumes.

#include <cstddef>
#include <vector>

#include "maslin/phase.hpp"

namespace maslin::grain {

/// log W, and how well it is known.
struct estimate {
  double mean = 0;
  double sd = 0;
};

/// What was measured of one configuration: log W in any unit, with the variance of that.
struct measured {
  configuration under;
  double log_w = 0;
  double variance = 0;
};

/// What is expected of a configuration before anything is measured, by the layered model (ps3-cluster, 4):
/// T = Tp/l + Ts + O. Throughput is counted in one-worker seconds a second, so one worker without contention gives 1.
struct expectation {
  double kernel_seconds = 0;        ///< mean one-worker time of a kernel; 0: not known
  double handing_over_seconds = 0;  ///< what sharing a kernel with a team costs, for every doubling of it
  double own = 0;                   ///< the share of the work that streams do themselves, at any width: Ts
  /// The share of their time for which workers want a CPU that others have. A team waits for each of its workers.
  double without_cpu = 0;
  double serial_share = 0.05;  ///< the part of a kernel that no team shares
  double unshared = 0;         ///< how likely it is that teams share nothing of kernels
  /// Gives log W.
  double operator()(configuration c) const;
};

class surface {
 public:
  /// `points`: each configuration once. `workers` of the phase.
  surface(int workers, expectation before, std::vector<measured> points);

  estimate at(configuration c) const;
  /// Gives by how much `points[i]` is off from what all the others let expect, and how well those know it.
  estimate off(std::size_t i) const;
  /// Gives the mean under the most probable formula.
  double likeliest(configuration c) const;

 private:
  /// What throughput may follow.
  struct formula {
    double enough;        ///< log2 of the busy workers that are enough for all that there is; infinite: no such bound
    double serial_share;  ///< as in an expectation
    double probability;
    double level = 0;                  ///< log of the unit of the points
    std::vector<double> weights = {};  ///< of the points in a mean
  };
  double expected(configuration c, const formula& f) const;
  double mean(configuration c, const formula& f, const std::vector<double>& shared) const;
  std::vector<double> shared_with_points(configuration c) const;
  double covariance(configuration a, configuration b) const;
  std::vector<double> solve_lower(std::vector<double> right) const;
  std::vector<double> solve(std::vector<double> right) const;

  double all_workers_;  ///< log2
  expectation before_;
  std::vector<measured> points_;
  std::vector<double> factor_;  ///< of the points' covariance: lower, by rows
  std::vector<formula> formulas_;
};

}  // namespace maslin::grain
