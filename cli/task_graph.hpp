#pragma once
// The tasks of a run, and which of them had to wait for which.

#include <cstdint>
#include <string>
#include <vector>

#include "recorded.hpp"
#include "trace_export.hpp"

struct task_graph {
  enum class edge_kind : std::uint8_t {
    data,     ///< reads what the other wrote
    order,    ///< writes where the other reads or writes
    creates,  ///< is created by the other
  };
  struct task {
    std::uint64_t number;  ///< in the order in which tasks were created, from 1 up
    std::uint32_t line;    ///< place in `lines`
    double seconds;        ///< that it computed, with its loops and kernels
  };
  struct edge {
    std::uint32_t from;  ///< place in `tasks`; below `to`
    std::uint32_t to;
    edge_kind kind;
  };
  /// A line that creates tasks.
  struct line {
    std::string name;
    std::uint64_t tasks;
  };

  std::string program;
  std::vector<task> tasks;
  std::vector<edge> edges;  ///< by `to`
  std::vector<line> lines;  ///< those with most tasks first

  /// Gives "3 tasks, 2 dependences".
  std::string size() const;
};

/// Gives the tasks of a trace that began in the window. Dependences are those of the tasks' data in program order,
/// whether or not a task was still to be waited for when the next was created. Throws `maslin::error` for a trace that
/// does not hold all of it, or in which no task began then.
task_graph task_graph_of(const std::string& path, const time_window& window);

/// Gives the graph in the DOT language, which Graphviz draws.
std::string to_dot(const task_graph& graph);
/// Gives a picture: tasks in layers, each below all that it depends on. Throws `maslin::error` for a graph that is too
/// large for one.
std::string to_svg(const task_graph& graph);

/// Gives the colour of the tasks of a line: grey for those that come late.
const char* color_of_line(std::size_t line);
