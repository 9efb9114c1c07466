// A new task: into the graph, to a worker, or, where very many are in flight, to its creator.

#include "exec/submit/submit.hpp"

#include <string>

#include "base/chance.hpp"
#include "base/clock.hpp"
#include "exec/execute.hpp"
#include "exec/tracing.hpp"
#include "graph/domain.hpp"
#include "graph/recording.hpp"
#include "maslin/error.hpp"
#include "task/uncancelled.hpp"

namespace maslin {

void throw_recorded(const char* call) {
  throw error(std::string(call) +
              " was called while tasks are recorded: a recording holds tasks only, so a replay would leave this out; "
              "call it before or after ms::record, or inside a task");
}

namespace detail {

bool is_full(executor& exec, context& here, const group* in) {
  if (here.records_into) return false;
  if (in) return is_full(exec, *in);
  if (exec.serial()) return true;
  const scope& members = *here.children;
  if (members.created() < here.window_full_from) return false;
  const std::int64_t room = exec.window() - members.in_flight();
  // The count moves in other caches: it is looked at again when the window can be full at the earliest.
  if (room > 0) here.window_full_from = members.created() + static_cast<std::uint64_t>(room);
  return room <= 0;
}

namespace {

/// `small`: what the creator creates is too small to be handed over: once nothing is in flight, it runs it itself.
void wait_for_room(executor& exec, group* in, scope& members, bool small) {
  const std::int64_t rest = small ? 0 : exec.window() / 2;
  const uncancelled during(current_context());
  if (!in) return await(exec, members, rest);
  run_members(exec, members, rest);  // others may create some of a group's meanwhile; so nobody sleeps for its window
}

}  // namespace

task_storage allocate_task(std::size_t bytes, std::size_t alignment, std::size_t accesses) {
  the_executor();  // what can go wrong with a start goes wrong before there is a callable to destroy
  return new_task_storage(bytes, alignment, accesses);
}

bool add_to_graph(executor& exec, context& creator, task_node& task, std::span<const declared> data, bool at_home) {
  exec.catch_up();
  try {
    return graph::domain::of(creator).add(task, data.data(), at_home, exec);
  } catch (...) {
    task.run(task.callable, nullptr, body_use::destroy);
    task.accesses = 0;
    graph::finish(&task, exec);
    throw;
  }
}

namespace {

/// The same for a new task; if that is timed, its call site learns how long it took.
bool add_new(executor& exec, context& creator, task_node& task, const task_description& what) {
  const std::uint64_t begin = task.is_timed ? base::ticks() : 0;
  const bool ready = add_to_graph(exec, creator, task, {what.accesses, what.access_count}, false);
  if (begin) exec.learn_graph(what.run, what.where, true, base::ticks() - begin);
  return ready;
}

/// The creator runs its new task itself.
void run_here(executor& exec, task_node* task) {
  trace_task(exec, trace::event_kind::task_begin, task->where, traced_number(task));
  exec.ran();
  execute(exec, task, exec);
  trace_task(exec, trace::event_kind::task_end, task->where, traced_number(task));
  complete(exec, task, exec);
}

}  // namespace

void submit_task(const task_storage& storage, const task_description& what) {
  executor& exec = the_executor();
  context& here = current_context();
  if (here.records_into) return here.records_into->add(storage, what);
  scope& members = members_of(what.in, here);
  const bool full = is_full(exec, here, what.in);
  auto* task = new (storage.node) task_node(members, enter(what.in, here), stream_of(what.in, here), storage, what);
  trace_created(exec, what, traced_number(task));
  task->is_timed = base::one_in_sixteen();
  const bool ready = what.access_count == 0 || add_new(exec, here, *task, what);
  if (ready && full && exec.has_stack_room())
    run_here(exec, task);
  else if (ready)
    exec.ready(task);
  else if (full && here.mutexes == 0)  // what is in flight may wait for one that the creator holds
    wait_for_room(exec, what.in, members, exec.lost_by_handing_over(what.run, what.where) > 0);
}

}  // namespace detail

}  // namespace maslin
