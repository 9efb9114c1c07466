#include "hill_climbing.hpp"

#include <algorithm>

namespace maslin::grain {

std::vector<configuration> neighbours(configuration c, int workers, std::int64_t streams) {
  const auto at_most = static_cast<int>(std::min<std::int64_t>(workers, streams));
  std::vector<configuration> all;
  if (c.streams < at_most) all.push_back({c.streams + 1, std::min(c.width, workers / (c.streams + 1))});
  if (c.streams > 1) all.push_back({c.streams - 1, c.width});
  if (c.width < workers) all.push_back({std::min(c.streams, workers / (c.width + 1)), c.width + 1});
  if (c.width > 1) all.push_back({c.streams, c.width - 1});
  return all;
}

hill_climbing::hill_climbing(situation begin) : left_(std::max<std::int64_t>(begin.streams, 1)) {
  hill_climbing::resize(begin.workers);
}

void hill_climbing::resize(int workers) {
  workers = std::max(workers, 1);
  if (workers == workers_) return;
  workers_ = workers;
  chosen_.reset();
  stand({static_cast<int>(std::min<std::int64_t>(workers_, left_)), 1});
  climb();
}

void hill_climbing::observe(const sample& slice) {
  measured_.add(slice);
  if (!chosen_) climb();
}

void hill_climbing::streams_left(std::int64_t left) {
  left_ = std::max<std::int64_t>(left, 1);
  if (!chosen_) climb();
}

void hill_climbing::stand(configuration where) {
  around_ = {where};
  for (const configuration c : neighbours(where, workers_, left_)) around_.push_back(c);
}

/// Goes on to where the next slice is due, or stays. Each step goes to a larger throughput, and slices are not taken
/// while it climbs, so there is an end.
void hill_climbing::climb() {
  for (;;) {
    const configuration here = around_.front();
    if (around_.size() > 1)
      for (const configuration c : around_)
        if (c.streams <= left_ && !measured_.throughput(c)) {
          current_ = c;
          return;
        }
    configuration best = here;
    for (const configuration c : around_)
      if (measured_.throughput(c).value_or(0) > measured_.throughput(best).value_or(0)) best = c;
    if (best == here) {
      chosen_ = current_ = here;
      return;
    }
    stand(best);
  }
}

}  // namespace maslin::grain
