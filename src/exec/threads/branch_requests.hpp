#pragma once
// Workers that have nothing to do ask those of their team that have for a branch of their forks, or for tasks that they
// would run themselves (src/exec/forks/README.md).

#include <atomic>

#include "exec/threads/worker.hpp"

namespace maslin {

class branch_requests {
 public:
  explicit branch_requests(threads_executor& exec) : exec_(exec) {}

  /// While it lives the worker has nothing to do, and asks.
  class idle_worker {
   public:
    idle_worker(branch_requests& to, worker& w, const team& t) : to_(to), self_(w) {
      if (!to.used_.load(std::memory_order_relaxed)) return;
      counts_ = true;
      to.idle_.fetch_add(1, std::memory_order_relaxed);
      to.ask(w, t);
    }
    ~idle_worker() {
      if (!counts_) return;
      to_.idle_.fetch_sub(1, std::memory_order_relaxed);
      to_.ask_again(self_);
    }
    idle_worker(const idle_worker&) = delete;
    idle_worker& operator=(const idle_worker&) = delete;

   private:
    branch_requests& to_;
    worker& self_;
    bool counts_ = false;
  };

  /// What `from` gave away or has begun with is taken; there may be others who want something.
  void ask_again(worker& from) noexcept {
    if (idle_.load(std::memory_order_relaxed) > 0) set(from.asked);
  }
  /// The worker runs some tasks itself: what others want of them is in its queue, or they are too small to be wanted.
  void keeps_tasks(worker& w) noexcept {
    if (!used_.load(std::memory_order_relaxed)) used_.store(true, std::memory_order_relaxed);
    if (w.asked.tasks.load(std::memory_order_relaxed)) w.asked.tasks.store(false, std::memory_order_relaxed);
  }
  /// The worker was asked, and would give: may there be somebody who takes it?
  bool may_give(worker& w) noexcept;

 private:
  void ask(const worker& w, const team& t) noexcept;
  static void set(detail::requests& asked) noexcept {
    if (!asked.branch.load(std::memory_order_relaxed)) asked.branch.store(true, std::memory_order_relaxed);
    if (!asked.tasks.load(std::memory_order_relaxed)) asked.tasks.store(true, std::memory_order_relaxed);
  }

  threads_executor& exec_;
  std::atomic<bool> used_{false};  ///< has anybody forked, or kept tasks to itself?
  std::atomic<int> idle_{0};       ///< workers that have nothing to do; counted from then on
};

}  // namespace maslin
