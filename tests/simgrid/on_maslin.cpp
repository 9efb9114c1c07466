// on_maslin GRAPH: runs the graph on the machine that MASLIN_MACHINE describes, and prints what MASLIN_TRACE recorded
// of it: the seconds that it took, then a line a task in the order of their begins: task, worker, seconds.

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "graph.hpp"
#include "maslin/maslin.hpp"
#include "maslin/trace.hpp"

namespace ms = maslin;

namespace {

constexpr std::size_t most_reads = 16;
using data = std::vector<double>;

template <class Write, std::size_t... I>
void submit(const graph_task& t, Write write, data& all, std::index_sequence<I...>) {
  const std::chrono::nanoseconds length(t.nanoseconds);
  const auto body = [length](auto...) {
    if (!ms::cost(length, ms::skip)) throw std::logic_error("a graph of costs runs on a described machine only");
  };
  ms::task(body, write, ms::in(all[t.reads[I]])...);
}

template <std::size_t Reads>
void submit(const graph_task& t, data& all) {
  double& written = all[t.writes];
  const auto reads = std::make_index_sequence<Reads>();
  if (t.overwrites)
    submit(t, ms::out(written), all, reads);
  else
    submit(t, ms::inout(written), all, reads);
}

template <std::size_t... Reads>
constexpr auto calls(std::index_sequence<Reads...>) {
  return std::array{static_cast<void (*)(const graph_task&, data&)>(submit<Reads>)...};
}

/// Gives the seconds that the graph takes.
double run(const task_graph& graph) {
  constexpr auto submit_by_reads = calls(std::make_index_sequence<most_reads + 1>());
  data all(graph.data);
  ms::Runtime runtime;
  const auto begin = ms::time();
  for (const graph_task& t : graph.tasks) submit_by_reads.at(t.reads.size())(t, all);
  ms::wait();
  return (ms::time() - begin).count();
}

void print_begins(const char* path, std::size_t tasks) {
  const ms::trace::file trace(path);
  if (trace.about().dropped() > 0) throw std::runtime_error("the trace has lost events");
  // Tasks in the order of their creation. At one time a worker's events may come before the creator's; what begins
  // and is never created is the runtime's own, when the program waits.
  std::unordered_map<std::uint64_t, std::size_t> created;
  std::unordered_map<std::uint64_t, ms::trace::event> begun;
  std::size_t next = 0;
  const auto print = [](std::size_t task, const ms::trace::event& begin) {
    fmt::print("{} {} {:.12f}\n", task, begin.worker, static_cast<double>(begin.ns) * 1e-9);
  };
  trace.each_event([&](const ms::trace::event& e) {
    if (e.kind == ms::trace::event_kind::task_create && next < tasks) {
      const auto begin = begun.extract(e.argument);
      if (begin.empty())
        created[e.argument] = next++;
      else
        print(next++, begin.mapped());
    } else if (e.kind == ms::trace::event_kind::task_begin) {
      const auto task = created.extract(e.argument);
      if (task.empty())
        begun[e.argument] = e;
      else
        print(task.mapped(), e);
    }
  });
}

}  // namespace

int main(int argc, char** argv) try {
  const char* trace = std::getenv("MASLIN_TRACE");
  if (argc != 2 || !trace) throw std::runtime_error("usage: MASLIN_MACHINE=... MASLIN_TRACE=... on_maslin GRAPH");
  const task_graph graph = read_graph(argv[1]);
  fmt::print("{:.12f}\n", run(graph));
  print_begins(trace, graph.tasks.size());
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "on_maslin: {}\n", e.what());
  return 1;
}
