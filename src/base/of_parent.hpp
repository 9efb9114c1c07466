#pragma once
// What a forked child has of its parent and cannot use: with locks and threads that are not there.

#include <new>

namespace maslin::base {

/// Keeps that reachable: it is not freed, and nobody takes it for a leak.
inline void keep_of_parent(const void* what) noexcept {
  struct kept {
    const void* what;
    kept* before;
  };
  static constinit kept* all = nullptr;  // a forked child has one thread
  if (!what) return;
  if (auto* now = new (std::nothrow) kept{what, all}) all = now;
}

}  // namespace maslin::base
