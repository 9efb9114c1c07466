// Waits for tasks and for data.

#include <string>

#include "exec/execute.hpp"
#include "exec/foreign/one_thread.hpp"
#include "exec/in_place.hpp"
#include "exec/submit/submit.hpp"
#include "graph/domain.hpp"
#include "maslin/error.hpp"
#include "maslin/runtime.hpp"
#include "task/uncancelled.hpp"

namespace maslin {

void wait() {
  executor& exec = the_executor();
  foreign::one_thread::rescan();
  context& here = unrecorded_context("wait");
  const traced_wait noted(exec, nullptr);
  await_tasks(exec, here);
  exec.after_sharing();
  if (here.children->has_errors()) rethrow_first(here.children->take_errors());
}

namespace detail {

void wait_for_data(executor& exec, context& here, std::span<const declared> data, const char* call, location where) {
  bool reached = false;
  {
    scope members(here.children, scope::creators::many);
    const task_storage storage = new_task_storage(sizeof(bool*), alignof(bool*), data.size());
    *static_cast<bool**>(storage.callable) = &reached;
    const auto run = [](void* at, const access_record*, body_use use) {
      if (use == body_use::call || use == body_use::call_and_destroy) **static_cast<bool**>(at) = true;
    };
    auto* task =
        new (storage.node) task_node(members, here.stream, storage, {run, nullptr, where, 0, data.data(), data.size()});
    if (add_to_graph(exec, here, *task, data, true)) run_task(exec, task, exec);
    // Not on this stack: another of the caller's tasks may be waiting for what the caller does after this.
    suspend_until(exec, members);
    graph::tell_program_looks();
    // Nobody waits for this scope again, so it leaves nothing void behind.
    if (!reached) graph::domain::of(here).quiet(&members, true);
  }
  if (!reached)
    throw error(std::string(call) + " at " + where.file_name() + ":" + std::to_string(where.line()) +
                ": a task that writes this data threw or was cancelled; the wait that covers it says which");
}

void wait_on_data(const declared& data, location where) {
  executor& exec = the_executor();
  context& here = unrecorded_context("wait_on");
  const traced_wait noted(exec, nullptr, &data);
  const uncancelled during(here);
  if (here.data) wait_for_data(exec, here, {&data, 1}, "wait_on", where);
}

}  // namespace detail

}  // namespace maslin
