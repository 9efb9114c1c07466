#pragma once
// `auto`: the configuration of a phase from as little sampling as pays. README.md says how it decides.

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/grain/controller.hpp"
#include "sched/grain/surface.hpp"

namespace maslin::grain {

class automatic final : public controller {
 public:
  explicit automatic(const situation& begin);

  configuration current() const override { return current_; }
  /// Gives what was believed best when nothing was worth another sample.
  std::optional<configuration> chosen() const override { return chosen_; }
  void streams_left(std::int64_t left) override;
  void resize(int workers) override;
  void decide() override;

  /// Always: what nothing else is to be tried beside is watched.
  bool sampling() const override { return workers_ > 1; }
  sample_rule rule() const override;
  void observe(const sample& slice) override;
  std::vector<phase_sample> samples() const override;
  bool keeps_even() const override { return true; }

  knowledge learned() const override;

 private:
  struct slice {
    sample measured;
    int era;  ///< how often throughput had changed of itself before it
  };
  /// What is known of one configuration.
  struct summary {
    measured what;
    int slices = 0;  ///< 0: what an earlier run says
    int fresh = 0;   ///< of this era
  };
  struct candidate {
    configuration under;
    estimate log_w;
    const summary* known;
  };

  void look_for_change();
  void learn_noise();
  std::vector<summary> summaries() const;
  summary summarize(configuration c, std::vector<const slice*> of) const;
  std::vector<configuration> field() const;
  double log_throughput(const sample& s) const;
  double variance(const slice& s) const;
  double seconds_left(configuration under) const;
  double slice_seconds(int slices) const;

  int workers_;
  std::int64_t streams_;
  std::int64_t left_;
  double handing_over_seconds_;
  std::vector<knowledge> before_;  ///< of earlier runs; the first counts, of an input of this one's size
  kernel_times times_;
  std::vector<slice> taken_;
  std::vector<double> mix_;  ///< of kernels lately: each one's share of the work
  double noise_ = 0;         ///< variance of log W of a slice, times how sure its length makes it
  int era_ = 0;
  double now_ = 0;  ///< seconds since the phase began, at the latest slice
  configuration current_;
  std::optional<configuration> chosen_;
};

}  // namespace maslin::grain
