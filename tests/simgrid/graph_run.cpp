#include "graph_run.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>

namespace {

struct datum_use {
  std::optional<std::size_t> writer;
  std::vector<std::size_t> readers;  ///< since
};

}  // namespace

graph_run::graph_run(const task_graph& graph)
    : graph_(graph), followers_(graph.tasks.size()), blockers_(graph.tasks.size(), 1), unfinished_(graph.tasks.size()) {
  std::vector<datum_use> data(graph.data);
  for (std::size_t task = 0; task < size(); ++task) {
    const graph_task& t = graph.tasks[task];
    for (const std::size_t read : t.reads) {
      if (data[read].writer) add_edge(*data[read].writer, task);
      data[read].readers.push_back(task);
    }
    datum_use& written = data[t.writes];
    if (!t.overwrites) {  // what overwrites gets memory of its own
      if (written.writer) add_edge(*written.writer, task);
      for (const std::size_t reader : written.readers) add_edge(reader, task);
    }
    written = {task, {}};
  }
}

void graph_run::add_edge(std::size_t from, std::size_t to) {
  std::vector<std::size_t>& all = followers_[from];
  if (from == to || (!all.empty() && all.back() == to)) return;
  all.push_back(to);
  ++blockers_[to];
}

void graph_run::print(double seconds) {
  std::stable_sort(begins_.begin(), begins_.end(),
                   [](const begin& a, const begin& b) { return a.seconds < b.seconds; });
  std::printf("%.12f\n", seconds);
  for (const begin& b : begins_) std::printf("%zu %d %.12f\n", b.task, b.worker, b.seconds);
}
