#include "exec/in_place.hpp"

#include "base/clock.hpp"
#include "base/float_mode.hpp"
#include "exec/execute.hpp"
#include "exec/pages/pages.hpp"
#include "exec/phase/phase_run.hpp"
#include "exec/reports.hpp"
#include "graph/poison.hpp"
#include "sched/grain/replays.hpp"
#include "task/kernels.hpp"
#include "task/uncancelled.hpp"
#include "trace/recorder.hpp"

namespace maslin {

void await_scope(executor& exec, const context& caller, scope& covered) {
  const uncancelled during(caller);
  const stream_waits meanwhile(caller);
  await(exec, covered);
}

namespace {

/// `Times`: where code is timed, each block is charged for itself, or says what it costs.
template <bool Times>
void run_loop_in_place(executor& exec, context& caller, const detail::loop& l) {
  if constexpr (Times) exec.ran();
  const std::int64_t blocks = l.blocks();
  scope own(caller.children);
  context here(own);
  here.in_loop = &l;
  here.in_offload = caller.in_offload;
  here.stream = caller.stream;
  {
    const entered in(here);
    const base::kept_rounding callers;
    traced_blocks traced(exec, l);
    for (std::int64_t next = 0; next < blocks && !own.has_errors(); traced.reached(next)) {
      const auto run = [&](std::int64_t end) { l.run_blocks(next, traced.next_stop(end)); };
      if constexpr (Times) {
        try {
          run(next + 1);
        } catch (...) {
          own.add_error(~std::uint64_t{0}, std::current_exception());
        }
        exec.ran();
        here.declares = false;
      } else {
        run_to_end(exec, here, own, [&] { run(blocks); });
      }
    }
    if constexpr (Times) await_tasks_at_end(exec, here);
  }
  if (own.has_errors()) rethrow_first(own.take_errors());
}

[[gnu::noinline, gnu::cold]] void timed_loop_in_place(executor& exec, context& caller, const detail::loop& l) {
  run_loop_in_place<true>(exec, caller, l);
}

}  // namespace

void loop_in_place(executor& exec, context& caller, const detail::loop& l) {
  if (exec.times_code()) [[unlikely]]
    return timed_loop_in_place(exec, caller, l);
  run_loop_in_place<false>(exec, caller, l);
}

namespace {

/// Runs the tasks on the caller's stack, each after those before it: all that a task follows was recorded before it.
void run_in_program_order(executor& exec, recording::state& tasks, void* stream) {
  scope own(&tasks.members);
  context here(own);
  here.stream = stream;
  const entered in(here);
  for (detail::task_node* task : tasks.tasks) {
    if (task->failed()) {  // what it needs is void
      task->cancelled.store(false, std::memory_order_relaxed);
      graph::fail_followers(*task);
      if (!task->is_internal) tasks.members.mark_void();
      continue;
    }
    trace_task(exec, trace::event_kind::task_begin, task->where, traced_number(task));
    const std::uint64_t begin = task->is_timed ? exec.ticks_of_code() : 0;
    const base::kept_rounding callers;
    run_to_end(exec, here, own, [&] { call_body(exec, *task); });
    if (task->is_timed) exec.learn(task->run, task->where, exec.ticks_of_code() - begin, false);
    trace_task(exec, trace::event_kind::task_end, task->where, traced_number(task));
    if (own.has_errors()) [[unlikely]] {
      tasks.members.add_errors(task->place, own.take_errors());
      graph::fail_followers(*task);
    }
  }
}

}  // namespace

void run_recorded(executor& exec, recording::state& tasks) {
  void* stream = current_context().stream;
  trace_replayed(exec, tasks);
  if (graph::local_stores()) [[unlikely]]
    tasks.set_births();
  if (exec.serial()) return run_in_program_order(exec, tasks, stream);
  const bool each_by_itself = pages::on();  // in a context that is its own
  if (each_by_itself) pages::replay(tasks.tasks);
  const double bodies = exec.mean_of_small(tasks.timed) * static_cast<double>(tasks.tasks.size());
  const std::uint64_t begin = bodies > 0 ? base::ticks() : 0;
  const bool in_order = !each_by_itself && grain::replays_in_order(tasks.times, bodies);
  if (in_order) {
    run_in_program_order(exec, tasks, stream);
  } else {
    tasks.begin(stream, {}, exec);
    const traced_wait traced(exec, nullptr);
    await(exec, tasks.members);
  }
  graph::tell_program_looks();
  if (begin) grain::learn_replay(tasks.times, in_order, static_cast<double>(base::ticks() - begin));
}

void call_kernel(executor& exec, context& caller, bool alone, void (*call)(void*), void* env) {
  struct marks {
    context& c;
    executor& exec;
    const bool alone, declares;
    marks(context& of, executor& tells, bool now_alone) : c(of), exec(tells), alone(of.alone), declares(of.declares) {
      c.in_offload = true;
      c.alone = now_alone;
      c.declares = false;
    }
    ~marks() {
      exec.ran();
      c.in_offload = false;
      c.alone = alone;
      c.declares = declares;
    }
  };
  const marks during(caller, exec, caller.alone || alone);
  const base::kept_rounding callers;
  call(env);
}

void call_inner_kernel(executor& exec, context& caller, void (*call)(void*), void* env) {
  struct marks {
    context& c;
    executor& exec;
    const bool declares = c.declares;
    ~marks() {  // what it declares it declares for itself
      exec.ran();
      c.declares = declares;
    }
  };
  exec.ran();
  const marks during{caller, exec};
  const base::kept_rounding callers;
  call(env);
}

std::uint32_t traced_kernel(std::uint32_t kernel) {
  if (!trace::on()) return 0;
  constexpr std::uint32_t remembered = 256;
  static std::atomic<std::uint32_t> names[remembered];
  if (kernel >= remembered) return trace::intern(kernel_name(kernel));
  std::uint32_t name = names[kernel].load(std::memory_order_relaxed);
  if (name == 0) names[kernel].store(name = trace::intern(kernel_name(kernel)), std::memory_order_relaxed);
  return name;
}

void phase_in_place(executor& exec, context& caller, const detail::phase& p, std::shared_ptr<live_report> report) {
  const double begin = exec.seconds();
  if (report)  // there was no worker left for it, so nobody sizes it
    report->change([](phase_report& r) {
      r.policy.clear();
      r.pinned_by.clear();
    });
  else
    report = begin_report(p);
  const std::uint32_t name = trace::on() ? trace::intern(p.name) : 0;
  const auto trace_event = [&](trace::event_kind what, std::uint64_t argument) {
    if (trace::on()) trace::record(exec.track(), what, name, argument);
  };
  trace_event(trace::event_kind::phase_begin, static_cast<std::uint64_t>(p.streams));
  // Inside another phase it would be everybody's.
  const std::optional<double> cpu_began = caller.stream ? std::nullopt : exec.cpu_seconds();
  auto elapsed = [&] { return exec.seconds() - begin; };
  error_list errors;
  for (std::int64_t i = 0; i < p.streams; ++i) {
    scope own(caller.children);
    context here(own);
    const std::uint64_t stream = trace::pack(trace::stream_at{i, trace::no_slot});
    trace_event(trace::event_kind::stream_begin, stream);
    {
      const base::kept_rounding callers;
      errors.add_all(static_cast<std::uint64_t>(i), run_enclosed(exec, here, own, [&] {
                       const timed_code streams(exec);
                       p.run(p.env, i);
                     }));
    }
    trace_event(trace::event_kind::stream_end, stream);
    report->change([&](phase_report& r) {
      ++r.done;
      r.seconds = elapsed();
    });
  }
  std::optional<double> cpu_seconds;
  if (cpu_began) cpu_seconds = *exec.cpu_seconds() - *cpu_began;
  report->change([&](phase_report& r) {
    r.running = false;
    r.chosen = r.current;
    r.seconds = elapsed();
    r.cpu_seconds = cpu_seconds;
  });
  if (cpu_seconds) trace_event(trace::event_kind::cpu_time, static_cast<std::uint64_t>(1e9 * *cpu_seconds));
  trace_event(trace::event_kind::phase_end, static_cast<std::uint64_t>(p.streams));
  rethrow_first(std::move(errors));
}

}  // namespace maslin
