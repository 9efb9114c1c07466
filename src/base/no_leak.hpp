#pragma once
// What is never freed on purpose: what a forked child has of its parent, with locks and threads that are not there, and
// what other threads may use until the process ends.

#include <atomic>
#include <new>

namespace maslin::base {

/// Keeps that reachable, so that nobody takes it for a leak.
inline void keep_reachable(const void* what) noexcept {
  struct kept {
    const void* what;
    kept* before;
  };
  static constinit std::atomic<kept*> all{nullptr};
  auto* const now = what ? new (std::nothrow) kept{what, all.load(std::memory_order_relaxed)} : nullptr;
  // Nothing is read through it.
  while (now && !all.compare_exchange_weak(now->before, now, std::memory_order_relaxed)) {
  }
}

}  // namespace maslin::base
