#pragma once
// The ready tasks of a worker. Under MASLIN_PLACE=dbs, the usual case, they lie in the lock-free deque. Under
// MASLIN_PLACE=locality those with data lie in lists by what the worker's cache holds of them (sched/place/locality),
// which have a lock: a thief comes rarely. Under MASLIN_PLACE=auto they lie here or there by turns. Where workers have
// local stores, some are set aside to run next.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "exec/threads/deque.hpp"
#include "exec/threads/place_choice.hpp"
#include "exec/threads/set_aside.hpp"
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
  static constexpr std::uint32_t most_set_aside = 8;

  // Before anything is in it, and before anybody else looks.

  void keep_near(int workers, place_choice* choice) { apart().near.emplace(workers, choice); }
  /// So many can be set aside.
  void keep_aside(std::uint32_t places) { apart().aside.emplace(places); }

  /// May some lie elsewhere than in the deque?
  bool any_apart() const noexcept { return apart_ != nullptr; }
  /// May tasks with data lie by what the cache holds?
  bool are_near() const noexcept { return apart_ && apart_->near; }
  near_tasks& near() noexcept { return *apart_->near; }

  // The owner. Tasks with data for which there is no memory lie with the others.

  /// False when there is no room.
  bool push(detail::task_node* task) noexcept { return push_all(&task, 1); }
  /// Puts `count` stolen tasks at the head, the last one foremost; false when there is no room for all.
  bool push_all(detail::task_node* const* tasks, std::uint32_t count) noexcept {
    // Stolen ones come from where others of their kind lay.
    if (apart_ && apart_->near && tasks[0]->accesses > 0 && apart_->near->push_all(tasks, count, deque_.size() == 0))
        [[unlikely]]
      return true;
    return deque_.push_all(tasks, count);
  }
  /// Gives the one that goes first, or null.
  detail::task_node* pop() noexcept {
    detail::task_node* const task = deque_.pop();
    return task || !apart_ ? task : pop_apart();
  }
  /// The same of those with data, where these lie apart, if it `suits`, or another one that does.
  template <class Predicate>
  detail::task_node* pop_near_if(Predicate&& suits) noexcept {
    return are_near() ? near().next_if(suits) : nullptr;
  }
  /// Where tasks with data lie apart: gives the one of those that goes next, now that `made_ready` (if not null) is
  /// ready, too; at the end of a bundle perhaps null.
  detail::task_node* pop_near(detail::task_node* made_ready) noexcept {
    return made_ready ? near().exchange(made_ready) : near().pop_of_bundle();
  }
  /// Takes the one that goes first, to be set aside; null where there is none, or no place.
  detail::task_node* pop_for_aside() noexcept {
    if (!apart_ || !apart_->aside || !apart_->aside->has_place()) return nullptr;
    detail::task_node* const task = deque_.pop();
    return task || !apart_->near ? task : apart_->near->next();
  }
  /// From now on others may take it.
  void set_aside(detail::task_node* task) noexcept { apart_->aside->put(task); }
  /// Takes the one that was set aside first, or null. Where any may lie apart.
  detail::task_node* pop_aside() noexcept { return apart_->aside ? apart_->aside->take() : nullptr; }
  /// The same of those that suit. The others stay; `were_away`: some of them were in nobody's sight for a moment.
  template <class Predicate>
  detail::task_node* pop_aside_if(Predicate&& suits, bool& were_away) noexcept {
    for (std::uint32_t left = apart_->aside ? apart_->aside->size() : 0; left > 0; --left) {
      detail::task_node* const task = apart_->aside->take();
      if (!task || suits(*task)) return task;
      apart_->aside->put(task);
      were_away = true;
    }
    return nullptr;
  }

  // Any thread.

  bool empty() const noexcept { return size() == 0; }
  std::uint32_t size() const noexcept { return deque_.size() + (apart_ ? size_apart() : 0); }
  /// Takes half (rounded up), at most `most`, of those without data if there are any; gives how many it put into
  /// `tasks`, the one that its owner wants last first. One that was set aside goes last.
  std::uint32_t steal_half(detail::task_node** tasks, std::uint32_t most) noexcept {
    const std::uint32_t count = deque_.steal_half(tasks, most);
    return count == 0 && apart_ ? steal_apart(tasks, most) : count;
  }
  /// Takes one that `suits` from those with data, where these lie apart; else null.
  template <class Predicate>
  detail::task_node* take_near_if(Predicate&& suits) noexcept {
    return are_near() ? near().take_if(suits) : nullptr;
  }
  /// Takes one that was set aside, or null.
  detail::task_node* steal_aside() noexcept { return apart_ && apart_->aside ? apart_->aside->steal() : nullptr; }
  /// All others.
  deque& others() noexcept { return deque_; }

 private:
  struct elsewhere {
    std::optional<near_tasks> near;
    std::optional<set_aside_tasks<detail::task_node, most_set_aside>> aside;
  };
  elsewhere& apart() {
    if (!apart_) apart_ = std::make_unique<elsewhere>();
    return *apart_;
  }
  // No inline: the usual case is null.
  [[gnu::noinline]] detail::task_node* pop_apart() noexcept {
    detail::task_node* const task = pop_aside();
    return task || !apart_->near ? task : apart_->near->next();
  }
  [[gnu::noinline]] std::uint32_t size_apart() const noexcept {
    return (apart_->near ? apart_->near->size() : 0) + (apart_->aside ? apart_->aside->size() : 0);
  }
  [[gnu::noinline]] std::uint32_t steal_apart(detail::task_node** tasks, std::uint32_t most) noexcept {
    const std::uint32_t count = apart_->near ? apart_->near->give_half(tasks, most) : 0;
    if (count > 0) return count;
    tasks[0] = steal_aside();
    return tasks[0] ? 1 : 0;
  }

  std::unique_ptr<elsewhere> apart_;
  deque deque_;
};

}  // namespace maslin
