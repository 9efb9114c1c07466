#pragma once
// Program order (cellss-scheduling, section 6.3: naive): the earliest task of those that are ready. CellSs waits for
// the next task of the program; here no worker idles while a task is ready.

#include <compare>

#include "task/node.hpp"

namespace maslin::place {

/// Gives which of two tasks that are ready the serial elision would run first: the descendants of a task come before
/// what its creator creates next. The graph's own tasks, which bring data home, come before all others. Of tasks in
/// different groups, or of different threads, streams or loop bodies, the program says nothing: such come in any
/// order, but always the same. Takes as many steps as tasks enclose the two.
std::strong_ordering in_program_order(const detail::task_node& one, const detail::task_node& other) noexcept;

}  // namespace maslin::place
