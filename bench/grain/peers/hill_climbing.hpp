#pragma once
// Hill climbing over (streams × width), as a textbook has it: a peer to measure right-sizing against.

#include <optional>
#include <vector>

#include "sched/grain/controller.hpp"
#include "sched/grain/measured_slices.hpp"

namespace maslin::grain {

/// Gives the configurations one step from `c`: a stream more or less, a worker more or less for each. What one of the
/// two gains the other gives up, as far as streams × width would not fit. At most four.
std::vector<configuration> neighbours(configuration c, int workers, std::int64_t streams);

/// Begins with all streams at width 1, takes one slice of where it stands and of each neighbour that it does not know
/// yet, and goes to the best neighbour. Where none is better, it stays for good.
class hill_climbing final : public controller {
 public:
  explicit hill_climbing(situation begin);

  configuration current() const override { return current_; }
  std::optional<configuration> chosen() const override { return chosen_; }
  bool sampling() const override { return !chosen_; }
  sample_rule rule() const override { return first_slice(workers_); }
  void observe(const sample& slice) override;
  /// Configurations of more streams than are left are not sampled any more; what was chosen stays.
  void streams_left(std::int64_t left) override;
  /// Begins again at the foot; what was measured counts.
  void resize(int workers) override;
  std::vector<phase_sample> samples() const override { return measured_.samples(); }
  std::vector<phase_estimate> estimates() const override { return measured_.estimates(); }
  std::string_view unit() const override { return measured_.unit(); }

 private:
  void stand(configuration where);
  void climb();

  int workers_ = 0;
  std::int64_t left_;
  measured_slices measured_;
  std::vector<configuration> around_;  // where it stands, then the neighbours
  configuration current_;
  std::optional<configuration> chosen_;
};

}  // namespace maslin::grain
