// Groups: what their creator does not run itself, and waits for them.

#include <functional>
#include <new>

#include "base/lock.hpp"
#include "exec/execute.hpp"
#include "exec/foreign/one_thread.hpp"
#include "exec/in_place.hpp"
#include "exec/phase/phase_run.hpp"
#include "exec/submit/submit.hpp"
#include "maslin/error.hpp"
#include "task/branch.hpp"
#include "task/context_watcher.hpp"
#include "task/in_place_members.hpp"
#include "task/uncancelled.hpp"
#include "trace/recorder.hpp"

namespace maslin {

constinit std::atomic<bool> detail::in_place_awaited{false};

namespace {

constinit in_place_waits waits_in_place(detail::in_place_awaited);
constinit base::short_lock making;

}  // namespace

void detail::wake_in_place(const in_place_members_of<std::atomic>* members) noexcept { waits_in_place.wake(members); }

void groups_around_fork(bool begins) noexcept MASLIN_UNCHECKED { begins ? making.lock() : making.unlock(); }
void forget_waits_in_place_after_fork() noexcept { waits_in_place.forget_after_fork(); }

namespace {

/// Suspends the caller until those members are over that the group's creator, another than the caller, runs.
void await_in_place(executor& exec, const context& caller, group& of) {
  const uncancelled during(caller);
  const stream_waits meanwhile(caller);
  const in_place_members& members = group::state::in_place(of);
  while (!members.are_over()) {
    if (waiter* me = exec.caller())
      waits_in_place.await(members, *me, of.get().members);
    else
      exec.help(&of.get().members);
  }
}

void await_members(group& of) {
  executor& exec = the_executor();
  foreign::one_thread::rescan();
  scope& members = of.get().members;
  const in_place_members& in_place = group::state::in_place(of);
  const traced_wait noted(exec, &members);
  context& caller = current_context();
  do {
    if (!in_place.are_over()) [[unlikely]]
      await_in_place(exec, caller, of);
    await_tasks(exec, caller, &members);
  } while (!in_place.are_over());  // one that a member has seen begin
  exec.after_sharing();
}

/// Is what lies there a local variable of the code that runs in the calling context? It is on the stack, below the
/// context, or the frame of code that has none yet, which lives there too, and above `frame`, that of the function
/// which this code calls.
bool is_local(const void* variable, const void* frame, const detail::thread_state& on) noexcept {
  const void* const top = on.current ? static_cast<const void*>(on.current) : on.forks->innermost;
  const std::less<> below;
  return below(frame, variable) && below(variable, top);
}

/// Gives the calling stream if that is so.
void* stream_of_local(const void* variable, const void* frame, const detail::thread_state& on) noexcept {
  const context* const here = on.current;
  const detail::branch_frame* const code = on.forks->innermost;
  if (here ? here->in_offload : !code) return nullptr;  // a kernel may run on another stack than its stream
  void* const stream = here ? here->stream : stream_of(*code);
  return stream && is_local(variable, frame, on) ? stream : nullptr;
}

bool is_task(const detail::thread_state& on) noexcept {
  return on.current ? !on.current->is_root && !on.current->data : on.forks->innermost != nullptr;
}

/// Is nothing left of the group, and is there nobody to be told that the caller, a task, waits for it?
bool needs_no_wait(const group& of) noexcept {
  const detail::thread_state& on = detail::state_of_thread;
  if (group::state::ended_in_place(of)) [[likely]]
    return is_task(on);
  return group::state::is_quiet(of) && !group::state::has_errors(of) && !trace::on() && is_task(on) &&
         tells_nobody(on, false) && !graph::hear_program();
}

}  // namespace

void* group::stream_of(const group* variable) noexcept {
  return stream_of_local(variable, __builtin_frame_address(0), detail::state_of_thread);
}

void group::make_state() noexcept {
  static_assert(sizeof(state) <= sizeof(state_) && alignof(state) <= 8);
  const base::locked held(making);
  if (has_state_.load(std::memory_order_relaxed)) return;
  new (state_) state;
  has_state_.store(true, std::memory_order_release);
}

void group::end() {
  if (!state::ended_in_place(*this) && !needs_no_wait(*this)) {
    if (state::has_members(*this)) {
      // Destroyed by an `exit` inside a task, as what has static storage is. It stays as it is: the task may be a
      // member, or what members wait for.
      if (has_left_in_task() && !is_local(this, __builtin_frame_address(0), detail::state_of_thread)) return;
      await_members(*this);
      trace_group_end(the_executor(), get().members);
    }
    if (state::has_errors(*this)) {
      scope& creator = *current_context().children;
      creator.add_errors(creator.created(), get().members.take_thrown());
    }
  }
  if (known()) get().~state();
}

bool group::wait_for_members() {
  if (!needs_no_wait(*this)) {
    const context* const here = detail::state_of_thread.current;
    if (here && here->records_into) throw_recorded("group::wait or future::get");
    if (state::has_members(*this)) await_members(*this);
  }
  if (!known()) return true;
  scope& members = get().members;
  const bool dismissed = members.end_dismissal();
  if (members.has_errors()) rethrow_first(members.take_errors());
  return !dismissed;
}

void group::cancel() noexcept { get().members.dismiss(); }
bool group::cancelled() const noexcept { return state::dismissed(*this); }

}  // namespace maslin
