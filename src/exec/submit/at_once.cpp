// Tasks that their creator runs at once, before their creation returns.

#include <algorithm>
#include <cassert>
#include <exception>
#include <new>
#include <utility>

#include "base/chance.hpp"
#include "base/clock.hpp"
#include "base/float_mode.hpp"
#include "exec/execute.hpp"
#include "exec/forks/forks.hpp"
#include "exec/in_place.hpp"
#include "exec/submit/submit.hpp"
#include "graph/domain.hpp"
#include "graph/poison.hpp"
#include "task/branch.hpp"
#include "task/context_watcher.hpp"

namespace maslin::detail {

namespace {

/// Can the graph do without a task with these accesses where nothing else of its creator's is in flight? It can, but
/// that a reduction's values are combined later, and read checks and local stores need every task.
bool can_stand_alone(const task_description& what) noexcept {
  for (std::size_t i = 0; what.may_reduce && i < what.access_count; ++i)
    if (what.accesses[i].mode == access_mode::reduction) return false;
  return graph::bodies_are_plain();
}

/// Runs members of the scope that are at hand and waits for the others until `end`; gives whether none is in flight.
bool are_done_by(std::uint64_t end, executor& exec, scope& members) noexcept {
  run_members(exec, members, 0, end);
  while (members.in_flight() > 0) {
    if (base::ticks() >= end) return false;
    base::relax();
  }
  return true;
}

/// A task waits for what its creator has in flight, or might. Where handing it over takes longer than its body, the
/// creator waits for all that first, after which it can run this and what comes next itself. It waits for half as long
/// as it has lost by handing such tasks over: what is in flight may be long. Gives whether nothing is in flight now.
/// No inline: few creations come here, and all others would save registers for it.
[[gnu::noinline]] bool comes_to_rest(executor& exec, context& here, const task_description& what) noexcept {
  if ((here.at_once && !what.in) || here.mutexes > 0) return false;
  if (exec.is_described()) {
    exec.catch_up();
    return graph::is_settled(here);  // the graph takes no time there, so that nothing is lost by handing over
  }
  constexpr float worth_waiting = 16;  // tasks
  const auto lost = static_cast<float>(exec.lost_by_handing_over(what.run, what.where));
  if (lost == 0 || here.children->has_errors()) return false;
  here.lost += lost;
  if (here.lost < std::max(here.waits_at, worth_waiting * lost)) return false;
  here.waits_at = 2 * here.lost;
  const auto patience = static_cast<std::uint64_t>(here.lost / 2);
  const std::uint64_t end = base::ticks() + patience;
  if (!are_done_by(end, exec, *here.children)) return false;
  if (what.in && group::state::known(*what.in) && !are_done_by(end, exec, what.in->get().members)) return false;
  if (!here.data) return true;
  graph::domain& data = graph::domain::of(here);
  try {
    data.bring_home_up_to(patience, exec);  // to copy a byte takes less than a tick
  } catch (const std::bad_alloc&) {
    return false;
  }
  // What comes home may wait for members of other groups.
  if (!are_done_by(base::ticks() + patience, exec, *here.children)) return false;
  data.forget_guests();
  return data.is_settled();
}

/// Does a task with these accesses wait for nothing, and does nothing need to be noted of it?
bool stands_alone(executor& exec, context& here, const task_description& what) noexcept {
  if (!can_stand_alone(what) || !(graph::is_settled(here) || comes_to_rest(exec, here, what))) return false;
  here.lost = here.waits_at = 0;
  return true;
}

using grain::task_size;

/// How many of the group's tasks has its creator not run itself?
std::uint64_t counted_by_scope(const group& in) noexcept {
  const group::state* const known = group::state::known(in);
  return known ? known->members.created() : 0;
}

/// Has the group's creator better run a task without accesses at once? Those of a group have somebody who waits for
/// them, so that they do not pile up.
task_size size_of(executor& exec, const task_description& what, const group& in) noexcept {
  const task_size size = exec.size_of(what.run, what.where, 0, counted_by_scope(in));
  return size == task_size::large && is_full(exec, in) && exec.has_stack_room() ? task_size::small : size;
}

task_size size_of(executor& exec, const task_description& what, context& here) noexcept {
  using enum task_size;
  if (here.records_into || (what.access_count > 0 && !stands_alone(exec, here, what))) return large;
  // A task that is run at once hands its own over, so that tasks which create each other do not pile up.
  const bool may_be_small = !here.at_once || what.in;
  const task_size size = may_be_small ? exec.size_of(what.run, what.where, what.access_count,
                                                     what.in ? counted_by_scope(*what.in) : here.children->created())
                                      : large;
  return size == large && is_full(exec, here, what.in) && exec.has_stack_room() ? small : size;
}

/// Can a task of that size do without a context until it needs one? Not where time is a described machine's.
[[gnu::always_inline]] inline bool needs_no_context(const executor& exec, const task_description& what, task_size size,
                                                    thread_state& on) noexcept {
  if (exec.is_described()) return false;
  const bool is_tiny = size == task_size::tiny;
  if (trace::on() || !tells_nobody(on, is_tiny)) return false;
  // What is larger, and needs no data, is likely to create more of its kind: `run_at_once` makes a worker of its
  // creator.
  return on.forks->has_room() || ((is_tiny || what.access_count > 0) && has_frames(on));
}

/// Has the creator run as many of these without asking as it was let (`runs_kept`)? This one is timed then.
bool has_used_up(const kept_tasks& kept, const task_description& what) noexcept {
  return kept.left == 0 && kept.are_of(what.run, what.where.line());
}

[[gnu::always_inline]] inline void begin(executor& exec, task_frame& task, const task_description& what,
                                         thread_state& on, const context* creator) noexcept {
  task.what = &what;
  task.run = nullptr;
  task.inside = nullptr;
  if (what.in) {
    task.place = group::state::begin(*what.in, on, task.is_in_place);
    task.stream = group::state::stream(*what.in);
  } else {
    assert(creator);
    task.place = creator->children->created();
    task.stream = creator->stream;
  }
  task.open(*on.forks, on);
  new (task.rounding) base::kept_rounding;
  bool is_timed = base::one_in_thirty_two();
  if (what.in && what.access_count == 0) {
    is_timed = is_timed || has_used_up(on.forks->kept, what);
    exec.let_keep(*on.forks, what.run, what.where);
  }
  task.began = is_timed ? base::ticks() : 0;
}

}  // namespace

start start_task(const task_description& what, task_frame* frame) noexcept {
  executor* const exec = running_executor.load(std::memory_order_acquire);
  if (!exec || (what.in && group::state::dismissed(*what.in))) return start::handed_over;
  const context* creator = nullptr;
  task_size size;
  if (what.in && what.access_count == 0) {
    const thread_state& on = state_of_thread;
    const context* const around = on.current ? on.current : on.forks->base;
    if (around && around->records_into) return start::handed_over;
    size = size_of(*exec, what, *what.in);
  } else {
    context& here = current_context();
    creator = &here;
    size = size_of(*exec, what, here);
  }
  if (size == task_size::large) return start::handed_over;
  // With accesses the creator may have been suspended (`comes_to_rest`), and goes on elsewhere.
  thread_state& on = what.access_count > 0 ? address_of_thread_state() : state_of_thread;
  if (!frame || !needs_no_context(*exec, what, size, on))
    return size == task_size::tiny ? start::tiny_at_once : start::at_once;
  begin(*exec, *frame, what, on, creator);
  return start::begun;
}

namespace {

/// The callable of a task whose body has run already.
void do_nothing(void*, const access_record*, body_use) {}

/// A task that was run at once has thrown, or one that it created.
[[gnu::cold]] void fail_in_context(executor& exec, context& creator, const task_description& what, std::uint64_t place,
                                   error_list&& errors) {
  scope& members = members_of(what.in, creator);
  if (what.access_count == 0) return members.add_errors(place, std::move(errors));
  // What it would have written is void: so says a task in its place that fails.
  task_storage storage;
  try {
    storage = new_task_storage(0, 1, what.access_count);
  } catch (...) {
    members.add_errors(place, std::move(errors));
    throw;
  }
  task_description failed = what;
  failed.run = do_nothing;
  auto* task =
      new (storage.node) task_node(members, enter(what.in, creator), stream_of(what.in, creator), storage, failed);
  task->children.add_errors(0, std::move(errors));
  if (add_to_graph(exec, creator, *task, {what.accesses, what.access_count}, false)) run_task(exec, task, exec);
}

/// Runs a task in a context of its own.
void run_in_context(executor& exec, const task_description& what, void* callable, access_record* records, bool tiny) {
  context& creator = current_context();
  for (std::size_t i = 0; i < what.access_count; ++i) records[i] = {what.accesses[i].data, nullptr, {}};
  // Another thread may wait for a group; the creator's own tasks are waited for by nobody else.
  const std::uint64_t place = what.in ? enter(what.in, creator) : creator.children->created();
  struct leaving {
    group* in;
    ~leaving() {
      if (in) in->get().members.leave();
    }
  } const at_end{what.in};  // also where there is no memory for what it threw
  scope own(creator.children);
  context here(own);
  here.stream = stream_of(what.in, creator);
  here.at_once = true;
  here.tiny = tiny;
  trace_created(exec, what, trace::ran_at_once);
  trace_task(exec, trace::event_kind::task_begin, what.where, trace::ran_at_once);
  const bool is_timed = exec.is_described() || base::one_in_thirty_two();
  bool leaves_tasks = false;
  const base::kept_rounding creators;
  const std::uint64_t begin = is_timed ? exec.ticks_of_code() : 0;
  error_list errors = run_enclosed(exec, here, own, [&] {
    const timed_code body(exec);
    what.run(callable, records, body_use::call);
    leaves_tasks = !own.quiet();
  });
  if (is_timed || leaves_tasks) exec.learn(what.run, what.where, exec.ticks_of_code() - begin, leaves_tasks);
  trace_task(exec, trace::event_kind::task_end, what.where, trace::ran_at_once);
  if (!errors.empty()) fail_in_context(exec, creator, what, place, std::move(errors));
}

[[gnu::always_inline]] inline void close(task_frame& task, fork_list& forks) noexcept {
  const task_description& what = *task.what;
  reinterpret_cast<base::kept_rounding*>(task.rounding)->~kept_rounding();
  if (task.began) the_executor().learn(what.run, what.where, base::ticks() - task.began, false);
  task.close(forks);
}

/// Ends a task that has thrown, or whose code has needed a context; it may have changed threads.
[[gnu::noinline]] void end_in_context(task_frame& task, std::exception_ptr thrown) noexcept {
  const task_description& what = *task.what;
  const bool leaves_tasks = task.inside && !task.inside->children->quiet();
  error_list errors = thrown ? take_branch(task, std::move(thrown)) : take_branch(task);
  if (leaves_tasks) the_executor().learn(what.run, what.where, 0, true);
  close(task, *forks_of_thread());
  if (!errors.empty()) {
    context& creator = current_context();
    try {
      fail_in_context(the_executor(), creator, what, task.place, std::move(errors));
    } catch (...) {
      members_of(what.in, creator).add_error(task.place, std::current_exception());
    }
  }
  if (what.in) group::state::end(*what.in, task.is_in_place);
}

}  // namespace

void end_at_once(task_frame& task) noexcept {
  if (task.inside) [[unlikely]]
    return end_in_context(task, nullptr);
  close(task, *state_of_thread.forks);
  // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): `begin` has set it where there is a group
  if (group* const in = task.what->in) group::state::end(*in, task.is_in_place);
}

void fail_at_once(task_frame& task) noexcept { end_in_context(task, std::current_exception()); }

void end_kept(task_frame& task, const task_description& what, bool has_thrown) noexcept {
  task.what = &what;
  task.began = 0;
  task.is_in_place = true;
  new (task.rounding) base::kept_rounding;
  end_in_context(task, has_thrown ? std::current_exception() : nullptr);
}

void run_at_once(const task_description& what, void* callable, access_record* records, bool tiny) {
  const auto run = [&] {
    thread_state& on = state_of_thread;
    executor& exec = *running_executor.load(std::memory_order_acquire);
    if (what.access_count > 0 || !needs_no_context(exec, what, task_size::small, on))
      return run_in_context(exec, what, callable, records, tiny);
    task_frame task;
    begin(exec, task, what, on, what.in ? nullptr : &current_context());
    try {
      what.run(callable, nullptr, body_use::call);
    } catch (...) {
      return fail_at_once(task);
    }
    end_at_once(task);
  };
  // What a task creates is likely to create others.
  const thread_state& on = state_of_thread;
  const bool in_task = on.current ? !on.current->is_root : on.forks->innermost != nullptr;
  if (in_task && !on.forks->has_room())
    the_executor().run_with_forks([](void* env) { (*static_cast<decltype(run)*>(env))(); },
                                  const_cast<void*>(static_cast<const void*>(&run)));
  else
    run();
}

}  // namespace maslin::detail
