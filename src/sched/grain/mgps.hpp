#pragma once
// MGPS (multigrain-cell, 5.2): streams first; loops go parallel when the workers are found idle.

#include "sched/grain/controller.hpp"

namespace maslin::grain {

/// Every off-load gets one worker (EDTLP) until an epoch's utilization is under 50 %; then the workers that were idle
/// in it widen the teams of the streams there are (EDTLP-LLP), and that stays. Where they are too few for one more each
/// nothing changes, and the next epoch is looked at.
class mgps final : public controller {
 public:
  static constexpr std::int64_t epoch_off_loads = 100;  // the paper's

  explicit mgps(const situation& begin);

  configuration current() const override { return current_; }
  void streams_left(std::int64_t left) override { left_ = left; }
  /// A hybrid phase keeps its width, if there are as many workers.
  void resize(int workers) override;

  std::int64_t epoch() const override { return hybrid() ? 0 : epoch_off_loads; }
  void departed(const departures& off_loads) override;

  /// Have loops gone parallel? There is no rule for going back.
  bool hybrid() const { return width_ > 1; }

 private:
  int workers_;
  std::int64_t left_;
  int width_ = 1;
  departures epoch_;
  configuration current_;
};

}  // namespace maslin::grain
