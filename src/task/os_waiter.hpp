#pragma once
// A thread that is no worker: it waits in the operating system.

#include <atomic>

#include "base/atomic.hpp"
#include "task/scope.hpp"

namespace maslin {

class os_waiter final : public waiter {
 public:
  void sleep(base::short_lock& held, const awaited_end&) MASLIN_RELEASES(held) override {
    const counted asleep;
    held.unlock();
    awake_.wait(false, std::memory_order_acquire);
    awake_.store(false, std::memory_order_relaxed);
  }
  void wake() noexcept override {
    // The sleeper may return from `wait` on its own between the two calls and end its thread; the address is only
    // compared by the kernel then, never read.
    awake_.store(true, std::memory_order_release);
    awake_.notify_one();
  }

  /// While it lives, the calling thread is one that waits so.
  struct counted {
    counted() { asleep_.fetch_add(1, std::memory_order_relaxed); }
    ~counted() { asleep_.fetch_sub(1, std::memory_order_relaxed); }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
  };
  /// Threads of this process that wait so. For the watchdog.
  static int asleep() noexcept { return asleep_.load(std::memory_order_relaxed); }
  static void forget_after_fork() noexcept { asleep_.store(0, std::memory_order_relaxed); }
  /// Gives the calling thread's own.
  static os_waiter& mine() {
    static thread_local os_waiter own;
    return own;
  }

 private:
  static inline std::atomic<int> asleep_{0};
  MASLIN_ATOMIC<bool> awake_{false};
};

}  // namespace maslin
