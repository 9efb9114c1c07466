// What a task costs the scheduler of bundles: dependences counted, ready lists, hints, and the bundle built. The graphs
// are that of a tree and that of a matrix product in blocks.

#include <benchmark/benchmark.h>

#include <vector>

#include "sched/place/bundles.hpp"

namespace {

using namespace maslin::place;

/// A whole graph whose edges are known beforehand.
class whole_graph {
 public:
  struct node {
    bundle_mark mark;
    std::uint32_t outstanding = 0;
    std::vector<task_number> successors;
    std::vector<co_parent> co_parents;
    std::vector<data_number> data;
  };

  bundle_mark& mark(task_number t) { return nodes[t].mark; }
  std::uint32_t outstanding(task_number t) const { return nodes[t].outstanding; }
  const std::vector<task_number>& successors(task_number t) const { return nodes[t].successors; }
  const std::vector<co_parent>& co_parents(task_number t) const { return nodes[t].co_parents; }
  const std::vector<data_number>& data(task_number t) const { return nodes[t].data; }

  task_number add(const std::vector<task_number>& parents, std::vector<data_number> data) {
    const auto t = static_cast<task_number>(nodes.size());
    nodes.push_back({});
    nodes[t].data = std::move(data);
    nodes[t].outstanding = static_cast<std::uint32_t>(parents.size());
    for (std::size_t i = 0; i < parents.size(); ++i) {
      nodes[parents[i]].successors.push_back(t);
      if (i == 0) continue;
      nodes[parents[i - 1]].co_parents.push_back({parents[i], t});
      nodes[parents[i]].co_parents.push_back({parents[i - 1], t});
    }
    return t;
  }

  std::vector<node> nodes;
};

whole_graph tree() {
  whole_graph g;
  constexpr task_number leaves = 1 << 14;
  for (task_number i = 0; i < leaves; ++i) g.add({}, {2 * i, 2 * i + 1});
  for (task_number i = 0; i + 1 < leaves; ++i) g.add({2 * i, 2 * i + 1}, {4 * i, 4 * i + 2});
  return g;
}

whole_graph product() {
  whole_graph g;
  constexpr task_number n = 32;
  for (task_number i = 0; i < n; ++i)
    for (task_number j = 0; j < n; ++j)
      for (task_number k = 0; k < n; ++k) {
        const task_number last = static_cast<task_number>(g.nodes.size()) - 1;
        g.add(k ? std::vector<task_number>{last} : std::vector<task_number>{},
              {i * n + j, n * n + i * n + k, 2 * n * n + k * n + j});
      }
  return g;
}

/// Builds all bundles; a bundle is done before the next one is built. The worker's memory holds the last data only.
void all_bundles(benchmark::State& state, const whole_graph& original) {
  std::int64_t tasks = 0;
  while (state.KeepRunning()) {
    state.PauseTiming();
    whole_graph g = original;
    bundles policy(g, {});
    state.ResumeTiming();
    std::vector<data_number> held;
    for (task_number t = 0; t < g.nodes.size(); ++t)
      if (g.outstanding(t) == 0) policy.ready(t);
    while (policy.any_ready()) {
      const auto& bundle = policy.next();
      tasks += static_cast<std::int64_t>(bundle.size());
      for (const bundled_task& b : bundle)
        for (const task_number s : g.successors(b.task))
          if (--g.nodes[s].outstanding == 0 && !g.mark(s).scheduled) policy.ready(s);
      for (const data_number d : held) policy.left(d);
      held = g.data(bundle.back().task);
      for (const data_number d : held) policy.entered(d);
    }
  }
  if (tasks != static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(original.nodes.size()))
    state.SkipWithError("some task was not scheduled");
  state.SetItemsProcessed(tasks);  // items are tasks
}
BENCHMARK_CAPTURE(all_bundles, tree, tree());
BENCHMARK_CAPTURE(all_bundles, product, product());

}  // namespace

BENCHMARK_MAIN();
