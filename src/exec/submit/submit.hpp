#pragma once
// What the calls share that create tasks, wait for them or replay them.

#include <span>

#include "exec/executor.hpp"
#include "maslin/task.hpp"
#include "task/context.hpp"
#include "task/node.hpp"

namespace maslin {

[[noreturn]] void throw_recorded(const char* call);
/// The calling context, for a call that cannot be recorded.
inline context& unrecorded_context(const char* call) {
  context& here = current_context();
  if (here.records_into) [[unlikely]]
    throw_recorded(call);
  return here;
}

namespace detail {

inline scope& members_of(group* in, context& here) { return in ? in->get().members : *here.children; }
inline void* stream_of(const group* in, const context& here) { return in ? group::state::stream(*in) : here.stream; }

/// Counts a new task of the caller's; gives its place.
inline std::uint64_t enter(group* in, context& here) {
  return in ? group::state::enter(*in, address_of_thread_state()) : here.children->enter();
}

/// Has the creator so many tasks in flight that it has to run a new one itself, or to wait?
bool is_full(executor& exec, context& here, const group* in);
inline bool is_full(executor& exec, const group& in) {
  const group::state* const known = group::state::known(in);
  return exec.serial() || (known && known->members.in_flight() >= exec.window());
}

/// Makes the graph know what the task reads and writes; gives whether it waits for nothing. What is thrown leaves no
/// task.
bool add_to_graph(executor& exec, context& creator, task_node& task, std::span<const declared> data, bool at_home);

/// Waits until the accesses could be made by a task that was created now, of which data must be at home. Throws `error`
/// when one needs what a failed task would have written.
void wait_for_data(executor& exec, context& here, std::span<const declared> data, const char* call, location where);

}  // namespace detail

}  // namespace maslin
