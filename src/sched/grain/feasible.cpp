#include "sched/grain/feasible.hpp"

#include <algorithm>

namespace maslin::grain {

namespace {

/// Gives 1 to 16, then four steps a doubling, up to and including `last`.
std::vector<int> counts(std::int64_t last) {
  std::vector<int> all;
  int next = 1;
  int step = 1;
  while (next < last) {
    all.push_back(next);
    if (next >= 16 && (next & (next - 1)) == 0) step = next / 4;
    next += step;
  }
  all.push_back(static_cast<int>(last));
  return all;
}

}  // namespace

std::vector<configuration> feasible(int workers, std::int64_t streams, int widest) {
  std::vector<configuration> all;
  for (const int width : counts(std::clamp(widest, 1, workers)))
    for (const int at_a_time : counts(std::min<std::int64_t>(streams, workers / width)))
      all.push_back({at_a_time, width});
  return all;
}

bool uses_less(configuration a, configuration b) {
  const std::int64_t workers_a = std::int64_t{a.streams} * a.width + a.wider;
  const std::int64_t workers_b = std::int64_t{b.streams} * b.width + b.wider;
  return workers_a != workers_b ? workers_a < workers_b : a.width < b.width;
}

}  // namespace maslin::grain
