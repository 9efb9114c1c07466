#pragma once
// The part of an application's task graph that was created and is not done (sched/place/bundles.hpp, partial_graph).
// Its edges are true dependences; and a task that overwrites in place waits for the readers before it, as in src/graph.

#include <span>
#include <vector>

#include "application.hpp"
#include "sched/place/bundles.hpp"

namespace cellss {

using maslin::place::bundle_mark;
using maslin::place::co_parent;
using maslin::place::task_number;

class partial_graph {
 public:
  explicit partial_graph(const application& app);

  bundle_mark& mark(task_number t) { return nodes_[t].mark; }
  std::uint32_t outstanding(task_number t) const { return nodes_[t].outstanding; }
  const std::vector<task_number>& successors(task_number t) const { return nodes_[t].successors; }
  const std::vector<co_parent>& co_parents(task_number t) const { return nodes_[t].co_parents; }
  std::span<const std::uint32_t> data(task_number t) const { return app_->used(t); }

  /// The program creates its next task. Gives whether that is ready at once.
  bool create();
  task_number created() const { return created_; }
  bool all_created() const { return created_ == nodes_.size(); }
  /// A task is done. Gives those that wait for nothing any more and are in no bundle.
  const std::vector<task_number>& finish(task_number t);
  bool done(task_number t) const { return nodes_[t].done; }
  task_number finished() const { return finished_; }
  /// Gives whether all that the task waits for is done.
  bool has_its_data(task_number t) const { return nodes_[t].outstanding == 0; }
  std::uint64_t edges() const { return edges_; }  ///< among the tasks that were in the graph at a time

 private:
  struct node {
    bundle_mark mark;
    std::uint32_t outstanding = 0;
    bool done = false;
    std::vector<task_number> successors;
    std::vector<co_parent> co_parents;
  };
  struct users {
    task_number writer = maslin::place::no_task;
    std::vector<task_number> readers;  ///< since then
  };

  void add_parent(task_number parent, task_number child);

  const application* app_;
  std::vector<node> nodes_;
  std::vector<users> users_;             ///< by region
  std::vector<task_number> last_child_;  ///< by parent: the last task that found it, so that an edge is added once
  std::vector<task_number> parents_;     ///< of the task that is being created
  std::vector<task_number> now_ready_;
  task_number created_ = 0;
  task_number finished_ = 0;
  std::uint64_t edges_ = 0;
};

static_assert(maslin::place::partial_graph<partial_graph>);

}  // namespace cellss
