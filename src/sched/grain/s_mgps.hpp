#pragma once
// S-MGPS (multigrain-cell, 6.2): every feasible configuration is sampled once, and the one with the largest measured
// throughput stays.

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/grain/controller.hpp"
#include "sched/grain/measured_slices.hpp"

namespace maslin::grain {

/// Step 1 samples one stream at every width and finds the best; step 2 samples all of `feasible` up to that width. Of
/// configurations with equal throughput the one that uses less stays.
class s_mgps final : public controller {
 public:
  s_mgps(const situation& begin, count by);

  /// Gives the configuration to be sampled next, later the chosen one, or, when fewer streams are left than it runs at
  /// a time, the best that is known for as many.
  configuration current() const override { return current_; }
  bool sampling() const override { return step_ != step::done; }
  std::optional<configuration> chosen() const override { return chosen_; }

  /// The paper's: a sample ends when each active stream has finished one unit, a stream of the phase. Where all streams
  /// run at a time there are no more units, and it ends after an interval with a number of off-loads.
  sample_rule rule() const override;
  void observe(const sample& slice) override;
  void streams_left(std::int64_t left) override;
  /// The search starts again, but samples of configurations that are still possible count.
  void resize(int workers) override;
  std::vector<phase_sample> samples() const override { return measured_.samples(); }
  std::vector<phase_estimate> estimates() const override { return measured_.estimates(); }
  std::string_view unit() const override { return measured_.unit(); }

 private:
  enum class step : std::uint8_t { widths, grid, done };

  void advance();
  /// Gives the best that was sampled among `all`, none of more than `streams`; the first of them if none was.
  configuration best(const std::vector<configuration>& all, std::int64_t streams) const;

  int workers_;
  std::int64_t streams_;
  std::int64_t left_;
  measured_slices measured_;
  std::vector<configuration> field_;  ///< of this step
  step step_ = step::widths;
  configuration current_;
  std::optional<configuration> chosen_;
};

}  // namespace maslin::grain
