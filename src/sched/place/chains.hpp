#pragma once
// What bundles are measured against (cellss-scheduling, sections 1 and 6.3): chains, which is what CellSs did before,
// and program order.

#include <vector>

#include "sched/place/bundles.hpp"

namespace maslin::place {

/// A worker gets tasks that form a chain, each the only successor of the one before it and waiting for nothing else;
/// where a chain ends, the oldest ready task goes on.
template <partial_graph Graph>
class chains {
 public:
  chains(Graph& graph, int bound) : graph_(&graph), bound_(static_cast<std::size_t>(bound)), ready_(graph, 1) {}

  /// A task waits for nothing any more, and is in no bundle.
  void ready(task_number t) { ready_.add(t); }
  bool any_ready() const { return !ready_.empty(); }

  const std::vector<bundled_task>& next() {
    bundle_.clear();
    task_number t = no_task;
    while (bundle_.size() < bound_) {
      if (t == no_task) {
        if (ready_.empty()) break;
        t = ready_.best();
        ready_.take_out(t);
      }
      graph_->mark(t).scheduled = true;
      task_number only = no_task;
      std::size_t successors = 0;
      for (const task_number s : graph_->successors(t)) {
        ++successors;
        only = s;
      }
      bundle_.push_back({t, successors > 1});
      t = successors == 1 && graph_->outstanding(only) == 1 ? only : no_task;
    }
    return bundle_;
  }

 private:
  Graph* graph_;
  std::size_t bound_;
  ready_lists<Graph> ready_;
  std::vector<bundled_task> bundle_;
};

/// One task at a time, in the order in which the program created them: naive. The next one may not be ready yet; then
/// nothing is given until it is.
template <partial_graph Graph>
class program_order {
 public:
  explicit program_order(Graph& graph) : graph_(&graph) {}

  void ready(task_number t) { graph_->mark(t).ready = true; }
  bool any_ready() const { return next_ < known_ && graph_->mark(next_).ready; }
  /// So many tasks were created by now.
  void known(task_number tasks) { known_ = tasks; }

  const std::vector<bundled_task>& next() {
    bundle_.clear();
    if (any_ready()) {
      graph_->mark(next_).scheduled = true;
      bundle_.push_back({next_++, false});
    }
    return bundle_;
  }

 private:
  Graph* graph_;
  task_number next_ = 0;
  task_number known_ = 0;
  std::vector<bundled_task> bundle_;
};

}  // namespace maslin::place
