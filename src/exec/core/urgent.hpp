#pragma once
// Ready tasks of a positive priority, of all workers: the highest goes first, among equals the earliest that became
// ready.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>
#include <vector>

#include "base/lock.hpp"
#include "task/node.hpp"

namespace maslin {

class urgent_tasks {
 public:
  /// A look without the lock; sequentially consistent (README, race 1).
  bool any() const { return size_.load(std::memory_order_seq_cst) > 0; }

  /// False when there is no memory; then nothing was added.
  bool push(detail::task_node* task) noexcept {
    const base::locked held(lock_);
    try {
      heap_.push_back({task, count_++});
    } catch (const std::bad_alloc&) {
      return false;
    }
    std::push_heap(heap_.begin(), heap_.end());
    size_.store(heap_.size(), std::memory_order_seq_cst);
    return true;
  }
  detail::task_node* pop() noexcept {
    return pop_if([](const detail::task_node&) { return true; });
  }
  /// Gives the first one if it `suits`, else null.
  template <class Predicate>
  detail::task_node* pop_if(Predicate&& suits) noexcept {
    const base::locked held(lock_);
    if (heap_.empty() || !suits(*heap_.front().task)) return nullptr;
    std::pop_heap(heap_.begin(), heap_.end());
    detail::task_node* task = heap_.back().task;
    heap_.pop_back();
    size_.store(heap_.size(), std::memory_order_seq_cst);
    return task;
  }
  /// Takes the first of those that `suit`; null when none does.
  template <class Predicate>
  detail::task_node* take_if(Predicate&& suits) noexcept {
    if (!any()) return nullptr;
    const base::locked held(lock_);
    entry* first = nullptr;
    for (entry& e : heap_)
      if ((!first || *first < e) && suits(e.task)) first = &e;
    if (!first) return nullptr;
    detail::task_node* task = first->task;
    *first = heap_.back();
    heap_.pop_back();
    std::make_heap(heap_.begin(), heap_.end());
    size_.store(heap_.size(), std::memory_order_seq_cst);
    return task;
  }

 private:
  struct entry {
    detail::task_node* task;
    std::uint64_t number;
    bool operator<(const entry& other) const {
      if (task->priority != other.task->priority) return task->priority < other.task->priority;
      return number > other.number;
    }
  };

  base::short_lock lock_;
  std::atomic<std::size_t> size_{0};  // written under lock_
  std::vector<entry> heap_ MASLIN_GUARDED_BY(lock_);
  std::uint64_t count_ MASLIN_GUARDED_BY(lock_) = 0;
};

}  // namespace maslin
