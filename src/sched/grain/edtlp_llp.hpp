#pragma once
// EDTLP and EDTLP-LLP (multigrain-cell, 4.1 and 5.1): every stream has a team of the same fixed width, and as many
// streams run at a time as there are teams. EDTLP is width 1: as many streams as workers.

#include <algorithm>

#include "sched/grain/controller.hpp"

namespace maslin::grain {

class edtlp_llp final : public controller {
 public:
  /// `width` ≥ 1. A phase with fewer workers than that runs one stream on all of them.
  edtlp_llp(const situation& begin, int width)
      : width_(std::max(width, 1)), left_(std::max<std::int64_t>(begin.streams, 1)) {
    edtlp_llp::resize(begin.workers);
  }

  configuration current() const override { return current_; }
  /// The teams stay: moving a stream gains nothing where all teams are alike.
  void streams_left(std::int64_t left) override { left_ = left; }
  void resize(int workers) override {
    workers = std::max(workers, 1);
    const int width = std::min(width_, workers);
    current_ = {static_cast<int>(std::min<std::int64_t>(workers / width, left_)), width};
  }

 private:
  int width_;
  std::int64_t left_;
  configuration current_;
};

}  // namespace maslin::grain
