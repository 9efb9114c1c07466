#pragma once
// How the workers of a team are told of a loop in which each has a part: under the baselines, and where it is dealt
// out.

#include "base/atomic.hpp"
#include "base/lock.hpp"

namespace maslin {

struct loop_run;

/// One worker's part in a loop to which all of its team are invited. It lives with the loop, which is over only when
/// every invitation was answered or withdrawn.
struct invitation {
  loop_run* loop = nullptr;
  int worker = 0;  ///< its number in the team when the loop began
  invitation* next = nullptr;
};

/// The invitations that one worker has not answered yet, the latest first. Whoever invites changes one word; who takes
/// one does so under a lock, since that may be any of them.
class invitations {
 public:
  /// Sequentially consistent (README, race 1).
  bool empty() const { return first_.load(std::memory_order_seq_cst) == nullptr; }

  void add(invitation& one) {
    one.next = first_.load(std::memory_order_relaxed);
    while (!first_.compare_exchange_weak(one.next, &one, std::memory_order_seq_cst, std::memory_order_relaxed)) {
    }
  }
  /// Takes the first that `suits`; null when none does.
  template <class Predicate>
  invitation* take_if(Predicate&& suits) {
    if (empty()) return nullptr;
    const base::locked held(lock_);
    // Acquire: what an invitation says was written before it was added.
    invitation* first = first_.load(std::memory_order_acquire);
    if (!first) return nullptr;
    if (suits(*first)) {
      invitation* found = first;
      if (first_.compare_exchange_strong(first, found->next, std::memory_order_seq_cst, std::memory_order_acquire))
        return found;
      // Others were added before it; it is behind them now.
    }
    // Behind the first one nothing changes but under the lock.
    invitation* before = first;
    for (invitation* one = before->next; one; before = one, one = one->next) {
      if (!suits(*one)) continue;
      before->next = one->next;
      return one;
    }
    return nullptr;
  }

 private:
  base::short_lock lock_;
  MASLIN_ATOMIC<invitation*> first_{nullptr};  ///< what is behind it changes under lock_
};

}  // namespace maslin
