#pragma once
// A graph while SimGrid runs it: who waits for how many, and what began where and when. It derives what must wait for
// what from the accesses, and shares no code with Maslin.

#include <cstddef>
#include <vector>

#include "graph.hpp"

class graph_run {
 public:
  explicit graph_run(const task_graph& graph);

  std::size_t size() const { return graph_.tasks.size(); }
  double nanoseconds(std::size_t task) const { return static_cast<double>(graph_.tasks[task].nanoseconds); }
  /// Those that wait for the task, in the program's order.
  const std::vector<std::size_t>& followers(std::size_t task) const { return followers_[task]; }

  /// The program has come to the task, or one that it follows has ended; gives whether it waits for nothing now.
  bool leave_one(std::size_t task) { return --blockers_[task] == 0; }
  /// A task has ended, and its followers know of it.
  void finish() { --unfinished_; }
  bool is_done() const { return unfinished_ == 0; }

  void begins(std::size_t task, int worker, double seconds) { begins_.push_back({task, worker, seconds}); }
  /// Prints the seconds that the whole took, then a line a task in the order of their begins: task, worker, seconds.
  void print(double seconds);

 private:
  struct begin {
    std::size_t task;
    int worker;
    double seconds;
  };
  void add_edge(std::size_t from, std::size_t to);

  const task_graph& graph_;
  std::vector<std::vector<std::size_t>> followers_;
  std::vector<int> blockers_;  ///< tasks that it waits for, and one for its creation
  std::size_t unfinished_;
  std::vector<begin> begins_;
};
