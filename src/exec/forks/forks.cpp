#include "exec/forks/forks.hpp"

#include <new>
#include <optional>

#include "exec/in_place.hpp"
#include "task/branch.hpp"

namespace maslin {

namespace {

/// Creates a member of `in` that runs `run(what)`; it waits for nothing. Throws std::bad_alloc.
template <void (*Run)(void*)>
detail::task_node& make_task(executor& exec, scope& in, void* stream, void* what, location where) {
  const detail::task_storage storage = detail::new_task_storage(sizeof(void*), alignof(void*), 0);
  *static_cast<void**>(storage.callable) = what;
  const detail::task_function body = [](void* callable, const detail::access_record*, detail::body_use use) {
    if (use == detail::body_use::describe)
      static_cast<detail::task_facts*>(callable)->body = "a branch of ms::fork";
    else if (use != detail::body_use::destroy)
      Run(*static_cast<void**>(callable));
  };
  const detail::task_description description{body, nullptr, where, 0, nullptr, 0};
  auto* task = new (storage.node) detail::task_node(in, stream, storage, description);
  trace_created(exec, description, traced_number(task));
  if (trace::on(trace::event_kind::member)) [[unlikely]]
    trace::record(traced_track(exec).number, trace::event_kind::member, 0, traced_number(&in));
  return *task;
}

void run_second(void* fork) {
  auto& f = *static_cast<detail::fork_frame*>(fork);
  f.run(f);
}

/// Has the code around the fork, whose thread calls, said what it costs?
bool is_declared_around(const detail::branch_frame& fork) noexcept {
  for (const detail::branch_frame* at = &fork; at; at = at->outside)
    if (at->before) return at->before->declares;
  const context* const of_thread = detail::address_of_thread_state().root;
  return of_thread && of_thread->declares;
}

struct plain_call {
  void (*run)(void*);
  void* env;
  location where;
  error_list others;  ///< what went wrong besides what it throws
};
void run_call(void* call) {
  auto& c = *static_cast<plain_call*>(call);
  try {
    if (!forks_of_thread()->has_room()) return the_executor().run_forks(c.run, c.env, c.where);
    c.run(c.env);
  } catch (...) {
    c.others = std::move(current_context().others);
    throw;
  }
}

/// For a fork whose code around it has said what it costs: a branch in place says it with that, and so do these.
template <void (*Run)(void*)>
void run_declared(void* what) {
  current_context().declares = true;
  Run(what);
}

/// Waits for the second branch as a task, and gives what it threw.
error_list take_task(detail::fork_frame& fork) {
  executor& exec = the_executor();
  scope& end = end_of(fork);
  {
    const traced_wait noted(exec, &end);
    if (!end.quiet()) await(exec, end);
  }
  graph::tell_program_looks();
  trace_group_end(exec, end);
  error_list errors = end.has_errors() ? end.take_errors() : error_list();
  end.~scope();
  return errors;
}

void await_branch(detail::branch_frame& frame) {
  the_executor().ran();
  await_tasks_at_end(the_executor(), branch_of(frame).self);
}

/// Ends the context of a branch whose tasks are done, and gives what went wrong in it.
error_list leave_branch(detail::branch_frame& frame) {
  branch& over = branch_of(frame);
  error_list errors = over.own.has_errors() ? over.own.take_errors() : error_list();
  frame.inside = nullptr;
  over.~branch();
  set_current_context(nullptr);
  return errors;
}

/// Brings the end of a branch to its handler; what tasks of the branch threw stays in their scope until then.
struct tasks_threw {};

/// In a branch's handler: gives what went wrong in it.
error_list take_failed_branch(detail::branch_frame& frame) {
  try {
    throw;
  } catch (const tasks_threw&) {
    return leave_branch(frame);
  } catch (...) {
    return take_branch(frame, std::current_exception());
  }
}

}  // namespace

error_list take_branch(detail::branch_frame& frame) {
  if (!frame.inside) return {};
  await_branch(frame);
  return leave_branch(frame);
}

error_list take_branch(detail::branch_frame& frame, std::exception_ptr&& what) {
  if (!frame.inside) {
    error_list one;
    one.add(0, std::move(what));
    return one;
  }
  branch_of(frame).own.add_error(~std::uint64_t{0}, std::move(what));
  return take_branch(frame);
}

bool promote_oldest(executor& exec, detail::fork_list& list) noexcept {
  // The branches of forks in a recording create its tasks, in program order.
  if (list.newest == &list.oldest || (list.base && list.base->records_into)) return false;
  auto& fork = *static_cast<detail::fork_frame*>(list.oldest.newer);
  scope& end = *new (fork.end) scope(nullptr, scope::creators::many);
  try {
    const auto make =
        exec.times_code() && is_declared_around(fork) ? make_task<run_declared<run_second>> : make_task<run_second>;
    detail::task_node& task = make(exec, end, stream_of(fork), &fork, fork.where);
    if (list.newest == &fork)
      list.newest = &list.oldest;
    else
      (list.oldest.newer = fork.newer)->older = &list.oldest;
    fork.promoted = true;
    exec.ready(&task);
    return true;
  } catch (const std::bad_alloc&) {
    end.~scope();
    return false;
  }
}

void run_as_task(executor& exec, void (*call)(void*), void* env, location where) {
  context& here = current_context();
  scope end(here.children, scope::creators::many);
  plain_call what{call, env, where, {}};
  const auto make = exec.times_code() && here.declares ? make_task<run_declared<run_call>> : make_task<run_call>;
  exec.ready(&make(exec, end, here.stream, &what, where));
  {
    const traced_wait noted(exec, &end);
    suspend_until(exec, end);
  }
  graph::tell_program_looks();
  trace_group_end(exec, end);
  if (!end.has_errors()) return;
  error_list errors = end.take_errors();
  errors.add_all(1, std::move(what.others));
  rethrow_first(std::move(errors));
}

namespace detail {

void fork_elsewhere(void (*call)(void*), void* env, location where) {
  executor& exec = the_executor();
  if (!current_context().records_into) return exec.run_forks(call, env, where);
  fork_list in_place{.asked = &nobody_asks};
  const forks_kept in(in_place);
  call(env);
}

void answer(fork_list& list) noexcept {
  if (list.ignored > 0) {
    --list.ignored;
    return;
  }
  the_executor().give_branch(list);
}

void end_branch(fork_frame& fork) {
  await_branch(fork);
  if (branch_of(fork).own.has_errors()) throw tasks_threw();
  leave_branch(fork);
}

void join(fork_list& list, fork_frame& fork) {
  fork.close(list);
  rethrow_first(take_task(fork));
}

void first_threw(fork_list& list, fork_frame& fork) {
  error_list all;
  all.add_all(0, take_failed_branch(fork));
  if (fork.promoted) {
    fork.close(list);
    all.add_all(1, take_task(fork));
  } else {
    list.newest = fork.older;
    try {
      fork.run(fork);
      all.add_all(1, take_branch(fork));
    } catch (...) {
      all.add_all(1, take_branch(fork, std::current_exception()));
    }
    fork.close(list);
  }
  rethrow_first(std::move(all));
  __builtin_unreachable();
}

void second_threw(fork_list& list, fork_frame& fork) {
  error_list all = take_failed_branch(fork);
  fork.close(list);
  rethrow_first(std::move(all));
  __builtin_unreachable();
}

}  // namespace detail

}  // namespace maslin
