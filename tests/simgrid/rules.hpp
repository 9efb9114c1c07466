#pragma once
// Who runs a graph's tasks in SimGrid, where and in which order. README.md states each rule.

#include <memory>
#include <string>

#include "graph_run.hpp"

/// Each task on the worker, and after the task, that a time line (a file that on_maslin printed) says. Gives the
/// seconds that it takes.
double run_placed(graph_run& run, const std::string& time_line);

/// By workers who find their tasks themselves, in queues of their own (Dynamic Bisectioning) or in one queue for all.
enum class queues { own, one };
double run_by_workers(graph_run& run, queues rule);
