#pragma once
// A thread that is no worker: it waits in the operating system.

#include <atomic>

#include "task/scope.hpp"

namespace maslin {

class os_waiter final : public waiter {
 public:
  void sleep(base::short_lock& held, const scope*) override {
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

  /// Gives the calling thread's own.
  static os_waiter& mine() {
    static thread_local os_waiter own;
    return own;
  }

 private:
  std::atomic<bool> awake_{false};
};

}  // namespace maslin
