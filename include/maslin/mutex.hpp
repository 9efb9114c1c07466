#pragma once
// A lock that may be held across calls of Maslin: who must wait for it is suspended, and its worker goes on.

#include <atomic>
#include <cstdint>

#include "maslin/api.hpp"

namespace maslin {

/// Mutual exclusion between tasks, streams and threads. Meets the standard's Lockable requirements. First come, first
/// served among those that are suspended.
class mutex {
 public:
  mutex() = default;
  ~mutex() = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  MASLIN_API void lock();               ///< suspends the caller until it has the mutex
  MASLIN_API bool try_lock() noexcept;  ///< gives whether the caller has it now
  /// Throws `error` if nobody has locked it, or another task, stream or thread has. A std::lock_guard's destructor
  /// cannot pass that on and ends the program.
  MASLIN_API void unlock();

 private:
  friend class mutex_access;
  bool take() noexcept;
  void set_holder() noexcept;

  std::atomic<unsigned> guard_{0};  // of what follows; held for a few instructions
  bool held_ = false;
  std::atomic<std::uint64_t> holder_{0};  // for messages: whose code locked it last
  void* first_ = nullptr;                 // who is suspended, in the order in which they came
  void* last_ = nullptr;
};

}  // namespace maslin
