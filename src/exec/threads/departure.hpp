#pragma once
// How the workers leave at the end of the runtime: together, when none has anything left to do. What is in flight until
// then, such as a task of a group that goes on living, may begin loops, phases and ranks, and these need them all.

#include <atomic>

namespace maslin {

/// A worker that has found nothing, and on which nothing is suspended, says so (`enter`), then looks around once more.
/// What is made is made by a worker that is not in here, which finds it before it comes in unless another has taken it.
/// So when all are in, there is nothing left, and nobody to make more.
class departure {
 public:
  /// So many workers leave. No other begins after this.
  void begin(int workers) { workers_.store(workers, std::memory_order_seq_cst); }

  void enter() { in_.fetch_add(1, std::memory_order_seq_cst); }
  void come_back() { in_.fetch_sub(1, std::memory_order_seq_cst); }

  /// Asked by one that is in, after its look. Gives true to one caller, who wakes the others.
  bool completes() {
    return in_.load(std::memory_order_seq_cst) == workers_.load(std::memory_order_seq_cst) &&
           !is_over_.exchange(true, std::memory_order_seq_cst);
  }
  bool is_over() const { return is_over_.load(std::memory_order_seq_cst); }

 private:
  std::atomic<int> in_{0};
  std::atomic<int> workers_{-1};
  std::atomic<bool> is_over_{false};
};

}  // namespace maslin
