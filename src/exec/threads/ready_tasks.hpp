#pragma once
// The ready tasks of a worker. Under MASLIN_PLACE=dbs, the usual case, they lie in the lock-free deque. Under
// MASLIN_PLACE=locality those with data lie in lists by what the worker's cache holds of them (sched/place/locality),
// which have a lock: a thief comes rarely. Under MASLIN_PLACE=auto they lie here or there by turns.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "exec/threads/deque.hpp"
#include "exec/threads/place_choice.hpp"
#include "sched/place/locality.hpp"
#include "task/node.hpp"

namespace maslin {

/// Those with data. Any thread may take, under the lock; only the owner adds, so what it finds empty stays empty until
/// it adds (the worker's bit, README). `size_` is written under the lock, and is what somebody who falls asleep reads
/// (race 1). `exchange` leaves it as it is: either there was none, and the task that comes is the one that is taken, or
/// there are as many as others were told of.
class near_tasks {
 public:
  /// Of one of so many workers. With a `choice`, locality is in force when that says so; otherwise always.
  explicit near_tasks(int workers, place_choice* choice = nullptr);

  // The owner.

  /// False where there is no memory, or such tasks lie elsewhere now; then none was added. The last one is foremost
  /// among equals. `alone`: the worker has no tasks elsewhere.
  bool push_all(detail::task_node* const* tasks, std::uint32_t count, bool alone) noexcept;
  detail::task_node* next() noexcept;
  /// Gives the next one if it `suits`, else another one that does, if it is found soon; or null.
  template <class Predicate>
  detail::task_node* next_if(Predicate&& suits) noexcept {
    return taken([&](auto& tasks) { return tasks.next_if(suits); });
  }
  /// Puts a task in and takes the one that goes first, perhaps the same: nobody needs to be told of it.
  detail::task_node* exchange(detail::task_node* task) noexcept;
  /// Gives the next one of those that were chosen together, or null.
  detail::task_node* pop_of_bundle() noexcept {
    return taken([](auto& tasks) { return tasks.next_of_bundle(); });
  }

  /// Do tasks with data that become ready lie here?
  bool is_on() const noexcept { return in_force_.near; }
  /// The worker begins to choose and to run tasks; between that and the end it tells of each that has run.
  void begin_to_measure() noexcept;
  void end_to_measure() noexcept { meter_.end(); }
  /// Gives where a task with data was created if what it takes is asked for, else line 0: for `ran`.
  location measured(const detail::task_node& task) const noexcept {
    return in_force_.measures && task.accesses > 0 ? task.where : location();
  }
  /// The task has ended, and the next one was chosen. `alone`: as for `push_all`; `all_are_empty()`: no task is queued
  /// anywhere. Another policy may be in force afterwards.
  template <class AllAreEmpty>
  void ran(const location& measured, bool alone, AllAreEmpty&& all_are_empty) noexcept {
    if (!choice_) return;
    if (measured.line() > 0) measure(measured);
    if (!alone || size() > 0) return;
    if (choice_->is_long() && all_are_empty()) choice_->end_stretch();
    follow();
  }
  /// What was measured since the last time counts.
  void hand_in() noexcept {
    if (choice_) choice_->hand_in(in_force_, meter_);
  }

  // Any thread.

  /// Sequentially consistent, for the look around before parking (README, race 1).
  std::uint32_t size() const noexcept { return size_.load(std::memory_order_seq_cst); }
  std::uint32_t give_half(detail::task_node** tasks, std::uint32_t most) noexcept {
    constexpr std::uint32_t at_a_time = 64;  // the owner waits meanwhile
    return static_cast<std::uint32_t>(
        taken([&](auto& all) { return all.give_half(tasks, std::min(most, at_a_time)); }));
  }
  template <class Predicate>
  detail::task_node* take_if(Predicate&& suits) noexcept {
    return taken([&](auto& tasks) { return tasks.take_if(suits); });
  }

 private:
  /// Gives what `take` takes out of the tasks; nothing if there is none.
  template <class Take>
  std::invoke_result_t<Take, place::local_tasks<detail::task_node>&> taken(Take&& take) noexcept {
    if (size() == 0) return {};
    const base::locked held(lock_);
    const auto found = take(tasks_);
    tell_size();
    return found;
  }
  void tell_size() noexcept MASLIN_REQUIRES(lock_) {
    size_.store(static_cast<std::uint32_t>(tasks_.size()), std::memory_order_seq_cst);
  }

  void measure(const location& where) noexcept;
  /// Goes by what is in force now.
  void follow() noexcept;
  /// Locality comes into force for the first time: goes by this machine's caches from now on.
  void look_at_caches();

  const int workers_;
  const bool hints_;
  bool knows_caches_ = false;
  place_choice* const choice_;
  place_in_force in_force_{.near = true};
  place_meter meter_;
  base::short_lock lock_;
  MASLIN_ATOMIC<std::uint32_t> size_{0};  // written under lock_
  place::local_tasks<detail::task_node> tasks_ MASLIN_GUARDED_BY(lock_);
};

class ready_tasks {
 public:
  using deque = bounded_deque<detail::task_node, 4096>;

  /// Before anything is in it, and before anybody else looks.
  void keep_near(int workers, place_choice* choice) { near_ = std::make_unique<near_tasks>(workers, choice); }
  /// May tasks with data lie apart?
  bool are_near() const noexcept { return near_ != nullptr; }
  near_tasks& near() noexcept { return *near_; }

  // The owner. Tasks with data for which there is no memory lie with the others.

  /// False when there is no room.
  bool push(detail::task_node* task) noexcept { return push_all(&task, 1); }
  /// Puts `count` stolen tasks at the head, the last one foremost; false when there is no room for all.
  bool push_all(detail::task_node* const* tasks, std::uint32_t count) noexcept {
    // Stolen ones come from where others of their kind lay.
    if (near_ && tasks[0]->accesses > 0 && near_->push_all(tasks, count, deque_.size() == 0)) [[unlikely]]
      return true;
    return deque_.push_all(tasks, count);
  }
  /// Gives the one that goes first, or null.
  detail::task_node* pop() noexcept {
    detail::task_node* const task = deque_.pop();
    return task || !near_ ? task : near_->next();
  }
  /// The same of those with data, where these lie apart, if it `suits`, or another one that does.
  template <class Predicate>
  detail::task_node* pop_near_if(Predicate&& suits) noexcept {
    return near_ ? near_->next_if(suits) : nullptr;
  }
  /// Where tasks with data lie apart: gives the one of those that goes next, now that `made_ready` (if not null) is
  /// ready, too; at the end of a bundle perhaps null.
  detail::task_node* pop_near(detail::task_node* made_ready) noexcept {
    return made_ready ? near_->exchange(made_ready) : near_->pop_of_bundle();
  }

  // Any thread.

  bool empty() const noexcept { return size() == 0; }
  std::uint32_t size() const noexcept { return deque_.size() + (near_ ? near_->size() : 0); }
  /// Takes half (rounded up), at most `most`, of those without data if there are any; gives how many it put into
  /// `tasks`, the one that its owner wants last first.
  std::uint32_t steal_half(detail::task_node** tasks, std::uint32_t most) noexcept {
    const std::uint32_t count = deque_.steal_half(tasks, most);
    return count == 0 && near_ ? near_->give_half(tasks, most) : count;
  }
  /// Takes one that `suits` from those with data, where these lie apart; else null.
  template <class Predicate>
  detail::task_node* take_near_if(Predicate&& suits) noexcept {
    return near_ ? near_->take_if(suits) : nullptr;
  }
  /// All others.
  deque& others() noexcept { return deque_; }

 private:
  std::unique_ptr<near_tasks> near_;
  deque deque_;
};

}  // namespace maslin
