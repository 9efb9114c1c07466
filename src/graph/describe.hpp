#pragma once
// What a task says of itself and who waits for it, for messages and checks.

#include <span>
#include <string>
#include <vector>

#include "task/node.hpp"

namespace maslin::graph {

/// Gives what a task's accesses declare, with where their data lie now. The task has not ended.
std::vector<detail::declared> accesses_of(const detail::task_node& task);
/// The same in `room`, which has some for each access; gives the part that was filled.
std::span<detail::declared> accesses_of(const detail::task_node& task, std::span<detail::declared> room);

/// Gives one line: the body, the line that created it, its accesses.
std::string description(const detail::task_node& task);

/// Gives the tasks that cannot run before this one, which has not ended, is done: for its data or for its turn.
std::vector<detail::task_node*> waiting_for(detail::task_node& task);

}  // namespace maslin::graph
