#include "exec/threads/foreign_waiter.hpp"

#include <algorithm>
#include <cassert>
#include <new>
#include <utility>

#include "base/float_mode.hpp"
#include "exec/core/streams.hpp"
#include "exec/execute.hpp"
#include "exec/fiber/stacks.hpp"
#include "exec/forks/forks.hpp"
#include "exec/in_place.hpp"
#include "exec/phase/phase_run.hpp"
#include "exec/threads/calls.hpp"
#include "exec/threads/threads.hpp"
#include "task/uncancelled.hpp"
#include "trace/recorder.hpp"

namespace maslin {

/// It is there to the end of the thread, in which what that left behind is waited for.
foreign_waiter& foreign_waiter::outermost() noexcept {
  union lasting {
    lasting() : one() {}
    ~lasting() {}
    foreign_waiter one;
  };
  static thread_local lasting here;
  return here.one;
}

void foreign_waiter::end_thread() noexcept {
  if (!outermost().sleeps_) outermost().inner_.reset();
}

foreign_waiter& foreign_waiter::mine(threads_executor& exec) {
  foreign_waiter* one = &outermost();
  while (one->sleeps_) {
    one = one->inner_.get();  // made before anything ran that could wait
  }
  one->exec_ = &exec;
  return *one;
}

void foreign_waiter::sleep(base::short_lock& held, const awaited_end& what) {
  using namespace std::chrono_literals;
  constexpr auto longest = 32ms;
  const uncancelled during(true);  // also in a branch of a fork, whose context is no root
  sleeps_ = true;
  held.unlock();
  auto pause = 1ms;
  for (int looks = 0; !woken_within(pause); ++looks) {
    // Who waits for a lock has nothing to do, and what is run here may wait, too.
    if (what.members && makes_inner() && exec_->help_outside(*what.members, looks))
      pause = 0ms;
    else
      pause = std::clamp(2 * pause, 1ms, longest);
  }
  sleeps_ = false;
}

bool foreign_waiter::makes_inner() noexcept {
  if (!inner_) inner_.reset(new (std::nothrow) foreign_waiter);
  return inner_ != nullptr;
}

bool foreign_waiter::woken_within(std::chrono::milliseconds time) {
  const os_waiter::counted asleep;
  const base::locked held(lock_);
  if (!changed_.wait_for(lock_, time, [this]() MASLIN_REQUIRES(lock_) { return woken_; })) return false;
  woken_ = false;
  return true;
}

void foreign_waiter::wake() noexcept {
  // With the lock held to the end: the sleeper may be gone as soon as it is free.
  const base::locked held(lock_);
  woken_ = true;
  changed_.notify_one();
}

namespace {

/// Gives the middle of the stack that the calling thread is on. No inline: a stream comes here from another thread.
[[gnu::noinline]] std::uintptr_t& middle_of_stack() noexcept {
  asm volatile("");
  static thread_local std::uintptr_t middle = [] {
    const fiber_stack own = stack_of_this_thread();
    return reinterpret_cast<std::uintptr_t>(own.bottom + own.bytes / 2);
  }();
  return middle;
}

/// What runs in a stream that has a worker needs one, too: its off-loads are counted there.
bool runs_outside(const void* stream) {
  return !stream || static_cast<const stream_run*>(stream)->back_to.load(std::memory_order_relaxed);
}
bool runs_outside(const work& item) {
  return runs_outside(item.task ? item.task->stream : item.part.loop->caller.stream);
}

void execute_outside(threads_executor& exec, const work& item) {
  if (item.task)
    run_traced(-1, exec, item.task, exec, run_task);
  else
    exec.run_part(nullptr, item.part);
}

}  // namespace

bool foreign_waiter::has_room() noexcept {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) > middle_of_stack();
}

foreign_waiter::on_fiber::on_fiber(const task_fiber& other, task_fiber* own) noexcept
    : middle_(std::exchange(middle_of_stack(), other.forks.low)), own_(own) {
  if (own) before_ = own->exchange_limits(other.limits());
}
foreign_waiter::on_fiber::~on_fiber() {
  middle_of_stack() = middle_;
  if (own_) own_->exchange_limits(before_);
}

/// The caller is the starter and has been replaced: then worker 0 does its part, unless it has been in one and the same
/// piece of work for a tenth of a second, which may be waiting for the caller.
bool threads_executor::is_at_work_for_caller(int looks) {
  if (!worker_0_.is_replaced()) return false;
  constexpr int patient_looks = 8;
  return has_moved_on(at(0)) || looks < patient_looks;
}

/// Has the worker done a piece of work since a foreign thread last asked?
bool threads_executor::has_moved_on(worker& w) {
  const std::uint64_t steps = w.steps.load(std::memory_order_relaxed);
  return w.steps_seen_outside.exchange(steps, std::memory_order_relaxed) != steps;
}

namespace {

/// What is covered may depend on data of tasks that the caller has created before and does not wait for. Gives their
/// scope once a tenth of a second has passed; until then a worker had better run them, for they may be long. Null
/// where they may want a mutex that the caller holds.
const scope* earlier_tasks(int looks) noexcept {
  constexpr int patient_looks = 8;
  const context& caller = current_context();
  return looks >= patient_looks && caller.mutexes == 0 ? caller.children : nullptr;
}

}  // namespace

bool threads_executor::help_outside(const scope& covered, int looks) {
  if (!foreign_waiter::has_room() || is_at_work_for_caller(looks)) return false;
  // Nobody else comes for the branches of what runs here.
  detail::fork_list forks{.low = middle_of_stack(), .asked = &nobody_asks};
  const forks_kept in(forks);
  const scope* const earlier = earlier_tasks(looks);
  const auto task_within = [&](const detail::task_node& task) {
    return (task.in->within(&covered) || (earlier && task.in->within(earlier))) && runs_outside(task.stream);
  };
  const auto within = [&](const work& item) {
    return item.task ? task_within(*item.task) : item.part.loop->blocks.within(&covered) && runs_outside(item);
  };
  if (detail::task_node* task = urgent_.take_if([&](detail::task_node* one) { return task_within(*one); }))
    return execute_outside(*this, {task, {}}), true;
  std::optional<work> item = whole_->centre.take_if(within);
  for (std::size_t i = 0; !item && i < workers_.size(); ++i) item = workers_[i]->queue.take_if(within);
  if (item) return execute_outside(*this, *item), true;
  for (auto& w : workers_)
    if (const auto to = w->invited.take_if(
            [&](const loop_run& one) { return one.blocks.within(&covered) && runs_outside(one.caller.stream); }))
      return answer(nullptr, *to), true;
  // Others are disturbed by this: not before they have had time to come.
  constexpr int patient_looks = 2;
  if (looks >= patient_looks)
    for (auto& w : workers_)
      if (!w->tasks.empty() && (item = take_from_stuck(*w, within))) return execute_outside(*this, *item), true;
  return stream_outside(covered);
}

/// Takes a task that `suits` out of the queue of a worker that has been in one and the same piece of work; others that
/// came with it go to the centre. Where there is no memory for those, all stay where they are.
template <class Predicate>
std::optional<work> threads_executor::take_from_stuck(worker& from, Predicate&& suits) {
  if (has_moved_on(from)) return std::nullopt;
  if (detail::task_node* task = from.tasks.take_near_if([&](detail::task_node& one) { return suits({&one, {}}); }))
    return work{task, {}};
  std::optional<work> found;
  constexpr std::uint32_t most = 256;
  try {
    whole_->centre.push_tails(most, [&](auto&& push) {
      detail::task_node* tasks[most];
      std::uint32_t count = from.tasks.others().steal_half(tasks, most);
      if (count == 0 && (tasks[0] = from.tasks.steal_aside())) count = 1;
      for (std::uint32_t i = 0; i < count; ++i) {
        assert(tasks[i]);
        const work item{tasks[i], {}};
        if (!found && suits(item))
          found = item;
        else
          push(item);
      }
    });
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
  worker_0_.want_substitute();
  wake_one(whole_->workers());
  return found;
}

/// A foreign thread's tasks are in the centre, unless a worker has made them ready.
bool threads_executor::run_member_outside(const scope& s) {
  if (!foreign_waiter::has_room() || worker_0_.is_replaced()) return false;
  const auto item =
      whole_->centre.take_if([&](const work& one) { return one.task && one.task->in == &s && runs_outside(one); });
  if (!item) return false;
  detail::fork_list forks{.low = middle_of_stack(), .asked = &nobody_asks};
  const forks_kept in(forks);
  execute_outside(*this, *item);
  return true;
}

/// Runs a stream of a phase that waits for nobody but workers: none of its streams has one.
bool threads_executor::stream_outside(const scope& covered) {
  phase_run* phase = nullptr;
  stream_run* resumed = nullptr;
  std::optional<std::int64_t> begun;
  {
    const grain_guard held(*this);
    for (phase_run* one : whole_->phases) {
      if (resumed || begun) break;
      if (one->streams().within(&covered)) resumed = (phase = one)->next_outside(begun);
    }
  }
  if (resumed) return resume_outside(*resumed), true;
  if (!begun) return false;
  const trace::stream_at what{*begun, trace::no_slot};
  trace::record(-1, trace::event_kind::stream_begin, phase->name(), what);
  scope own(&phase->streams());
  context here(own);
  error_list errors = run_enclosed(*this, here, own, [&] {
    const base::in_float_mode callers(phase->mode());
    phase->what().run(phase->what().env, *begun);
  });
  end_outside(*phase, *begun, std::move(errors));
  return true;
}

void threads_executor::end_outside(phase_run& phase, std::int64_t stream, error_list&& errors) {
  trace::record(-1, trace::event_kind::stream_end, phase.name(), trace::stream_at{stream, trace::no_slot});
  if (!errors.empty()) phase.streams().add_errors(static_cast<std::uint64_t>(stream), std::move(errors));
  {
    grain_guard held(*this);
    core::ended(held, phase, phase.finished_outside());
  }
  phase.streams().leave();
}

/// Goes on with a stream that was suspended at an off-load: on its own fiber, and to its end.
void threads_executor::resume_outside(stream_run& s) {
  auto& its = static_cast<task_fiber&>(*s.fiber);
  fiber here;
  s.back_to.store(&here, std::memory_order_relaxed);
  {
    const foreign_waiter::on_fiber there(its, worker_0_.is_starter() ? &*at(0).own_stack : nullptr);
    fiber::switch_to(
        here, its.machine, [](void*) {}, nullptr);
  }
  fibers_.share(its);
}

}  // namespace maslin
