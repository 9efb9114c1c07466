#pragma once
// Somebody who is told which context comes into force, for what an executor sets on the thread that runs it.

#include <atomic>

#include "maslin/fork.hpp"
#include "task/context.hpp"

namespace maslin {

/// Called on the thread where `now` came into force (null: its root context, or the worker's own loop), perhaps under
/// locks of the executor: it must not suspend, throw, or call into tasks.
using context_watcher = void (*)(context* now) noexcept;

/// What a watcher must be told of. Of code that begins in a task, and is a task's itself, most need not know.
enum class watched : unsigned char { nothing, what_is_no_task_in_a_task, everything };

/// There is one, or none (null), which costs a load and a branch.
void set_context_watcher(context_watcher watcher, watched what = watched::what_is_no_task_in_a_task) noexcept;

extern constinit std::atomic<watched> watched_contexts;

/// May a task begin in the code that runs on the calling thread without a context of its own, as far as a watcher is
/// concerned?
inline bool tells_nobody(const detail::thread_state& on) noexcept {
  switch (watched_contexts.load(std::memory_order_relaxed)) {
    case watched::nothing:
      return true;
    case watched::what_is_no_task_in_a_task:
      return on.current ? !on.current->is_root && !on.current->owns_stream
                        : on.forks->innermost && on.forks->innermost->is_task();
    default:
      return false;
  }
}

}  // namespace maslin
