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

using kind = schedule;

/// Gives the policy that MASLIN_LOOP names; throws `error` for any other text.
kind parse(std::string_view text);

/// Gives the name that `parse` reads.
std::string_view name(kind policy);

/// Gives how many queues a loop is laid out in when `workers` begin it. Queue q holds equal_part(blocks, queues, q).
constexpr int queue_count(kind policy, int workers) {
  return policy == kind::static_ || policy == kind::afs ? workers : 1;
}

/// Gives what `worker` (0 to P-1 in its team) runs next under a baseline; nothing when there is no more for it. Not for
/// dbs.
template <queues Q>
std::optional<part> next(kind baseline, Q& q, int worker) {
  switch (baseline) {
    case kind::static_:
      return next_static(q, worker);
    case kind::afs:
      return next_afs(q, worker);
    default:
      return next_gss(q);
  }
}

}  // namespace maslin::loop_policy
