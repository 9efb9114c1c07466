#pragma once
// A task may name data more than once: that is one access, which does all of it.

#include <vector>

#include "graph/data_table.hpp"

namespace maslin::graph {

/// What an access of a task does to its datum, with the task's later ones to the same.
struct merged_access {
  access_mode mode;
  bool renames;
  bool again;  ///< an earlier one does it
};

/// Gives what each access does; `data` are the task's, null where an access names no byte. Throws std::bad_alloc, and
/// `error` where one of those to the same data is a reduction's.
std::vector<merged_access> merge(const detail::task_node& task, datum* const* data, const detail::declared* accesses);

}  // namespace maslin::graph
