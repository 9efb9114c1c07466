#include "sched/grain/work_mix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace maslin::grain {

namespace {

/// What the latest slice says of what streams do now.
constexpr double latest = 0.25;

}  // namespace

work_parts parts_of(double own_seconds, std::span<const kernel_record> kernels, const kernel_times& times) {
  work_parts parts{own_seconds};
  for (std::size_t k = 0; k < kernels.size(); ++k) parts.push_back(kernels[k].timed() * times.mean(k));
  return parts;
}

work_parts shares_of(work_parts parts) {
  for (double& part : parts) part = std::max(part, 0.0);
  const double all = std::accumulate(parts.begin(), parts.end(), 0.0);
  if (all <= 0) return {};
  for (double& part : parts) part /= all;
  return parts;
}

work_parts work_mix::weigh(counts done, const kernel_times& times) {
  for (std::size_t k = 1; k < done.size(); ++k) done[k] *= times.mean(k - 1);
  return shares_of(std::move(done));
}

void work_mix::observe(const work_parts& slice, double own_so_far, std::span<const kernel_record> so_far,
                       const kernel_times& times, double share, double since_last, double stream_seconds) {
  all_.resize(std::max(so_far.size() + 1, all_.size()));
  recent_.resize(all_.size());
  const double kept = stream_seconds > 0 ? std::exp(-since_last / stream_seconds) : 1;
  const auto add = [&](std::size_t part, double now) {
    recent_[part] = kept * recent_[part] + now - std::exchange(all_[part], now);
  };
  add(0, own_so_far);
  for (std::size_t k = 0; k < so_far.size(); ++k) add(k + 1, so_far[k].timed());
  whole_ = weigh(recent_, times);
  of_all_ = weigh(all_, times);

  const work_parts now = shares_of(slice);
  const double weight = lately_.empty() ? 1 : latest * share;
  lately_.resize(std::max(lately_.size(), now.size()));
  for (std::size_t k = 0; k < now.size(); ++k) lately_[k] += (now[k] - lately_[k]) * weight;
}

}  // namespace maslin::grain
