#pragma once
// The queue of ready work that one worker owns, or that is a team's centre: a ring under a lock. A loop in it gives
// away its iterations piece by piece and stays until none is left.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "exec/core/loop_run.hpp"
#include "sched/loop/share.hpp"
#include "task/node.hpp"

namespace maslin {

/// A task, or a part of a loop.
struct work {
  detail::task_node* task = nullptr;
  loop_part part{};
};

class work_queue {
 public:
  /// Called with the lock held when the queue becomes empty or stops being so.
  struct watcher {
    virtual void nonempty(bool holds_work) = 0;

   protected:
    ~watcher() = default;
  };

  explicit work_queue(watcher* w = nullptr) : watcher_(w), ring_(16) {}

  /// A look without the lock; exact once whoever changes the queue has let it go.
  bool empty() const { return size_.load(std::memory_order_seq_cst) == 0; }

  // May throw std::bad_alloc; then nothing was added.
  void push_head(const work& item) {
    const base::locked held(lock_);
    reserve(1);
    add_head(item);
  }
  void push_tail(const work& item) {
    const base::locked held(lock_);
    reserve(1);
    add_tail(item);
  }
  /// Calls `fill(push)`, where `push(item)` adds a tail, at most so many times: nothing can fail any more. May throw
  /// std::bad_alloc; then it was not called.
  template <class Fill>
  void push_tails(std::size_t most, Fill&& fill) {
    const base::locked held(lock_);
    reserve(most);
    fill([this](const work& item) MASLIN_UNCHECKED { add_tail(item); });
  }

  /// Takes the head: a task, or one `workers`-th of what is left of a loop (all of it if it need not run).
  std::optional<work> take_head(int workers) {
    if (empty()) return std::nullopt;
    const base::locked held(lock_);
    if (count_ == 0) return std::nullopt;
    return take_at(0, workers);
  }

  /// Takes one `workers`-th of what is left of that loop, wherever it stands.
  std::optional<work> take_of(const loop_run* loop, int workers) {
    if (empty()) return std::nullopt;
    const base::locked held(lock_);
    for (std::size_t i = 0; i < count_; ++i)
      if (at(i).part.loop == loop) return take_at(i, workers);
    return std::nullopt;
  }

  /// Takes the first item that `suits`, wherever it stands: the whole of it.
  template <class Predicate>
  std::optional<work> take_if(Predicate&& suits) {
    if (empty()) return std::nullopt;
    const base::locked held(lock_);
    for (std::size_t i = 0; i < count_; ++i)
      if (suits(std::as_const(at(i)))) return remove(i);
    return std::nullopt;
  }

  /// Moves half of the items (the older ones, rounded up) to the head of `to`, which only the caller adds to; where
  /// there is a single loop that is worth dividing, the upper half of its iterations. Gives for how many workers that
  /// is: 0, 1, or 2 or more. May throw std::bad_alloc; then nothing moved.
  int bisect_into(work_queue& to) {
    // Room is made first, while nothing is held. One lock after the other: two thieves who rob each other must not hold
    // one each.
    const std::size_t room = size_.load(std::memory_order_relaxed) / 2 + 1;
    std::vector<work> taken;
    taken.reserve(room);
    to.make_room(room);
    {
      const base::locked held(lock_);
      if (count_ == 0) return 0;
      if (count_ == 1 && at(0).part.loop && at(0).part.size() > at(0).part.grain) {
        loop_part& rest = at(0).part;
        loop_part upper = rest;
        upper.first = rest.last = rest.first + rest.size() / 2;
        taken.push_back({nullptr, upper});
      } else {
        const std::size_t half = std::min((count_ + 1) / 2, room);
        for (std::size_t i = count_ - half; i < count_; ++i) taken.push_back(at(i));
        resize(count_ - half);
      }
    }
    to.push_all_head(taken);
    const loop_part& first = taken.front().part;
    return taken.size() > 1 || first.size() > first.grain ? 2 : 1;
  }

 private:
  work& at(std::size_t i) MASLIN_REQUIRES(lock_) { return ring_[(head_ + i) & (ring_.size() - 1)]; }

  void resize(std::size_t count) MASLIN_REQUIRES(lock_) {
    const bool was_empty = count_ == 0;
    count_ = count;
    size_.store(count, std::memory_order_seq_cst);
    if (watcher_ && was_empty != (count == 0)) watcher_->nonempty(count != 0);
  }

  void reserve(std::size_t more) MASLIN_REQUIRES(lock_) {
    if (count_ + more <= ring_.size()) return;
    std::size_t size = ring_.size();
    while (size < count_ + more) size *= 2;
    std::vector<work> larger(size);
    for (std::size_t i = 0; i < count_; ++i) larger[i] = at(i);
    ring_.swap(larger);
    head_ = 0;
  }

  void make_room(std::size_t more) {
    const base::locked held(lock_);
    reserve(more);
  }

  void add_head(const work& item) MASLIN_REQUIRES(lock_) {
    head_ = (head_ - 1) & (ring_.size() - 1);
    at(0) = item;
    resize(count_ + 1);
  }

  void add_tail(const work& item) MASLIN_REQUIRES(lock_) {
    at(count_) = item;
    resize(count_ + 1);
  }

  void push_all_head(const std::vector<work>& items) {
    const base::locked held(lock_);
    for (auto item = items.rbegin(); item != items.rend(); ++item) add_head(*item);
  }

  work remove(std::size_t i) MASLIN_REQUIRES(lock_) {
    work item = at(i);
    for (; i > 0; --i) at(i) = at(i - 1);
    head_ = (head_ + 1) & (ring_.size() - 1);
    resize(count_ - 1);
    return item;
  }

  work take_at(std::size_t i, int workers) MASLIN_REQUIRES(lock_) {
    work& item = at(i);
    if (item.task) return remove(i);
    const std::int64_t left = item.part.size();
    // What is left of a loop that threw further down is counted, and not run: all at once.
    if (item.part.loop->is_void(item.part.first)) return remove(i);
    const std::int64_t share = loop_policy::share(left, workers, item.part.grain);
    if (share >= left) return remove(i);
    work taken = item;
    taken.part.last = item.part.first + share;
    item.part.first = taken.part.last;
    return taken;
  }

  base::short_lock lock_;
  MASLIN_ATOMIC<std::size_t> size_{0};  // written under lock_
  watcher* watcher_;
  std::vector<work> ring_ MASLIN_GUARDED_BY(lock_);
  std::size_t head_ MASLIN_GUARDED_BY(lock_) = 0;
  std::size_t count_ MASLIN_GUARDED_BY(lock_) = 0;
};

}  // namespace maslin
