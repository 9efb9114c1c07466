#include "exec/threads/stranger.hpp"

#include <algorithm>

#include "base/float_mode.hpp"
#include "exec/fiber/stacks.hpp"
#include "exec/in_place.hpp"
#include "exec/phase/phase_run.hpp"
#include "exec/threads/threads.hpp"
#include "trace/recorder.hpp"

namespace maslin {

stranger& stranger::mine(threads_executor& exec) {
  static thread_local stranger outermost;
  stranger* one = &outermost;
  while (one->sleeps_) {
    if (!one->inner_) one->inner_ = std::make_unique<stranger>();
    one = one->inner_.get();
  }
  one->exec_ = &exec;
  return *one;
}

void stranger::sleep(base::short_lock& held, const awaited_end& what) {
  using namespace std::chrono_literals;
  constexpr auto longest = 32ms;
  sleeps_ = true;
  held.unlock();
  auto pause = 1ms;
  for (int looks = 0; !woken_within(pause); ++looks) {
    // Who waits for a lock has nothing to do.
    if (what.members && exec_->help_outside(*what.members, looks))
      pause = 0ms;
    else
      pause = std::clamp(2 * pause, 1ms, longest);
  }
  sleeps_ = false;
}

bool stranger::woken_within(std::chrono::milliseconds time) {
  const os_waiter::counted asleep;
  std::unique_lock held(lock_);
  if (!changed_.wait_for(held, time, [&] { return woken_; })) return false;
  woken_ = false;
  return true;
}

void stranger::wake() noexcept {
  // With the lock held to the end: the sleeper may be gone as soon as it is free.
  std::lock_guard held(lock_);
  woken_ = true;
  changed_.notify_one();
}

bool stranger::has_room() noexcept {
  static thread_local const char* const middle = [] {
    const fiber_stack own = stack_of_this_thread();
    return own.bottom + own.bytes / 2;
  }();
  return static_cast<const char*>(__builtin_frame_address(0)) > middle;
}

/// What runs in a stream needs a worker: its off-loads are counted there.
bool threads_executor::runs_outside(const work& item) {
  return !(item.task ? item.task->stream : item.part.loop->caller.stream);
}

bool threads_executor::help_outside(const scope& covered, int looks) {
  if (!stranger::has_room()) return false;
  const auto within = [&](const work& item) {
    return runs_outside(item) && (item.task ? item.task->in : &item.part.loop->blocks)->within(&covered);
  };
  if (detail::task_node* task = urgent_.take_if([&](detail::task_node* one) { return within({one, {}}); }))
    return execute_outside({task, {}}), true;
  std::optional<work> item = whole_->centre.take_if(within);
  for (std::size_t i = 0; !item && i < workers_.size(); ++i) item = workers_[i]->queue.take_if(within);
  if (item) return execute_outside(*item), true;
  for (auto& w : workers_)
    if (invitation* to = w->invited.take_if(
            [&](const invitation& one) { return !one.loop->caller.stream && one.loop->blocks.within(&covered); }))
      return answer(nullptr, *to), true;
  // For what follows others are disturbed, or the outcome is no longer what right-sizing measures: not before they have
  // had time to come.
  constexpr int patient_looks = 2;
  if (looks < patient_looks) return false;
  for (auto& w : workers_)
    if (!w->tasks.empty() && (item = take_from_stuck(*w, within))) return execute_outside(*item), true;
  // A tenth of a second: a stream that begins here has no team, and on a busy machine workers come late.
  constexpr int looks_before_streams = 8;
  return looks >= looks_before_streams && stream_outside(covered);
}

/// Takes a task that `suits` out of the queue of a worker that has been in one and the same piece of work; others that
/// came with it go to the centre.
template <class Predicate>
std::optional<work> threads_executor::take_from_stuck(worker& from, Predicate&& suits) {
  const std::uint64_t turns = from.turns.load(std::memory_order_relaxed);
  if (from.turns_seen_outside.exchange(turns, std::memory_order_relaxed) != turns) return std::nullopt;
  std::optional<work> found;
  detail::task_node* tasks[256];
  const std::uint32_t count = from.tasks.steal_half(tasks, 256);
  for (std::uint32_t i = 0; i < count; ++i) {
    const work item{tasks[i], {}};
    if (!found && suits(item))
      found = item;
    else
      enqueue(tasks[i]);
  }
  return found;
}

void threads_executor::execute_outside(const work& item) {
  if (item.task)
    run_traced(-1, item.task, *this);
  else
    run_part(nullptr, item.part);
}

/// Runs a stream of a phase that waits for nobody but workers: none of its streams has one.
bool threads_executor::stream_outside(const scope& covered) {
  phase_run* phase = nullptr;
  std::optional<std::int64_t> index;
  {
    std::lock_guard held(grain_lock_);
    for (phase_run* one : whole_->phases)
      if (one->streams().within(&covered)) phase = one;
    if (phase) index = phase->begin_outside();
  }
  if (!index) return false;
  const trace::stream_at what{*index, trace::no_slot};
  trace::record(-1, trace::event_kind::stream_begin, phase->name(), what);
  scope own(&phase->streams());
  context here(own);
  error_list errors = run_enclosed(*this, here, own, [&] {
    const base::in_float_mode callers(phase->mode());
    phase->what().run(phase->what().env, *index);
  });
  trace::record(-1, trace::event_kind::stream_end, phase->name(), what);
  if (!errors.empty()) phase->streams().add_errors(static_cast<std::uint64_t>(*index), std::move(errors));
  {
    std::lock_guard held(grain_lock_);
    if (phase->finished_outside()) phase->end();
  }
  phase->streams().leave();
  return true;
}

}  // namespace maslin
