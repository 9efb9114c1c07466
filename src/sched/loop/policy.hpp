#pragma once
// The loop policies by name. Under dbs a loop is work among other work: place/dbs says where a worker looks, `share`
// and `half` how much it takes. Under the baselines (dynamic-bisectioning, section 4.1) a loop is work of its own,
// which lies in queues under `gss` and `afs`.

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

/// Gives how many queues a loop is laid out in when `workers` begin it under `gss` or `afs`. Queue q holds
/// equal_part(blocks, queues, q).
constexpr int queue_count(schedule policy, int workers) { return policy == schedule::afs ? workers : 1; }

/// Gives what `worker` (0 to P-1 in its team) runs next under `gss` or `afs`; nothing when there is no more for it.
template <queues Q>
std::optional<part> next(schedule policy, Q& q, int worker) {
  return policy == schedule::afs ? next_afs(q, worker) : next_gss(q);
}

}  // namespace maslin::loop_policy
