#pragma once
// `auto`: the configuration of a phase from as little sampling as pays. README.md says how it decides.

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/grain/controller.hpp"
#include "sched/grain/surface.hpp"
#include "sched/grain/work_mix.hpp"

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
  void observe(const sample& seen) override;
  std::vector<phase_sample> samples() const override;
  /// Gives the mean as configurations are compared: while no stream has ended, over the rest of the phase.
  std::vector<phase_estimate> estimates() const override { return estimates_; }
  std::string_view unit() const override;
  bool counts_own_code() const override { return true; }
  bool counts_cpu_time() const override { return true; }
  bool keeps_even() const override { return true; }

  knowledge learned() const override;

 private:
  struct slice {
    sample measured;
    int era;    ///< how often throughput had changed of itself before it
    bool tail;  ///< no stream was left to begin when it ended
  };
  /// What is known of one configuration.
  struct summary {
    measured what;
    int slices = 0;  ///< 0: what an earlier run says
    int fresh = 0;   ///< of this era
  };
  /// How much of their own streams do to a second of kernels, by slices of a configuration; logarithms.
  struct pace {
    configuration under;
    double sum, squares;
    int slices;
    double log_pace = 0;  ///< how much longer it takes there than elsewhere
  };
  struct throughput {
    double log_w;
    double not_seen;     ///< which share of what is to come the slice says nothing of
    double scatter = 0;  ///< variance of log_w because executions of one kernel take unequally long
  };
  /// A slice, and what it says of streams whose work has some mix.
  struct judged {
    const slice* of;
    throughput w;
  };
  struct candidate {
    configuration under;
    estimate log_w;
    const summary* known;
  };

  void keep_estimates(const std::vector<candidate>& candidates);
  sample undisturbed(sample of);
  void learn_paces();
  double pace_of_own_code(configuration under) const;
  void look_for_change();
  void learn_noise();
  void learn_spread();
  const knowledge* same_input() const;
  std::vector<summary> measured_here(const work_parts& shares, bool with_tail) const;
  std::vector<summary> summaries(const work_parts& shares, bool with_tail, const knowledge* earlier) const;
  judged judge(const slice& s, const work_parts& shares) const;
  summary summarize(configuration c, std::vector<judged> of) const;
  std::vector<configuration> field() const;
  expectation expected() const;
  const work_parts& to_come() const;
  double own() const;
  throughput throughput_of(const sample& s, const work_parts& shares) const;
  double variance(const slice& s, const throughput& w) const;
  double kernels_wanted(int streams) const;
  double seconds_left(configuration under) const;
  double slice_seconds(int slices) const;

  int workers_;
  std::int64_t streams_;
  std::int64_t left_;
  double handing_over_seconds_;
  bool calls_libraries_;
  std::vector<knowledge> before_;  ///< of earlier runs; the first of this one's input counts
  kernel_times times_;
  std::vector<slice> taken_;
  work_mix mix_;
  std::vector<pace> paces_;
  double noise_ = 0;   ///< variance of log W of a slice, times how sure its length makes it
  double spread_ = 0;  ///< variance of log W because executions are unequal, times how many there are
  int era_ = 0;
  double own_so_far_ = 0;        ///< what the latest slice said
  double own_had_ = 0;           ///< of that, while there was a CPU for it
  double now_ = 0;               ///< seconds since the phase began, at the latest slice
  double changing_seconds_ = 0;  ///< from decisions for another configuration until its first slice began
  int changes_ = 0;
  /// So many streams cannot stand aside and do not end soon: they have not off-loaded yet, and none ended in the latest
  /// slice. A configuration of fewer streams would not come into force, and all others would stand aside for it.
  int held_ = 0;
  configuration current_;
  std::optional<configuration> chosen_;
  std::vector<phase_estimate> estimates_;
  std::optional<configuration> estimates_of_;  ///< what was chosen by them
};

}  // namespace maslin::grain
