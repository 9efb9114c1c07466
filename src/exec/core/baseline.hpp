#pragma once
// Loops under `gss` and `afs` (dynamic-bisectioning, section 4.1): a loop has queues of its own, and every worker of
// the team is invited to it.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "sched/loop/policy.hpp"

namespace maslin {

/// What is left of a loop, in the queues of its policy (`loop_policy::queues`).
class loop_queues {
 public:
  loop_queues(schedule policy, std::int64_t blocks, int workers)
      : policy_(policy),
        workers_(workers),
        count_(loop_policy::queue_count(policy, workers)),
        queues_(std::make_unique<queue[]>(static_cast<std::size_t>(count_))) {
    for (int q = 0; q < count_; ++q) {
      queues_[q].rest = loop_policy::equal_part(blocks, count_, q);
      queues_[q].left.store(queues_[q].rest.size(), std::memory_order_relaxed);
    }
  }

  /// Gives what the team's `worker` runs next.
  std::optional<loop_policy::part> next(int worker) { return loop_policy::next(policy_, *this, worker); }

  /// Nothing behind that block is given any more.
  void forget_behind(std::int64_t block) {
    for (int q = 0; q < count_; ++q) {
      const base::locked held(queues_[q].lock);
      loop_policy::part& rest = queues_[q].rest;
      rest.last = std::max(rest.first, std::min(rest.last, block + 1));
      queues_[q].left.store(rest.size(), std::memory_order_relaxed);
    }
  }

  int count() const { return count_; }
  std::int64_t left(int q) const { return queues_[q].left.load(std::memory_order_relaxed); }
  std::optional<loop_policy::part> take_front(int q, loop_policy::amount rule) {
    return take(queues_[q], rule, [](loop_policy::part& rest, std::int64_t size) {
      rest.first += size;
      return loop_policy::part{rest.first - size, rest.first};
    });
  }
  std::optional<loop_policy::part> take_back(int q, loop_policy::amount rule) {
    return take(queues_[q], rule, [](loop_policy::part& rest, std::int64_t size) {
      rest.last -= size;
      return loop_policy::part{rest.last, rest.last + size};
    });
  }

 private:
  struct alignas(64) queue {
    base::short_lock lock;
    MASLIN_ATOMIC<std::int64_t> left{0};  // written under lock
    loop_policy::part rest MASLIN_GUARDED_BY(lock);
  };

  template <class Cut>
  std::optional<loop_policy::part> take(queue& from, loop_policy::amount rule, Cut&& cut) {
    const base::locked held(from.lock);
    if (from.rest.size() == 0) return std::nullopt;
    const loop_policy::part taken = cut(from.rest, rule(from.rest.size(), workers_));
    from.left.store(from.rest.size(), std::memory_order_relaxed);
    return taken;
  }

  schedule policy_;
  int workers_;
  int count_;
  std::unique_ptr<queue[]> queues_;
};

}  // namespace maslin
