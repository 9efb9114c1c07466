#pragma once
// UCB1 (Auer, Cesa-Bianchi, Fischer: Finite-time analysis of the multiarmed bandit problem, 2002): a peer to measure
// right-sizing against. Every feasible configuration is an arm, a slice plays it, throughput is the reward.

#include <optional>
#include <vector>

#include "sched/grain/controller.hpp"
#include "sched/grain/measured_slices.hpp"

namespace maslin::grain {

/// Plays each arm once, and from then on always the one with the largest mean + sqrt(2 ln n / plays), rewards taken as
/// shares of the largest that was seen. It plays until the phase ends and never decides.
class ucb final : public controller {
 public:
  explicit ucb(situation begin);

  configuration current() const override { return current_; }
  /// Gives the only arm there is; nothing where there are several.
  std::optional<configuration> chosen() const override;
  bool sampling() const override { return !chosen(); }
  sample_rule rule() const override { return first_slice(workers_); }
  /// A slice without duration, or under what is no arm, is ignored.
  void observe(const sample& slice) override;
  /// Arms of more streams than are left are not played any more.
  void streams_left(std::int64_t left) override;
  /// Other workers have other arms; what was played of those that stay counts.
  void resize(int workers) override;
  /// Gives one an arm that was played: the sum of its slices, because there are slices as long as the phase runs.
  std::vector<phase_sample> samples() const override;
  std::vector<phase_estimate> estimates() const override;
  std::string_view unit() const override { return kernels_seen_ ? unit::work : unit::streams; }

 private:
  struct arm {
    configuration under;
    std::int64_t plays = 0;
    double kernels_per_second = 0;  // rewards, summed: kernels by their mean times when they were observed
    double streams_per_second = 0;  // and by finished streams, for phases that off-load nothing
    double kernels = 0, streams = 0, seconds = 0;
  };

  double reward(const arm& a) const { return kernels_seen_ ? a.kernels_per_second : a.streams_per_second; }
  void play();

  int workers_ = 0;
  std::int64_t left_;
  kernel_times times_;
  bool kernels_seen_ = false;
  std::vector<arm> arms_;
  std::vector<arm> away_;  // played, and too large for the workers there are now
  double largest_kernels_ = 0, largest_streams_ = 0;
  configuration current_;
};

}  // namespace maslin::grain
