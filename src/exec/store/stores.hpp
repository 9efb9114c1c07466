#pragma once
// The local stores of the process's runtime: one for each worker, one for all other threads.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "exec/executor.hpp"
#include "exec/store/local_store.hpp"

namespace maslin::store {

/// The runtime begins: there are stores if MASLIN_STORE says so. Gives for how many tasks of a worker data may be
/// fetched before they begin. Throws `error`.
std::uint32_t begin(int workers);
/// It has ended; nothing runs.
void end() noexcept;
/// In a forked child: they are its parent's.
void forget_after_fork() noexcept;

/// Calls the body of a task with accesses on copies of its data, and waits for the tasks that it created: they may work
/// on those copies. Throws what the body throws, and `error` where its data do not fit.
void call_on_copies(executor& exec, detail::task_node& task);

/// A task with accesses does not run, or fails before that: takes back what was fetched for it.
void drop_early(const detail::task_node& task) noexcept;

/// Gives what they did; nothing where there are none.
std::optional<counts> told();

// For described machines, whose stores are exec/virtual's.

/// When what a task has written reaches memory: MASLIN_STORE_WRITE, in that order.
enum class writing : std::uint8_t { through, renamed, back };
/// Gives what the environment asks for.
writing writing_of_the_run();
/// Gives what a task of the graph's own does; nothing where it only waits.
std::vector<use> uses_of_own(detail::task_node& task);
/// Says which copies may reach memory late.
void mark_lazy(plan& of, detail::task_node& task, writing how);
/// Gives what the clock showed when the task had been created, where its node has room for that.
std::optional<std::uint64_t> birth_of(detail::task_node& task);
/// Throws `error`: the task's data are larger than a store.
[[noreturn]] void refuse(const detail::task_node& task, const plan& of, std::size_t store_bytes);
/// `told` asks there (null: nowhere any more), and gives the last answer until the runtime's end.
void tell_by(counts (*who)());

}  // namespace maslin::store
