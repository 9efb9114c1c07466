#pragma once
// Somebody who is told which context comes into force, for what an executor sets on the thread that runs it.

#include "task/context.hpp"

namespace maslin {

/// Called on the thread where `now` came into force (null: its root context, or the worker's own loop), perhaps under
/// locks of the executor: it must not suspend, throw, or call into tasks.
using context_watcher = void (*)(context* now) noexcept;

/// There is one, or none (null), which costs a load and a branch.
void set_context_watcher(context_watcher watcher) noexcept;

}  // namespace maslin
