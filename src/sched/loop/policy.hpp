#pragma once
// The loop policies by name. Under dbs a loop is work among other work: place/dbs says where a worker looks, `share`
// and `half` how much it takes. Under the baselines (dynamic-bisectioning, section 4.1) a loop has queues of its own.

#include <optional>
#include <string_view>

#include "maslin/loop.hpp"
#include "sched/loop/afs.hpp"
#include "sched/loop/gss.hpp"
#include "sched/loop/queues.hpp"
#include "sched/loop/static.hpp"

namespace maslin::loop_policy {

/// Gives the policy that MASLIN_LOOP names. Throws `error`.
schedule of_the_run();

/// Gives its name, as MASLIN_LOOP reads it.
std::string_view name(schedule policy);

/// Gives how many queues a loop is laid out in when `workers` begin it. Queue q holds equal_part(blocks, queues, q).
constexpr int queue_count(schedule policy, int workers) {
  return policy == schedule::static_ || policy == schedule::afs ? workers : 1;
}

/// Gives what `worker` (0 to P-1 in its team) runs next under a baseline; nothing when there is no more for it. Not for
/// dbs.
template <queues Q>
std::optional<part> next(schedule baseline, Q& q, int worker) {
  switch (baseline) {
    case schedule::static_:
      return next_static(q, worker);
    case schedule::afs:
      return next_afs(q, worker);
    default:
      return next_gss(q);
  }
}

}  // namespace maslin::loop_policy
