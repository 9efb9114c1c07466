#include "ucb.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "sched/grain/feasible.hpp"

namespace maslin::grain {

ucb::ucb(situation begin) : left_(std::max<std::int64_t>(begin.streams, 1)) { ucb::resize(begin.workers); }

std::optional<configuration> ucb::chosen() const {
  return arms_.size() == 1 ? std::optional(arms_.front().under) : std::nullopt;
}

void ucb::resize(int workers) {
  workers = std::max(workers, 1);
  if (workers == workers_) return;
  workers_ = workers;
  std::vector<arm> known;
  for (const auto* some : {&arms_, &away_})
    for (const arm& a : *some)
      if (a.plays > 0) known.push_back(a);
  arms_.clear();
  for (const configuration c : feasible(workers_, left_, workers_)) {
    const auto before = std::find_if(known.begin(), known.end(), [&](const arm& a) { return a.under == c; });
    arms_.push_back(before != known.end() ? *before : arm{.under = c});
    if (before != known.end()) known.erase(before);
  }
  away_ = std::move(known);
  play();
}

void ucb::streams_left(std::int64_t left) {
  left_ = std::max<std::int64_t>(left, 1);
  if (current_.streams > left_) play();
}

void ucb::observe(const sample& slice) {
  if (slice.seconds <= 0) return;
  const auto played = std::find_if(arms_.begin(), arms_.end(), [&](const arm& a) { return a.under == slice.under; });
  if (played == arms_.end()) return;
  times_.add(slice.kernels);
  for (const kernel_record& k : slice.kernels) kernels_seen_ = kernels_seen_ || k.completed > 0;
  const double work = times_.work(slice.kernels);
  const auto units = static_cast<double>(slice.units);
  ++played->plays;
  played->kernels += work;
  played->streams += units;
  played->seconds += slice.seconds;
  played->kernels_per_second += work / slice.seconds;
  played->streams_per_second += units / slice.seconds;
  largest_kernels_ = std::max(largest_kernels_, work / slice.seconds);
  largest_streams_ = std::max(largest_streams_, units / slice.seconds);
  play();
}

void ucb::play() {
  const double largest = kernels_seen_ ? largest_kernels_ : largest_streams_;
  std::int64_t plays = 0;
  for (const arm& a : arms_) plays += a.plays;
  double most = -1;
  for (const arm& a : arms_) {
    if (a.under.streams > left_) continue;
    if (a.plays == 0) {
      current_ = a.under;
      return;
    }
    const auto n = static_cast<double>(a.plays);
    const double mean = largest > 0 ? reward(a) / n / largest : 0;
    const double bound = mean + std::sqrt(2 * std::log(static_cast<double>(plays)) / n);
    if (bound <= most) continue;
    most = bound;
    current_ = a.under;
  }
}

std::vector<phase_sample> ucb::samples() const {
  std::vector<phase_sample> all;
  for (const arm& a : arms_)
    if (a.plays > 0) all.push_back({a.under, kernels_seen_ ? a.kernels : a.streams, a.seconds});
  return all;
}

std::vector<phase_estimate> ucb::estimates() const {
  std::vector<phase_estimate> all;
  for (const arm& a : arms_)
    if (a.plays > 0)
      all.push_back({a.under, reward(a) / static_cast<double>(a.plays), std::nullopt, static_cast<int>(a.plays)});
  std::ranges::stable_sort(all, std::greater(), &phase_estimate::throughput);
  return all;
}

}  // namespace maslin::grain
