// A worker that has nothing to do: it stays awake for a while, then sleeps.

#include <optional>
#include <span>
#include <utility>

#include "exec/core/step.hpp"
#include "exec/threads/calls.hpp"
#include "trace/recorder.hpp"

namespace maslin {

using queues = core::team_queues<threads_executor>;

bool threads_executor::anything_for(worker& w, team& t) {
  return w.inbox.load(std::memory_order_seq_cst) || w.in_team.load(std::memory_order_seq_cst) != &t ||
         wants_stream(w, t) || urgent_.any() || w.invited.any_to_take() || queues(*this, w, t).any();
}

/// Under `adaptive`, from here to its end the caller waits for what is expected as late as its last wait took. While it
/// does, it can ask whether others expect theirs earlier.
class threads_executor::expectation {
 public:
  expectation(threads_executor& exec, worker& w, const team& t, grain::wait_policy policy)
      : exec_(exec), self_(w), team_(t) {
    if (policy != grain::wait_policy::adaptive) return;
    begin_ = static_cast<std::int64_t>(base::ticks());
    w.wait_ends.store(begin_ + w.last_wait, std::memory_order_relaxed);
  }
  ~expectation() {
    if (begin_ == 0) return;
    self_.last_wait = static_cast<std::int64_t>(base::ticks()) - begin_;
    self_.wait_ends.store(worker::waits_for_nothing, std::memory_order_relaxed);
  }
  expectation(const expectation&) = delete;
  expectation& operator=(const expectation&) = delete;

  bool is_first() const {
    const auto [first, width] = team_.workers();
    const std::span others(exec_.workers_.begin() + first, static_cast<std::size_t>(width));
    return grain::is_expected_first(begin_ + self_.last_wait, others, [](const std::unique_ptr<worker>& other) {
      return other->wait_ends.load(std::memory_order_relaxed);
    });
  }

 private:
  threads_executor& exec_;
  worker& self_;
  const team& team_;
  std::int64_t begin_ = 0;
};

/// Nothing else runs on the worker meanwhile.
template <class Ready>
spinning::awake threads_executor::stay_awake(worker& w, const team& t, Ready&& ready) {
  const grain::wait_policy policy = t.waits.load(std::memory_order_relaxed);
  const expectation expected(*this, w, t, policy);
  return spin_.until(policy, ready, [&] { return expected.is_first(); });
}

void threads_executor::finishes_soon(loop_run& run, worker& w) {
  const auto is_over = [&] { return run.blocks.quiet(); };
  if (learns_waits_) {
    spin_.briefly_until(is_over);
    return;
  }
  // What else there is for this worker does not wait for that.
  const auto has_other_work = [&] {
    return w.inbox.load(std::memory_order_relaxed) || !w.tasks.empty() || !w.queue.empty() || !w.invited.empty();
  };
  stay_awake(w, *w.in_team.load(std::memory_order_acquire), [&] { return is_over() || has_other_work(); });
}

/// Is there somebody for whom the worker, or the thread that plays it, looks only before it parks? That must not wait
/// for a policy that has it stay awake for long.
bool threads_executor::is_held_up_by(const worker& w, const team& t) const {
  if (stopping_.load(std::memory_order_relaxed)) return true;
  if (w.index == 0 && worker_0_.held_by() == worker_0_role::substitute) return true;
  return may_resume(t, w.index) || !whole_->centre.empty();
}

void threads_executor::idle(worker& w, team& t) {
  std::optional<branch_requests::idle_worker> asks(std::in_place, branches_, w, t);
  const bool learns = learns_waits(t);
  bool found = false;
  const spinning::awake wait =
      stay_awake(w, t, [&] { return (found = anything_for(w, t)) || (!learns_waits_ && is_held_up_by(w, t)); });
  if (found) {
    if (learns && wait.begin != 0) w.waits.waited(wait.last - wait.begin, true);
    return;
  }
  asks.reset();  // what it may do now takes long, or does not come back here
  libraries_.process_limit().claim(w.index, 0);
  // Before it sleeps it helps whoever its team stands in the way of: a suspended stream may hold what its own waits
  // for, and a task of the team that was divided may, too.
  if (start_stream(w, true) || core::take_from_whole_team(*this, w, t)) return;
  if (w.index == 0 && worker_0_.has_substitute_for_now()) {
    if (!anything_for(w, t)) replace_fiber(w, worker_0_.substitute_stack());
    return;
  }
  const auto is_needed = [&] { return anything_for(w, t) || may_resume(t, w.index) || !whole_->centre.empty(); };
  sleep_unless(w, is_needed, [&] {
    asks.emplace(branches_, w, t);
    if (sharing_) sharing_->parks();
    park(w);
    if (sharing_) sharing_->wakes();
    asks.reset();
    if (wait.begin == 0) return;
    const std::uint64_t taken = base::ticks() - wait.begin;
    w.last_wait = static_cast<std::int64_t>(taken);
    if (learns) w.waits.waited(taken, spin_.was_short(taken));
  });
  branches_.ask_again(w);  // who asked until it was up took it for asleep
}

void threads_executor::park(worker& w) {
  trace::record(w.index, trace::event_kind::park);
  if (const std::uint64_t ticks = asleep_.park(w.index)) spin_.has_woken(ticks);
  trace::record(w.index, trace::event_kind::unpark);
}

/// The worker has nothing to do. It says that it sleeps, then looks (README, race 1); at the end of the runtime it
/// leaves with the others.
template <class IsNeeded, class Sleep>
void threads_executor::sleep_unless(worker& w, IsNeeded&& is_needed, Sleep&& sleep) {
  const bool may_leave = stopping() && w.suspended == 0;
  if (may_leave) departure_.enter();
  asleep_.prepare_to_sleep(w.index);
  if (!is_needed()) {
    // Who stands aside may have handed over what nobody has come for yet.
    if (may_leave && !has_queued_work() && departure_.completes())
      wake_all();
    else if (!may_leave || !departure_.is_over())
      sleep();
  }
  w.was_woken = asleep_.finish_sleep(w.index);
  if (!may_leave) return;
  if (departure_.is_over() && !is_needed()) return replace_fiber(w, stack_of_thread(w));
  departure_.come_back();
}

/// The worker is not granted now: its work goes to where the others find it, and it sleeps. What only it can do it does
/// all the same: fibers that are woken here (`work_loop`) and invitations.
void threads_executor::stand_aside(worker& w, team& t) {
  pass_wake_up_on(w);
  if (const auto to = w.invited.take()) return answer(&w, *to);
  if (!w.tasks.empty() || !w.queue.empty()) return hand_over(w);
  has_tasks_.clear_if_set(w.index);
  // It may have been woken for what only worker 0 may do now, whose thread is outside.
  if (worker_0_.has_work_alone()) worker_0_.want_substitute();
  // Who made it counted on this worker, and did not ask for another CPU.
  if (urgent_.any() || queues(*this, w, t).any()) sharing_->wants_more();
  const auto is_needed = [&] {
    return w.inbox.load(std::memory_order_seq_cst) || !w.invited.empty() || sharing_->may_work(w);
  };
  sleep_unless(w, is_needed, [&] { park(w); });
}

void threads_executor::hand_over(worker& w) {
  std::optional<work> item;
  try {
    while ((item = w.queue.take_if([](const work&) { return true; }))) whole_->centre.push_tail(*item);
    while (detail::task_node* task = w.tasks.pop()) {
      item = work{task, {}};
      whole_->centre.push_tail(*item);
    }
  } catch (const std::bad_alloc&) {
    return core::run(*this, w, *item);  // it cannot be handed over, but it can be done
  }
  worker_0_.want_substitute();  // the only active worker may be worker 0, whose thread is outside
  wake_one(whole_->workers());
}

}  // namespace maslin
