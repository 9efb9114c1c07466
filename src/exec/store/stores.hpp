#pragma once
// The local stores of the process's runtime: one for each worker, one for all other threads.

#include <cstdint>
#include <optional>

#include "exec/executor.hpp"
#include "exec/store/local_store.hpp"

namespace maslin::store {

/// The runtime begins: there are stores if MASLIN_STORE says so. Throws `error`.
void begin(int workers);
/// It has ended; nothing runs.
void end() noexcept;
/// In a forked child: they are its parent's.
void forget_after_fork() noexcept;

/// Calls the body of a task with accesses on copies of its data, and waits for the tasks that it created: they may work
/// on those copies. Throws what the body throws, and `error` where its data do not fit.
void call_on_copies(executor& exec, detail::task_node& task);

/// Gives what they did; nothing where there are none.
std::optional<counts> told();

}  // namespace maslin::store
