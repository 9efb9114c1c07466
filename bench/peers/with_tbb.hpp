#pragma once
// oneTBB: task_group, flow graphs whose edges are made by hand, parallel_for.

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/version.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace peer {

#ifdef PEER_LIGHTWEIGHT
// A node's body runs where its last edge was fed, not in a task of its own. Only bodies that cannot throw may.
using node_policy = tbb::flow::lightweight;
inline std::string name() { return "oneTBB lightweight"; }
#else
using node_policy = tbb::flow::queueing;
inline std::string name() { return "oneTBB"; }
#endif
inline std::string version() { return TBB_runtime_version(); }

struct started {
  tbb::global_control threads{tbb::global_control::max_allowed_parallelism, 2};
};

template <class F>
void run(F&& f) {
  f();
}

inline constexpr bool nests = true;

struct tasks {
  tbb::task_group group;

  template <class F>
  void run(F&& f) {
    group.run(std::forward<F>(f));
  }
  void wait() { group.wait(); }
};

inline constexpr bool has_forks = false;
template <class F, class G>
void fork(F&, G&) {}

inline constexpr bool has_graphs = true;
template <class T>
using array = bench::plain_array<T>;

/// Tasks are numbered in the order of their creation; `before` names their predecessors.
class graph {
 public:
  template <class Body, class... Accesses>
  void task(bench::before predecessors, Body body, Accesses... accesses) {
    auto& made = nodes_.emplace_back(
        graph_, [body, accesses...](const tbb::flow::continue_msg&) noexcept { body(accesses.data...); });
    bool root = true;
    for (const int p : predecessors) {
      if (p < 0) continue;
      tbb::flow::make_edge(nodes_[static_cast<std::size_t>(p)], made);
      root = false;
    }
    if (root) roots_.push_back(&made);
  }
  void run() {
    for (auto* root : roots_) root->try_put({});
    graph_.wait_for_all();
  }

 private:
  using node = tbb::flow::continue_node<tbb::flow::continue_msg, node_policy>;
  tbb::flow::graph graph_;
  std::deque<node> nodes_;
  std::vector<node*> roots_;
};

inline constexpr bool has_wide_graphs = false;
template <class Value>
void wide_task(graph&, const std::uint64_t* const*, int, std::uint64_t*, Value) {}

template <class Emit>
void run_graph(Emit&& emit) {
  graph g;
  emit(g);
  g.run();
}

inline constexpr bool replays = true;
struct recorded {
  graph made;

  template <class Emit>
  explicit recorded(Emit&& emit) {
    emit(made);
  }
  void run() { made.run(); }
};

inline constexpr std::array<const char*, 5> schedules{"default", "simple,1", "simple,16", "static", "affinity"};
inline constexpr std::size_t even = 3;

template <class Body>
void loop(std::size_t schedule, long n, const Body& body) {
  const tbb::blocked_range<long> ones(0, n), sixteens(0, n, 16);
  const auto part = [&](const tbb::blocked_range<long>& r) {
    for (long i = r.begin(); i < r.end(); ++i) body(i);
  };
  static tbb::affinity_partitioner affinity;
  switch (schedule) {
    case 0:
      return tbb::parallel_for(ones, part);
    case 1:
      return tbb::parallel_for(ones, part, tbb::simple_partitioner());
    case 2:
      return tbb::parallel_for(sixteens, part, tbb::simple_partitioner());
    case 3:
      return tbb::parallel_for(ones, part, tbb::static_partitioner());
    default:
      return tbb::parallel_for(ones, part, affinity);
  }
}

}  // namespace peer
