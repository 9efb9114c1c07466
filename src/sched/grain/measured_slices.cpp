#include "sched/grain/measured_slices.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace maslin::grain {

sample_rule first_slice(int workers) {
  constexpr double worker_seconds = 0.05;
  constexpr double shortest_seconds = 0.0025;
  constexpr double longest_seconds = 0.025;
  sample_rule rule;
  rule.seconds = std::clamp(worker_seconds / workers, shortest_seconds, longest_seconds);
  return rule;
}

void measured_slices::add(const sample& slice) {
  if (slice.seconds <= 0) return;
  times_.add(slice.kernels);
  for (const kernel_record& k : slice.kernels) kernels_seen_ = kernels_seen_ || k.executions > 0;
  taken_.push_back(slice);
}

std::optional<double> measured_slices::throughput(configuration under) const {
  double sum = 0;
  int slices = 0;
  for (const sample& s : taken_)
    if (s.under == under) {
      sum += work(s) / s.seconds;
      ++slices;
    }
  return slices > 0 ? std::optional(sum / slices) : std::nullopt;
}

std::vector<phase_sample> measured_slices::samples() const {
  std::vector<phase_sample> all;
  for (const sample& s : taken_) all.push_back({s.under, work(s), s.seconds});
  return all;
}

std::vector<phase_estimate> measured_slices::estimates() const {
  std::vector<phase_estimate> all;
  for (const sample& s : taken_)
    if (std::ranges::find(all, s.under, &phase_estimate::under) == all.end())
      all.push_back({s.under, *throughput(s.under), std::nullopt, 0});
  std::vector<double> squares(all.size());
  for (const sample& s : taken_) {
    const auto of = std::ranges::find(all, s.under, &phase_estimate::under);
    const double off = work(s) / s.seconds - of->throughput;
    squares[static_cast<std::size_t>(of - all.begin())] += off * off;
    ++of->samples;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double n = all[i].samples;
    if (n > 1 && all[i].throughput > 0) all[i].error = std::sqrt(squares[i] / (n * (n - 1))) / all[i].throughput;
  }
  std::ranges::stable_sort(all, std::greater(), &phase_estimate::throughput);
  return all;
}

std::string_view measured_slices::unit() const {
  return !kernels_seen_ ? unit::streams : by_ == count::work ? unit::work : unit::off_loads;
}

double measured_slices::work(const sample& s) const {
  if (!kernels_seen_) return static_cast<double>(s.units);
  if (by_ == count::work) return times_.work(s.kernels);
  double off_loads = 0;
  for (const kernel_record& k : s.kernels) off_loads += static_cast<double>(k.executions);
  return off_loads;
}

}  // namespace maslin::grain
