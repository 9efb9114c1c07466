// How a caller is suspended and resumed on its worker.

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/float_mode.hpp"
#include "exec/core/step.hpp"
#include "exec/execute.hpp"
#include "exec/threads/calls.hpp"
#include "maslin/error.hpp"
#include "trace/recorder.hpp"

namespace maslin {

namespace {

/// Of a lock that another fiber has taken.
void unlock(void* lock) MASLIN_UNCHECKED { static_cast<base::short_lock*>(lock)->unlock(); }
void nothing(void*) {}

/// The number by which a trace knows a fiber while it is suspended.
std::uint64_t number_of(const task_fiber& f) { return reinterpret_cast<std::uintptr_t>(&f) >> 4; }

/// Comes back once it was woken; the fiber that runs next lets the lock go.
void suspend(worker& w, const task_fiber& f, base::short_lock& held) {
  ++w.suspended;
  trace::record(w.index, trace::event_kind::suspend, 0, number_of(f));
  w.exec.leave_fiber(w, unlock, &held);  // `caller` made sure that there is one to leave to
  trace::record(self()->index, trace::event_kind::resume, 0, number_of(f));
}

}  // namespace

[[gnu::noinline]] worker* self() noexcept {
  asm volatile("");
  return static_cast<worker*>(detail::state_of_thread.worker);
}
[[gnu::noinline]] void set_self(worker* w) noexcept { detail::state_of_thread.worker = w; }

task_fiber::task_fiber() {
  const fiber_stack own = stack_of_this_thread();
  divide(own.bottom, own.bytes);
}

void task_fiber::sleep(base::short_lock& held, const awaited_end& what) MASLIN_UNCHECKED {
  worker& w = *self();
  falls_asleep(w, what);
  suspend(w, *this, held);
  wakes_up();
}

void task_fiber::falls_asleep(worker& on, const awaited_end& what) noexcept {
  home = &on;
  waits_for = what;
  suspended_in = &current_context();
  sleeps.store(asleep, std::memory_order_release);
}

void task_fiber::wakes_up() noexcept {
  // While the watchdog says who waits for whom, all of them go on waiting.
  for (int expected = asleep; !sleeps.compare_exchange_weak(expected, awake, std::memory_order_acquire);
       expected = asleep)
    std::this_thread::yield();
}

void task_fiber::wake() noexcept {
  worker& w = *home;
  enter_inbox(w);
  w.exec.notify(w);
}

void task_fiber::enter_inbox(worker& w) noexcept {
  next_ready = w.inbox.load(std::memory_order_relaxed);
  // Sequentially consistent: it pairs with the look around before parking (README, race 1).
  while (!w.inbox.compare_exchange_weak(next_ready, this, std::memory_order_seq_cst, std::memory_order_relaxed)) {
  }
}

bool threads_executor::leave_fiber(worker& w, void (*after)(void*), void* argument) {
  task_fiber* next = take_ready(w);
  if (!next) {
    if (!has_spare_fiber(w)) return false;
    next = &w.idle.pop();
  }
  task_fiber& me = *w.running;
  w.runs(*next);
  fiber::switch_to(me.machine, next->machine, after, argument);
  return true;
}

void threads_executor::replace_fiber(worker& w, task_fiber& next) {
  fibers_.share_surplus(w.idle);
  task_fiber& me = *w.running;
  w.idle.push(me);
  w.runs(next);
  fiber::switch_to(me.machine, next.machine, nothing, nullptr);
}

void threads_executor::enter_loop(worker& w) {
  if (!leave_fiber(w, nothing, nullptr)) throw std::bad_alloc();
}

void threads_executor::append_ready(worker& w, task_fiber* first) {
  task_fiber** end = &w.ready;
  while (*end) end = &(*end)->next_ready;
  *end = first;
}

void threads_executor::empty_inbox(worker& w) {
  if (!w.inbox.load(std::memory_order_relaxed)) return;
  task_fiber* first = nullptr;
  for (task_fiber* latest = w.inbox.exchange(nullptr, std::memory_order_acquire); latest;) {
    task_fiber* const earlier = std::exchange(latest->next_ready, first);
    first = std::exchange(latest, earlier);
  }
  append_ready(w, first);
}

task_fiber* threads_executor::take_ready(worker& w) {
  if (!w.ready) empty_inbox(w);
  task_fiber* first = w.ready;
  if (!first) return nullptr;
  w.ready = first->next_ready;
  --w.suspended;
  return first;
}

/// Takes a task that `suits` out of a queue. The others come to this worker's; its own keep their order, since the
/// oldest becomes the newest until all have been seen.
template <class Predicate>
std::optional<work> threads_executor::take_task_if(worker& w, worker& from, Predicate&& suits) {
  constexpr std::uint32_t most = 256;
  std::optional<work> found;
  if (detail::task_node* task = from.tasks.take_near_if([&](const detail::task_node& one) { return suits(one.in); }))
    return work{task, {}};
  while (detail::task_node* task = from.tasks.steal_aside()) {
    if (suits(task->in)) return work{task, {}};
    ready(task);
  }
  ready_tasks::deque& others = from.tasks.others();
  for (std::uint32_t left = &from == &w ? others.size() : most; left > 0 && !found;) {
    detail::task_node* tasks[most];
    const std::uint32_t count = others.steal_half(tasks, std::min(left, most));
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!found && suits(tasks[i]->in))
        found = work{tasks[i], {}};
      else
        ready(tasks[i]);
    }
    left = &from == &w && count > 0 ? left - count : 0;
  }
  return found;
}

/// There is no stack for what a wait could go on with: it throws, unrun.
void threads_executor::refuse(const work& item) noexcept {
  error_list why;
  try {
    throw error(
        "a wait has no stack to go on with: the system gives no more memory or mappings for stacks (ulimit -v, "
        "vm.max_map_count), and those that there are are full; their size is MASLIN_STACK");
  } catch (...) {
    why.add(0, std::current_exception());
  }
  if (!item.task) {
    item.part.loop->record_thrown(item.part.first, std::move(why));
    item.part.loop->blocks.leave(static_cast<std::uint64_t>(item.part.size()));
    return;
  }
  item.task->children.add_errors(0, std::move(why));
  graph::cancel(*item.task, item.task->in);
  run_task(*this, item.task, *this);
}

void threads_executor::go_behind(worker& w, task_fiber& next) {
  task_fiber& me = *w.running;
  empty_inbox(w);  // who is behind those that are ready is behind those that were woken before
  me.next_ready = nullptr;
  append_ready(w, &me);
  ++w.suspended;
  w.runs(next);
  trace::record(w.index, trace::event_kind::suspend, 0, number_of(me));
  fiber::switch_to(me.machine, next.machine, nothing, nullptr);
  trace::record(self()->index, trace::event_kind::resume, 0, number_of(me));
}

void threads_executor::let_others_run() {
  worker& w = *self();
  // Those that ask could go on among themselves for ever: every second one lets the loop take a piece of work.
  const bool is_second = std::exchange(w.steps_first, true);
  if (!is_second || !has_spare_fiber(w))
    if (task_fiber* next = take_ready(w)) return go_behind(w, *next);
  if (has_spare_fiber(w)) go_behind(w, w.idle.pop());
}

void threads_executor::help(const scope* covered) {
  worker& w = *self();
  const bool has_stack = w.running->has_last_room();
  // Others may have some left; what they have not taken then, nobody can. It is a time and no state: a worker may be
  // in a body that never comes back, or the program's own thread outside of Maslin, and the wait must end all the same.
  if (!has_stack) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  if (task_fiber* next = take_ready(w)) return go_behind(w, *next);
  const auto within = [covered](const scope* s) { return s->within(covered); };
  const auto carry_out = [&](const work& item) {
    const base::in_float_mode usual(base::usual_float_mode);
    if (!has_stack && !(item.task && item.task->is_internal)) return refuse(item);
    if (!item.task) return run_part(&w, item.part);
    // What it makes ready waits in a queue: it is perhaps not what the caller waits for.
    run_traced(w.index, *this, item.task, *this, run_task_from_usual);
    w.count_step();
  };
  if (detail::task_node* task = urgent_.take_if([&](const detail::task_node* one) { return within(one->in); }))
    return carry_out({task, {}});
  // A part of a loop, or a task of any queue that is a descendant.
  const auto part_within = [&](const work& item) {
    return within(item.task ? item.task->in : &item.part.loop->blocks);
  };
  std::optional<work> item = w.queue.take_if(part_within);
  if (!item) item = whole_->centre.take_if(part_within);
  for (std::size_t i = 0; !item && i < workers_.size(); ++i) item = workers_[i]->queue.take_if(part_within);
  for (std::size_t i = 0; !item && i < workers_.size(); ++i) item = take_task_if(w, *workers_[i], within);
  std::optional<invitation> to;
  const auto loop_within = [&](const loop_run& one) { return within(&one.blocks); };
  for (std::size_t i = 0; !item && !to && i < workers_.size(); ++i) to = workers_[i]->invited.take_if(loop_within);
  if (item)
    carry_out(*item);
  else if (to)
    answer(&w, *to);
  else
    std::this_thread::yield();
}

}  // namespace maslin
