// Taskflow: task groups, which may be nested; graphs whose edges are made by hand.

#include <taskflow/taskflow.hpp>

#include "../metg.hpp"
#include "checkout.hpp"
#include "plain.hpp"

namespace {

using namespace bench::forks;

tf::Executor* executor;

struct tasks {
  tf::TaskGroup group = executor->task_group();

  template <class F>
  void run(F&& f) {
    group.silent_async(std::forward<F>(f));
  }
  void wait() { group.corun(); }
};

struct solver {
  tf::Executor workers{bench::workers};

  solver() { executor = &workers; }

  long fib() {
    return workers.async([] { return plain<tasks>::fib(fib_of); }).get();
  }
  long skynet() {
    return workers.async([] { return plain<tasks>::skynet(0, skynet_leaves); }).get();
  }
  long place_queens() {
    return workers.async([] { return plain<tasks>::place_queens({}, 0); }).get();
  }
  void multiply(product& p) {
    workers.async([&p] { plain<tasks>::multiply(p.a.data(), p.b.data(), p.c.data(), matrix_rows); }).get();
  }

  /// Makes the graph and runs it once.
  void run(bench::pattern_graph& g) {
    using graph = bench::pattern_graph;
    tf::Taskflow flow;
    std::array<std::array<tf::Task, graph::width>, 2> made;  // of this step and the one before
    for (int step = 0; step < graph::steps; ++step)
      for (int column = 0; column < graph::width; ++column) {
        tf::Task one = flow.emplace([&g, step, column] { g.make(step, column); });
        auto& here = made[static_cast<std::size_t>(step & 1)];
        auto& before = made[static_cast<std::size_t>(~step & 1)];
        here[static_cast<std::size_t>(column)] = one;
        if (step == 0) continue;
        const graph::sources from = g.of(step, column);
        for (int i = 0; i < from.count; ++i)
          before[static_cast<std::size_t>(from.columns[static_cast<std::size_t>(i)])].precede(one);
        // Two steps lie in one place: who reads the old value comes first.
        for (int reader = 0; reader < graph::width; ++reader) {
          const graph::sources read = g.of(step - 1, reader);
          bool reads = false, is_edge = false;
          for (int i = 0; i < read.count; ++i) reads |= read.columns[static_cast<std::size_t>(i)] == column;
          for (int i = 0; i < from.count; ++i) is_edge |= from.columns[static_cast<std::size_t>(i)] == reader;
          if (reads && !is_edge) before[static_cast<std::size_t>(reader)].precede(one);
        }
      }
    workers.run(flow).wait();
  }
};

}  // namespace

int main(int count, char** words) {
  bench::restrict_to_two_cpus();
  solver two;
  return print_all(two, "Taskflow", "default", count, words) ? 0 : 1;
}
