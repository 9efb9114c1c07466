#pragma once
// The memory of tasks in explored programs (src/task/pool.hpp): a block that is given back twice, or used afterwards,
// is found out.

#include <set>

namespace maslin {

/// Gives the blocks that were not given back.
const std::set<void*>& taken_blocks();
/// Frees those that were. They are kept to the end of the execution, so that what is done to them later shows.
void forget_given_blocks();

}  // namespace maslin
