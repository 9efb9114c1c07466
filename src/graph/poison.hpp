#pragma once
// MASLIN_CHECK: what a task declares with `out` it must write before it reads it, and where its view points. Memory
// whose value is over is filled with a pattern, so that who reads it all the same computes with that.

#include "graph/region.hpp"
#include "task/node.hpp"

namespace maslin::graph {

/// Fills the region with a pattern that is not a number as a float and as a double, and large as an integer.
void poison(const region& where) noexcept;

/// The task is about to run: fills what it declared with `out`, and with nothing else, if its elements are plain bytes.
void poison_outs(const detail::task_node& task);

}  // namespace maslin::graph
