// Waits for tasks and for data; groups.

#include <functional>
#include <string>

#include "exec/execute.hpp"
#include "exec/foreign/one_thread.hpp"
#include "exec/in_place.hpp"
#include "exec/phase/phase_run.hpp"
#include "exec/submit/submit.hpp"
#include "graph/domain.hpp"
#include "maslin/error.hpp"
#include "maslin/runtime.hpp"
#include "task/branch.hpp"
#include "task/context_watcher.hpp"
#include "task/uncancelled.hpp"
#include "trace/recorder.hpp"

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

namespace {

/// Suspends the caller until those members are over that the group's creator, another than the caller, runs.
void await_in_place(executor& exec, const context& caller, const group::state& of) {
  const uncancelled during(caller);
  const stream_waits meanwhile(caller);
  while (!of.in_place.are_over()) {
    if (waiter* me = exec.caller())
      in_place_waits::all.await(of.in_place, *me, of.members);
    else
      exec.help(&of.members);
  }
}

void await_members(group::state& of) {
  executor& exec = the_executor();
  foreign::one_thread::rescan();
  const traced_wait noted(exec, &of.members);
  context& caller = current_context();
  do {
    if (!of.in_place.are_over()) [[unlikely]]
      await_in_place(exec, caller, of);
    await_tasks(exec, caller, &of.members);
  } while (!of.in_place.are_over());  // one that a member has seen begin
  exec.after_sharing();
}

}  // namespace

static_assert(sizeof(group::state) <= sizeof(group));
static_assert(alignof(group::state) <= alignof(group));

namespace {

/// Gives the calling stream if what lies there is a local variable of the code that runs in the calling context: it is
/// on the stack, below the context, or the frame of code that has none yet, which lives there too, and above `frame`,
/// that of the function which this code calls.
void* stream_of_local(const void* variable, const void* frame, const detail::thread_state& on) noexcept {
  const context* const here = on.current;
  const detail::branch_frame* const code = on.forks->innermost;
  if (here ? here->in_offload : !code) return nullptr;  // a kernel may run on another stack than its stream
  void* const stream = here ? here->stream : stream_of(*code);
  if (!stream) return nullptr;
  const std::less<> below;
  const void* const top = here ? static_cast<const void*>(here) : code;
  return below(frame, variable) && below(variable, top) ? stream : nullptr;
}

bool is_task(const detail::thread_state& on) noexcept {
  return on.current ? !on.current->is_root && !on.current->data : on.forks->innermost != nullptr;
}

/// Is nothing left of the group, and is there nobody to be told that the caller, a task, waits for it?
bool is_over(const group::state& of) noexcept {
  const detail::thread_state& on = detail::state_of_thread;
  if (of.ended_in_place()) [[likely]]
    return is_task(on);
  return of.is_quiet() && !of.members.has_errors() && !trace::on() && is_task(on) && tells_nobody(on, false);
}

}  // namespace

group::group() {
  const detail::thread_state& on = detail::state_of_thread;
  new (state_) state(stream_of_local(this, __builtin_frame_address(0), on), state::caller(on));
}

group::~group() {
  state& mine = get();
  scope& members = mine.members;
  if (!mine.ended_in_place() && !is_over(mine)) {
    if (mine.has_members()) {
      await_members(mine);
      trace_group_end(the_executor(), members);
    }
    if (members.has_errors()) {
      scope& creator = *current_context().children;
      creator.add_errors(creator.created(), members.take_thrown());
    }
  }
  mine.~state();
}

bool group::wait() {
  state& mine = get();
  if (!is_over(mine) && mine.has_members()) await_members(mine);
  const bool dismissed = mine.members.end_dismissal();
  if (mine.members.has_errors()) rethrow_first(mine.members.take_errors());
  return !dismissed;
}

void group::cancel() noexcept { get().members.dismiss(); }
bool group::cancelled() const noexcept { return get().members.dismissed(); }

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
