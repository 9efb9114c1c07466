#include "sched/grain/s_mgps.hpp"

#include <algorithm>
#include <limits>

#include "sched/grain/feasible.hpp"

namespace maslin::grain {

s_mgps::s_mgps(const situation& begin, count by)
    : workers_(0), streams_(std::max<std::int64_t>(begin.streams, 1)), left_(streams_), measured_(by) {
  s_mgps::resize(begin.workers);
}

sample_rule s_mgps::rule() const {
  sample_rule r;
  if (streams_ > workers_)
    r.seconds = std::numeric_limits<double>::infinity();
  else
    r.kernels = 200;
  return r;
}

void s_mgps::observe(const sample& measured) {
  if (measured.seconds <= 0) return;
  measured_.add(measured);
  advance();
}

void s_mgps::streams_left(std::int64_t left) {
  left_ = std::max<std::int64_t>(left, 1);
  advance();
}

void s_mgps::resize(int workers) {
  workers = std::max(workers, 1);
  if (workers == workers_) return;
  workers_ = workers;
  step_ = step::widths;
  chosen_.reset();
  field_ = feasible(workers_, 1, workers_);
  advance();
}

/// Goes on to where the next sample is due, or to the choice.
void s_mgps::advance() {
  while (step_ != step::done) {
    const auto next = std::find_if(field_.begin(), field_.end(),
                                   [&](configuration c) { return c.streams <= left_ && !measured_.throughput(c); });
    if (next != field_.end() && workers_ > 1) {
      current_ = *next;
      return;
    }
    const configuration winner = best(field_, streams_);
    if (step_ == step::widths) {
      step_ = step::grid;
      field_ = feasible(workers_, streams_, winner.width);
    } else {
      step_ = step::done;
      chosen_ = winner;
    }
  }
  current_ = chosen_->streams <= left_ ? *chosen_ : best(field_, left_);
}

configuration s_mgps::best(const std::vector<configuration>& all, std::int64_t streams) const {
  const auto throughput = [&](configuration c) { return measured_.throughput(c).value_or(0); };
  configuration found = all.front();
  for (const configuration c : all) {
    if (c.streams > streams) continue;
    const double ahead = throughput(c) - throughput(found);
    if (ahead > 0 || (ahead == 0 && uses_less(c, found))) found = c;
  }
  return found;
}

}  // namespace maslin::grain
