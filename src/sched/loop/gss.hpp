#pragma once
// Guided self-scheduling (dynamic-bisectioning, section 4.1): one queue, 1/P of what remains at each dispatch.

#include <optional>

#include "sched/loop/queues.hpp"

namespace maslin::loop_policy {

/// Gives the next ⌈remaining/P⌉ blocks of the loop; nothing when all are dispatched.
template <queues Q>
std::optional<part> next_gss(Q& q) {
  return q.take_front(0, share);
}

}  // namespace maslin::loop_policy
