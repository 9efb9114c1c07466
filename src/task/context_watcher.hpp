#pragma once
// Somebody who is told which context comes into force, for what an executor sets on the thread that runs it.

#include <atomic>

#include "maslin/fork.hpp"
#include "task/context.hpp"

namespace maslin {

/// Called on the thread where `now` came into force (null: its root context, or the worker's own loop), perhaps under
/// locks of the executor: it must not suspend, throw, or call into tasks.
using context_watcher = void (*)(context* now) noexcept;

/// What a watcher must be told of: tasks that begin outside tasks (of these all, or those that are not tiny), or
/// whatever begins.
enum class watched : unsigned char { nothing, larger_outside, outside, everything };

/// There is one, or none (null), which costs a load and a branch.
void set_context_watcher(context_watcher watcher, watched what) noexcept;
/// Another one beside it: who sets the rights to pages (exec/pages). Code that has no context of its own has those of
/// the code around it, so no more has one for its sake.
void set_rights_watcher(context_watcher watcher) noexcept;

extern constinit std::atomic<watched> watched_contexts;

/// May a task begin in the code that runs on the calling thread without a context of its own, as far as a watcher is
/// concerned?
inline bool tells_nobody(const detail::thread_state& on, bool is_tiny) noexcept {
  const watched what = watched_contexts.load(std::memory_order_relaxed);
  if (what == watched::nothing || (what == watched::larger_outside && is_tiny)) return true;
  if (what == watched::everything) return false;
  return on.current ? !on.current->is_root && !on.current->owns_stream
                    : on.forks->innermost && on.forks->innermost->is_task();
}

}  // namespace maslin
