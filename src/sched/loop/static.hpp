#pragma once
// Static scheduling (dynamic-bisectioning, section 4.1): N/P iterations each, fixed when the loop begins. Nobody takes
// another's part, so it needs no queue, and a part whose worker has left the team must be asked for in that worker's
// name.

#include "sched/loop/share.hpp"

namespace maslin::loop_policy {

/// Gives all that the worker (0 to P-1 when the loop began) runs.
constexpr part static_part(std::int64_t blocks, int workers, int worker) { return equal_part(blocks, workers, worker); }

}  // namespace maslin::loop_policy
