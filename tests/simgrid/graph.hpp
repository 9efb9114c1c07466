#pragma once
// A task graph as the program says it: tasks in its order, with what each writes and reads.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

struct graph_task {
  std::int64_t nanoseconds;
  bool overwrites;     ///< `out`: does not need what it overwrites
  std::size_t writes;  ///< a datum
  std::vector<std::size_t> reads;
};

struct task_graph {
  std::vector<graph_task> tasks;
  std::size_t data = 0;  ///< data are numbered below that
};

/// Reads a file with a line a task: nanoseconds, `out` or `inout`, the datum that it writes, those that it reads.
/// Throws std::runtime_error with the line of what is anything else.
task_graph read_graph(const std::string& path);
