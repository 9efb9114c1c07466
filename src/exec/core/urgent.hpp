#pragma once
// The ready tasks that stand in one order for all workers. Usually those are the ones of a positive priority: the
// highest goes first, among equals the earliest that became ready. Under `program_order` and `chains` all ready tasks
// are, and among equals the earliest in program order goes first (sched/place/README.md).

#include <algorithm>
#include <atomic>
#include <compare>
#include <cstdint>
#include <new>
#include <vector>

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "sched/place/policy.hpp"
#include "sched/place/program_order.hpp"
#include "task/node.hpp"

namespace maslin {

class urgent_tasks {
 public:
  explicit urgent_tasks(placement policy = placement::dbs)
      : holds_all_(place::orders_all(policy)), follows_chains_(policy == placement::chains) {}

  /// Do all ready tasks stand here?
  bool holds_all() const { return holds_all_; }
  /// Does a worker go on with a task if that is all that its last one made ready?
  bool follows_chains() const { return follows_chains_; }

  /// A look without the lock; sequentially consistent (README, race 1).
  bool any() const { return size() > 0; }
  std::size_t size() const { return size_.load(std::memory_order_seq_cst); }
  /// Does one of them go before what a worker has just made ready, and could go on with?
  bool come_first() const {
    return follows_chains_ ? of_positive_priority_.load(std::memory_order_seq_cst) > 0 : any();
  }

  /// False when there is no memory; then nothing was added.
  bool push(detail::task_node* task) noexcept {
    const base::locked held(lock_);
    try {
      heap_.push_back({task, count_++});
    } catch (const std::bad_alloc&) {
      return false;
    }
    std::push_heap(heap_.begin(), heap_.end(), order_);
    tell(task->priority > 0 ? 1 : 0);
    return true;
  }
  detail::task_node* pop() noexcept {
    return pop_if([](const detail::task_node&) { return true; });
  }
  /// Gives the first one if it `suits`, else null.
  template <class Predicate>
  detail::task_node* pop_if(Predicate&& suits) noexcept {
    const base::locked held(lock_);
    return heap_.empty() || !suits(*heap_.front().task) ? nullptr : take(0);
  }
  /// For a caller that waits for those that `suit`. Gives the first one if it does; where that has no positive
  /// priority, the first of those that do; else null.
  template <class Predicate>
  detail::task_node* pop_awaited(Predicate&& suits) noexcept {
    const base::locked held(lock_);
    if (heap_.empty()) return nullptr;
    if (suits(*heap_.front().task)) return take(0);
    return heap_.front().task->priority > 0 ? nullptr : take_first(suits);
  }
  /// Takes the first of those that `suit`; null when none does.
  template <class Predicate>
  detail::task_node* take_if(Predicate&& suits) noexcept {
    if (!any()) return nullptr;
    const base::locked held(lock_);
    return take_first([&](detail::task_node& one) { return suits(&one); });
  }

 private:
  struct entry {
    detail::task_node* task;
    std::uint64_t number;
  };

  /// Of two entries: does the first one go after the other?
  struct goes_after {
    bool by_program;
    bool operator()(const entry& one, const entry& other) const {
      // What has 0 or less is not ordered by that.
      const int own = std::max<int>(one.task->priority, 0), others = std::max<int>(other.task->priority, 0);
      if (own != others) return own < others;
      if (by_program)
        if (const auto order = place::in_program_order(*one.task, *other.task); std::is_neq(order))
          return std::is_gt(order);
      return one.number > other.number;
    }
  };

  template <class Predicate>
  detail::task_node* take_first(Predicate&& suits) noexcept MASLIN_REQUIRES(lock_) {
    const entry* first = nullptr;
    for (const entry& e : heap_)
      if (suits(*e.task) && (!first || order_(*first, e))) first = &e;
    return first ? take(static_cast<std::size_t>(first - heap_.data())) : nullptr;
  }
  detail::task_node* take(std::size_t at) noexcept MASLIN_REQUIRES(lock_) {
    detail::task_node* const task = heap_[at].task;
    // The gap moves down to where nothing stands behind it, and the last entry up from there.
    for (std::size_t child; (child = 2 * at + 1) < heap_.size(); at = child) {
      if (child + 1 < heap_.size() && order_(heap_[child], heap_[child + 1])) ++child;
      heap_[at] = heap_[child];
    }
    const entry last = heap_.back();
    heap_.pop_back();
    if (at < heap_.size()) {
      heap_[at] = last;
      std::push_heap(heap_.begin(), heap_.begin() + static_cast<std::ptrdiff_t>(at) + 1, order_);
    }
    tell(task->priority > 0 ? -1 : 0);
    return task;
  }
  /// There is one more, or one less, and of a positive priority so many more.
  void tell(int more) noexcept MASLIN_REQUIRES(lock_) {
    size_.store(heap_.size(), std::memory_order_seq_cst);
    if (more == 0) return;
    of_positive_priority_.store(of_positive_priority_.load(std::memory_order_relaxed) + static_cast<std::size_t>(more),
                                std::memory_order_seq_cst);
  }

  const bool holds_all_;
  const bool follows_chains_;
  const goes_after order_{holds_all_};
  base::short_lock lock_;
  MASLIN_ATOMIC<std::size_t> size_{0};                  // written under lock_
  MASLIN_ATOMIC<std::size_t> of_positive_priority_{0};  // the same
  std::vector<entry> heap_ MASLIN_GUARDED_BY(lock_);
  std::uint64_t count_ MASLIN_GUARDED_BY(lock_) = 0;
};

}  // namespace maslin
