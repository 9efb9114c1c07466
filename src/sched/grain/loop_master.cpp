#include "sched/grain/loop_master.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace maslin::grain {

namespace {

/// Student's t at 95 % for so many turns: the two masters differ if the mean of the logarithms is more standard errors
/// away from 0.
constexpr std::array<double, master_trial::most_turns + 1> certain = {0, 0, 0, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36};

/// The epochs of a turn: worker and host, then host and worker, so that what changes slowly says nothing.
loop_master master_in(int epoch) {
  if (epoch == 0) return loop_master::worker;
  const int turn = (epoch - 1) / 2, place = (epoch - 1) % 2;
  return turn % 2 == place ? loop_master::worker : loop_master::host;
}

}  // namespace

double master_trial::ratio() const {
  return turns_ == 0 ? 1 : std::exp(std::accumulate(logs_.begin(), logs_.begin() + turns_, 0.0) / turns_);
}

loop_master master_trial::begins(std::int64_t now) {
  if (chosen_) return *chosen_;
  if (begun_ == epoch_) {
    epoch_ended(static_cast<double>(now - began_));
    begun_ = 0;
    if (chosen_) return *chosen_;
  }
  if (begun_++ == 0) began_ = now;
  return master_in(epochs_);
}

void master_trial::epoch_ended(double took) {
  const int epoch = epochs_++;
  if (epoch == 0) return;
  if (epoch % 2 == 1) {
    first_of_turn_ = took;
    return;
  }
  const bool worker_was_first = master_in(epoch - 1) == loop_master::worker;
  const double worker = worker_was_first ? first_of_turn_ : took, host = worker_was_first ? took : first_of_turn_;
  logs_[static_cast<std::size_t>(turns_++)] = worker > 0 && host > 0 ? std::log(worker / host) : 0;
  if (turns_ < fewest_turns) return;
  const double mean = std::log(ratio());
  double squares = 0;
  for (int i = 0; i < turns_; ++i)
    squares += (logs_[static_cast<std::size_t>(i)] - mean) * (logs_[static_cast<std::size_t>(i)] - mean);
  const double error = std::sqrt(squares / (turns_ - 1) / turns_);
  if (turns_ == most_turns || std::abs(mean) > certain[static_cast<std::size_t>(turns_)] * error)
    chosen_ = mean > 0 ? loop_master::host : loop_master::worker;
}

}  // namespace maslin::grain
