#pragma once
// A lock that may be held across calls of Maslin: who must wait for it is suspended, and its worker goes on.

#include <atomic>

namespace maslin {

/// Mutual exclusion between tasks, streams and threads. Meets the standard's Lockable requirements. First come, first
/// served among those that are suspended.
class mutex {
 public:
  mutex() = default;
  ~mutex() = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  void lock();
  bool try_lock() noexcept;
  void unlock();

 private:
  std::atomic<void*> state_{nullptr};  // src/exec/threads/mutex.cpp draws it
};

}  // namespace maslin
