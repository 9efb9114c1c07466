#pragma once
// Worker 0 has no thread of its own: it is the thread that started the runtime, while that thread is inside Maslin.
// While it is outside, somebody may need worker 0 all the same: a fiber that was suspended there, a stream whose place
// is there, or, where there is no other worker, anybody who waits. Then a stand-in takes the seat until nothing is left
// to do.

#include <atomic>
#include <thread>

#include "exec/threads/worker.hpp"

namespace maslin {

class threads_executor;

/// Who sits on worker 0's seat:
///
///   starter ──leaves a call──▶ nobody ──is needed, milliseconds later──▶ stand-in
///      ◀──enters a call──────────┘ ◀──has nothing left to do─────────────────┘
///
/// A starter that finds the stand-in there waits for that call like a foreign thread.
///
/// The stand-in's thread is started when worker 0 may come to be needed for the first time (`want_stand_in`). It sleeps
/// until somebody needs worker 0 and does not find it asleep (`rouse`), or the starter leaves it something to do
/// (`stand_up`); some milliseconds later it looks whether worker 0 is still needed, and again as long as it is.
class seat {
 public:
  enum holder : int { starter, nobody, stand_in };

  bool enter(holder who) {
    int free = nobody;
    // Acquire: what the last holder did as worker 0 (its fibers, its lists) is now ours.
    return held_by_.compare_exchange_strong(free, who, std::memory_order_acquire, std::memory_order_relaxed);
  }
  void leave() { held_by_.store(nobody, std::memory_order_release); }
  holder held_by() const { return static_cast<holder>(held_by_.load(std::memory_order_relaxed)); }

 private:
  std::atomic<int> held_by_{starter};
};

/// The thread that started the runtime as somebody who waits: on the seat if it is free, in the operating system
/// otherwise.
class starting_thread final : public waiter {
 public:
  explicit starting_thread(threads_executor& exec) : exec_(exec) {}

  void sleep(base::short_lock& held, const awaited_end& what) override;
  void wake() noexcept override;
  /// What it does meanwhile, if it has no seat, may wait as somebody else.
  bool is_asleep() const { return sleeps_as_; }

  /// Keeps the starter on the seat during a call, if it can have it and the calling thread is the starter.
  class visit {
   public:
    explicit visit(threads_executor& exec);
    ~visit();
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;

   private:
    threads_executor* entered_ = nullptr;
  };

 private:
  threads_executor& exec_;
  waiter* sleeps_as_ = nullptr;  ///< set before it can be woken
};

}  // namespace maslin
