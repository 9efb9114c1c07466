#pragma once
// Affinity scheduling (dynamic-bisectioning, section 4.1): N/P iterations in each worker's queue when the loop begins;
// a worker takes 1/P of its own queue each time, an idle one 1/P of the most loaded queue.

#include <optional>

#include "sched/loop/queues.hpp"

namespace maslin::loop_policy {

/// Gives the queue that holds most, the next one in the circle after `worker` among equals; negative where all are
/// empty.
template <queues Q>
int most_loaded(Q& q, int worker) {
  int most = -1;
  std::int64_t most_left = 0;
  for (int step = 1; step <= q.count(); ++step) {
    const int at = (worker + step) % q.count();
    const std::int64_t left = q.left(at);
    if (left <= most_left) continue;
    most = at;
    most_left = left;
  }
  return most;
}

/// Gives the worker's next blocks: from the front of its own queue, else from the back of the most loaded one, which
/// leaves the victim what follows its own blocks. Nothing when all queues are empty.
template <queues Q>
std::optional<part> next_afs(Q& q, int worker) {
  if (worker < q.count())  // otherwise it joined after the loop had begun
    if (auto own = q.take_front(worker, share)) return own;
  // Queues are never refilled: each round that ends without blocks found one that others had just emptied.
  for (int victim = most_loaded(q, worker); victim >= 0; victim = most_loaded(q, worker))
    if (auto stolen = q.take_back(victim, share)) return stolen;
  return std::nullopt;
}

}  // namespace maslin::loop_policy
