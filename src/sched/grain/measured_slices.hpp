#pragma once
// The slices that a policy was told of, and what each was worth by what is known now.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sched/grain/sample.hpp"

namespace maslin::grain {

/// Gives the rule of a first slice on so many workers: long against the milliseconds in which an operating system moves
/// threads, and shorter where more workers mean more configurations.
sample_rule first_slice(int workers);

/// How the off-loads of a slice are counted.
enum class count : std::uint8_t {
  off_loads,  ///< one each: the paper's
  work        ///< each with its kernel's mean one-worker time: the paper's extension to unbalanced tasks
};

/// Every slice is weighed with the latest mean times of the kernels. If no kernel ran in any, finished streams are
/// counted instead, one each.
class measured_slices {
 public:
  explicit measured_slices(count by = count::work) : by_(by) {}

  /// Takes in a slice; one without duration is ignored.
  void add(const sample& slice);

  /// Gives the mean throughput of the configuration's slices; nothing if there is none.
  std::optional<double> throughput(configuration under) const;

  /// Gives every slice in the order in which they were taken.
  std::vector<phase_sample> samples() const;

  /// Gives `throughput` of every configuration that has slices, the largest first. The error is that of the mean, by
  /// how far the slices are apart.
  std::vector<phase_estimate> estimates() const;
  std::string_view unit() const;

 private:
  double work(const sample& s) const;

  count by_;
  kernel_times times_;
  bool kernels_seen_ = false;
  std::vector<sample> taken_;
};

}  // namespace maslin::grain
