#pragma once
// A lock for critical sections of a few dozen instructions, held by threads that may lose their core meanwhile: spins
// briefly, then sleeps in the kernel, so that a pre-empted holder costs the others no core.

#include <cstdint>
#include <mutex>

#include "base/atomic.hpp"
#include "base/guarded.hpp"

namespace maslin::base {

inline void relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// The implementation is what clang cannot follow. Meets the standard's Lockable requirements. The word is 0 free, 1
/// held, 2 held with sleepers (Drepper, "Futexes are tricky", mutex 2).
class MASLIN_LOCK short_lock {
 public:
  short_lock() = default;
  short_lock(const short_lock&) = delete;
  short_lock& operator=(const short_lock&) = delete;

  void lock_slow() noexcept MASLIN_ACQUIRES() MASLIN_UNCHECKED {
    // A holder that runs leaves within tens of nanoseconds; one that does not run is not worth more spinning than this.
    constexpr int spins = MASLIN_LOCK_SPINS;
    for (int i = 0; i < spins; ++i) {
      if (try_lock()) return;
      relax();
    }
    while (word_.exchange(2, std::memory_order_acquire) != 0) word_.wait(2, std::memory_order_relaxed);
  }
  void lock() noexcept MASLIN_ACQUIRES() MASLIN_UNCHECKED {
    if (!try_lock()) lock_slow();
  }
  bool try_lock() noexcept MASLIN_TRIES_TO_ACQUIRE() MASLIN_UNCHECKED {
    std::uint32_t free = 0;
    return word_.load(std::memory_order_relaxed) == 0 &&
           word_.compare_exchange_strong(free, 1, std::memory_order_acquire, std::memory_order_relaxed);
  }
  void unlock() noexcept MASLIN_RELEASES() MASLIN_UNCHECKED {
    if (word_.exchange(0, std::memory_order_release) == 2) word_.notify_one();
  }

 private:
  MASLIN_ATOMIC<std::uint32_t> word_{0};
};

/// Holds a lock while it lives.
template <class Lock>
class MASLIN_HOLDS_LOCK locked {
 public:
  explicit locked(Lock& lock) noexcept MASLIN_ACQUIRES(lock) : lock_(lock) { lock_.lock(); }
  /// The caller holds it already.
  locked(Lock& lock, std::adopt_lock_t) noexcept MASLIN_REQUIRES(lock) : lock_(lock) {}
  ~locked() MASLIN_RELEASES() { lock_.unlock(); }
  locked(const locked&) = delete;
  locked& operator=(const locked&) = delete;

 private:
  Lock& lock_;
};

}  // namespace maslin::base
