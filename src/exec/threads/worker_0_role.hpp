#pragma once
// Worker 0 has no thread of its own: it is the thread that started the runtime, while that thread is inside Maslin.
// While it is outside, somebody may need worker 0 all the same: a fiber that was suspended there, a stream whose place
// is there, or, where there is no other worker, anybody who waits. Then a substitute takes the role until nothing is
// left to do.

#include "base/atomic.hpp"
#include "exec/threads/sleep.hpp"

namespace maslin {

/// Who has worker 0's role, and how a substitute is called:
///
///   starter ──leaves a call──▶ nobody ──is called, milliseconds later──▶ substitute
///      ◀──enters a call──────────┘ ◀──has nothing left to do────────────────┘
///
/// A starter that finds the substitute there waits for that call like a foreign thread. The substitute sleeps until it
/// is called: by whoever makes something that needs worker 0 and does not find that asleep (`notify`), or by a starter
/// that leaves it something to do. A substitute that finds the starter there tells it so and sleeps again: the starter
/// calls it when it leaves.
class worker_0_role {
 public:
  enum holder : int { starter, nobody, substitute };

  bool enter(holder who) {
    int free = nobody;
    // Acquire: what the last holder did as worker 0 (its fibers, its lists) is now ours.
    return held_by_.compare_exchange_strong(free, who, std::memory_order_acquire, std::memory_order_relaxed);
  }
  /// Gives whether the substitute has come meanwhile: then the starter looks whether worker 0 is still needed.
  bool leave() {
    held_by_.store(nobody, std::memory_order_release);
    // In this order for the substitute, which has all stores seen between its own two steps (`tell_starter`): the
    // starter leaves often, the substitute comes rarely, so that one pays.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return told_.load(std::memory_order_relaxed) && told_.exchange(false, std::memory_order_seq_cst);
  }
  holder held_by() const { return static_cast<holder>(held_by_.load(std::memory_order_relaxed)); }

  /// Worker 0 may come to be needed. Gives true where there is no substitute yet: then the caller starts its thread.
  bool wants_substitute() noexcept {
    // Sequentially consistent, against `call`: either that sees that there is one, or the substitute, who looks when it
    // begins, sees what worker 0 is needed for.
    return !exists_.load(std::memory_order_relaxed) && !exists_.exchange(true, std::memory_order_seq_cst);
  }
  /// Its thread could not be started: the next one who wants it tries again.
  void has_no_substitute() noexcept { exists_.store(false, std::memory_order_release); }
  /// Worker 0 is needed: the substitute looks.
  void call() noexcept {
    if (exists_.load(std::memory_order_seq_cst)) parking_.unpark();
  }
  /// Was the substitute called, and will it look after this?
  bool is_called() const noexcept { return exists_.load(std::memory_order_seq_cst) && parking_.is_woken(); }
  /// The substitute comes back from parking, needed or not.
  void wake_substitute() noexcept { parking_.unpark(); }

  /// The substitute's life, until it `is_over()`. `wait_a_while()`: a starter that comes back meanwhile finds its role
  /// free. `serve()` takes the role if it can and does what there is to do.
  template <class IsOver, class WaitAWhile, class IsNeeded, class Serve>
  void answer(IsOver&& is_over, WaitAWhile&& wait_a_while, IsNeeded&& is_needed, Serve&& serve) {
    while (!is_over()) {
      wait_a_while();
      if (is_needed()) serve();
      parking_.park();  // whoever needs worker 0 from now on says so
    }
  }
  /// The substitute has found the starter there. Once all stores before this are seen it tries once more: the starter
  /// that is still there, or there again, will see this when it leaves.
  void tell_starter() noexcept { told_.store(true, std::memory_order_seq_cst); }

 private:
  MASLIN_ATOMIC<int> held_by_{starter};
  MASLIN_ATOMIC<bool> told_{false};
  MASLIN_ATOMIC<bool> exists_{false};
  parking parking_;
};

}  // namespace maslin
