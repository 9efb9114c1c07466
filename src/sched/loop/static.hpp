#pragma once
// Static scheduling (dynamic-bisectioning, section 4.1): N/P iterations each, fixed when the loop begins. Nobody takes
// another's part, so a part whose worker has left the team must be asked for in that worker's name.

#include <optional>

#include "sched/loop/queues.hpp"

namespace maslin::loop_policy {

/// Gives the worker's part of the loop, once.
template <queues Q>
std::optional<part> next_static(Q& q, int worker) {
  if (worker >= q.count()) return std::nullopt;  // it joined after the loop had begun
  return q.take_front(worker, whole);
}

}  // namespace maslin::loop_policy
