#include "model/layers/layouts.hpp"

#include <algorithm>

namespace maslin::layers {

namespace {

/// Gives 1 to 16, then four steps a doubling, up to and including `last`.
std::vector<int> counts(std::int64_t last) {
  std::vector<int> all;
  int next = 1, step = 1;
  while (next < last) {
    all.push_back(next);
    if (next >= 16 && (next & (next - 1)) == 0) step = next / 4;
    next += step;
  }
  all.push_back(static_cast<int>(last));
  return all;
}

std::int64_t workers_of(const layout& l) { return std::int64_t{l.ranks} * l.streams * l.width; }

}  // namespace

std::vector<layout> layouts_of(const machine& m, std::int64_t streams, ranks_are ranks) {
  std::vector<layout> all;
  streams = std::max<std::int64_t>(1, streams);
  if (ranks != ranks_are::processes) {
    const int workers = m.workers * m.nodes;
    // A phase of one stream has one for each rank.
    const std::int64_t most = ranks == ranks_are::streams && streams == 1 ? workers : streams;
    for (const int width : counts(workers))
      for (const int at_a_time : counts(std::min<std::int64_t>(most, workers / width)))
        all.push_back({1, 1, at_a_time, width});
    return all;
  }
  for (int on_a_node = 1; on_a_node <= m.workers; ++on_a_node) {
    if (m.workers % on_a_node != 0) continue;
    const int workers = m.workers / on_a_node;
    const int processes = on_a_node * m.nodes;
    const std::int64_t each = std::max<std::int64_t>(1, (streams + processes - 1) / processes);
    for (const int width : counts(workers))
      for (const int at_a_time : counts(std::min<std::int64_t>(each, workers / width)))
        all.push_back({processes, on_a_node, at_a_time, width});
  }
  return all;
}

std::vector<candidate> ranked(const phase& p, const machine& m, const std::vector<layout>& all, const wishes& w,
                              const std::function<void()>& looked_at) {
  std::vector<candidate> candidates;
  for (const layout& at : all) {
    if (fits(m, at, w.ranks)) candidates.push_back({at, predict(p, m, at, w)});
    if (looked_at) looked_at();
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const candidate& a, const candidate& b) {
    if (a.takes.seconds != b.takes.seconds) return a.takes.seconds < b.takes.seconds;
    return workers_of(a.at) < workers_of(b.at);
  });
  return candidates;
}

}  // namespace maslin::layers
