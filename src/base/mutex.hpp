#pragma once
// A mutex and a condition variable of the standard library, so marked that clang finds what is done without the mutex.
// For what may take long, or is waited for; `short_lock` is for a few dozen instructions.

#include <condition_variable>
#include <mutex>

#include "base/guarded.hpp"
#include "base/lock.hpp"

namespace maslin::base {

/// Meets the standard's Lockable requirements. `base::locked` holds it.
class MASLIN_LOCK mutex {
 public:
  void lock() noexcept MASLIN_ACQUIRES() { native_.lock(); }
  bool try_lock() noexcept MASLIN_TRIES_TO_ACQUIRE() { return native_.try_lock(); }
  void unlock() noexcept MASLIN_RELEASES() { native_.unlock(); }

 private:
  friend class condition;
  std::mutex native_;
};

/// A condition variable. The caller of a wait holds the mutex, and so does `holds`, which is asked at each wake-up.
class condition {
 public:
  template <class Predicate>
  void wait(mutex& held, Predicate&& holds) MASLIN_REQUIRES(held) {
    std::unique_lock native(held.native_, std::adopt_lock);
    changed_.wait(native, holds);
    native.release();
  }
  /// Gives whether it holds: false when the time is over.
  template <class Duration, class Predicate>
  bool wait_for(mutex& held, const Duration& time, Predicate&& holds) MASLIN_REQUIRES(held) {
    std::unique_lock native(held.native_, std::adopt_lock);
    const bool did = changed_.wait_for(native, time, holds);
    native.release();
    return did;
  }
  void notify_one() noexcept { changed_.notify_one(); }

 private:
  std::condition_variable changed_;
};

}  // namespace maslin::base
