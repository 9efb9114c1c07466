#include "exec/execute.hpp"

#include <exception>
#include <optional>

#include "base/clock.hpp"
#include "base/float_mode.hpp"
#include "exec/in_place.hpp"
#include "exec/pages/pages.hpp"
#include "exec/store/stores.hpp"
#include "exec/tracing.hpp"
#include "graph/domain.hpp"
#include "graph/edges.hpp"
#include "graph/poison.hpp"
#include "graph/read_check.hpp"
#include "graph/recording.hpp"
#include "task/context.hpp"
#include "trace/recorder.hpp"

namespace maslin {

using detail::body_use;
using detail::task_node;

namespace {

/// Calls the body where pages are watched: what the task declares is watched until the tasks are done that it created.
void call_on_pages(executor& exec, task_node& task) {
  std::exception_ptr thrown;
  try {
    task.run(task.callable, task.records(), body_use::call);
  } catch (...) {
    thrown = std::current_exception();
  }
  context& here = current_context();
  if (!here.children->quiet() || here.data) await_tasks_at_end(exec, here);
  if (thrown) std::rethrow_exception(std::move(thrown));
}

/// Where data are checked, or workers have local stores.
[[gnu::noinline, gnu::cold]] void call_with_care(executor& exec, task_node& task) {
  struct at_end {
    task_node& of;
    ~at_end() {
      if (!of.is_recorded) of.run(of.callable, of.records(), body_use::destroy);
    }
  } end{task};
  std::optional<pages::body> on_pages;
  if (pages::on()) on_pages.emplace(task);
  std::optional<graph::read_check> before;
  if (graph::data_checks()) {
    graph::poison_outs(task);
    before.emplace(task);
  }
  if (graph::local_stores())
    exec.call_in_store(task);
  else if (on_pages)
    call_on_pages(exec, task);
  else
    task.run(task.callable, task.records(), body_use::call);
  if (before) before->verify(task);
}

}  // namespace

void executor::call_in_store(task_node& task) { store::call_on_copies(*this, task); }

// The callable of a recorded task stays for the next time.
void call_body(executor& exec, task_node& task) {
  if (task.is_recorded && !graph::part_of(task).values.empty()) graph::begin_values(task);
  if (task.accesses > 0 && !graph::bodies_are_plain()) [[unlikely]]
    return call_with_care(exec, task);
  task.run(task.callable, task.records(), task.is_recorded ? body_use::call : body_use::call_and_destroy);
}

namespace {

/// The body does not run.
[[gnu::cold]] void leave_out(task_node& task) {
  if (graph::local_stores()) store::drop_early(task);
  if (pages::on()) pages::forget(task);
  if (!task.is_recorded) task.run(task.callable, task.records(), body_use::destroy);
}

/// `Mode` has the task's floating-point mode in force meanwhile. `Described`: by the time of a described machine, which
/// wants to know when the body has run, in its context, and how long each took.
template <class Mode, bool Described>
void execute_under(executor& exec, task_node& task, graph::ready_sink& sink) noexcept {
  context here(task.children);
  here.stream = task.stream;
  const entered in(here);
  const Mode during(task.mode);
  if (task.in->dismissed() && !task.is_internal) [[unlikely]]
    graph::cancel(task, task.in);
  try {
    if ((Described || task.is_timed) && !task.failed()) [[unlikely]] {
      const std::uint64_t begin = exec.ticks_of_code();
      call_body(exec, task);
      exec.learn(task.run, task.where, exec.ticks_of_code() - begin, !task.children.quiet());
    } else if (!task.failed())
      call_body(exec, task);
    else
      leave_out(task);
  } catch (...) {
    if (graph::local_stores()) store::drop_early(task);
    // After everything that the body had created before it threw.
    task.children.add_error(~std::uint64_t{0}, std::current_exception());
  }
  if constexpr (Described) exec.ran();
  graph::settle_at_end(here, sink);
}

void complete_timed(executor& exec, task_node* task, graph::ready_sink& sink) noexcept {
  const detail::task_function body = task->run;
  const location where = task->where;
  const std::uint64_t begin = base::ticks();
  graph::complete(task, sink);
  exec.learn_graph(body, where, false, base::ticks() - begin);
}

template <class Mode>
void run_under(executor& exec, task_node* task, graph::ready_sink& sink) noexcept {
  execute_under<Mode, false>(exec, *task, sink);
  complete(exec, task, sink);
}

}  // namespace

void execute(executor& exec, task_node* task, graph::ready_sink& sink) noexcept {
  if (exec.is_described())
    execute_under<base::in_float_mode, true>(exec, *task, sink);
  else
    execute_under<base::in_float_mode, false>(exec, *task, sink);
}
void complete(executor& exec, task_node* task, graph::ready_sink& sink) noexcept {
  if (task->is_timed && task->accesses > 0 && !task->is_recorded && !exec.is_described()) [[unlikely]]
    return complete_timed(exec, task, sink);
  graph::complete(task, sink);
}
void run_task(executor& exec, task_node* task, graph::ready_sink& sink) noexcept {
  run_under<base::in_float_mode>(exec, task, sink);
}
void run_task_from_usual(executor& exec, task_node* task, graph::ready_sink& sink) noexcept {
  run_under<base::from_usual_float_mode>(exec, task, sink);
}

void execute_traced(int track, executor& exec, task_node* task, graph::ready_sink& sink) {
  const bool traced = trace::on();
  if (traced) trace::record(track, trace::event_kind::task_begin, trace::site(task->where), traced_number(task));
  execute(exec, task, sink);
  if (!traced) return;
  if (track < 0 || exec.is_described())
    trace::record(track, trace::event_kind::task_end, trace::site(task->where), traced_number(task));
  else  // a stream's task that was suspended may have come back on another worker
    trace_task(exec, trace::event_kind::task_end, task->where, traced_number(task));
}

void run_traced(int track, executor& exec, task_node* task, graph::ready_sink& sink,
                void (*way)(executor&, task_node*, graph::ready_sink&) noexcept) {
  if (!trace::on()) return way(exec, task, sink);
  execute_traced(track, exec, task, sink);
  complete(exec, task, sink);
}

}  // namespace maslin
