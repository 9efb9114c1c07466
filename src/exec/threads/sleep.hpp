#pragma once
// How a worker waits for work: it spins for at most three measured wake-ups of this machine, not at all while the
// machine is oversubscribed, then parks (DESIGN section 8). README.md holds the protocol and why no wake-up is lost.

#include <atomic>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/clock.hpp"
#include "base/lock.hpp"
#include "exec/threads/bits.hpp"

namespace maslin {

/// Where one worker sleeps. The word is 0 nothing, 1 a wake-up is there, 2 asleep.
class parking {
 public:
  /// Sleeps until `unpark`; returns at once if it was called since the last `park`.
  void park() noexcept {
    std::uint32_t nothing = 0;
    if (word_.compare_exchange_strong(nothing, 2, std::memory_order_acquire)) {
      while (word_.load(std::memory_order_acquire) == 2) word_.wait(2, std::memory_order_acquire);
    }
    word_.store(0, std::memory_order_relaxed);
  }
  void unpark() noexcept {
    if (word_.exchange(1, std::memory_order_release) == 2) word_.notify_one();
  }

 private:
  MASLIN_ATOMIC<std::uint32_t> word_{0};
};

/// Measures how long it takes to wake a sleeping thread here: the median of a few wake-ups, in ticks.
std::uint64_t measure_wake_up();

/// Has the system given the calling thread's core to another thread since this was last asked? A gap in which a virtual
/// machine's host or an interrupt had the core is none of our neighbours' doing. A system call: for when something
/// strange was seen.
bool was_preempted() noexcept;

/// How long the workers of one runtime may spin, and whether they may now.
class spinning {
 public:
  /// `oversubscribed`: there are more workers than CPUs, so a spinning worker always takes somebody's core.
  explicit spinning(bool oversubscribed);

  /// Spins until `ready()` or until the time is up; gives whether it became ready. Notices when the spinner lost its
  /// core to another thread meanwhile; then nobody spins for a while.
  template <class Ready>
  bool until(Ready&& ready) {
    return spin(most_, ready);
  }
  /// The same for something that is expected within the time that resuming another fiber takes.
  template <class Ready>
  bool briefly_until(Ready&& ready) {
    return spin(brief_, ready);
  }

 private:
  template <class Ready>
  bool spin(std::uint64_t most, Ready& ready) {
    if (ready()) return true;
    const std::uint64_t begin = base::ticks();
    if (most == 0 || begin < crowded_until_.load(std::memory_order_relaxed)) return false;
    std::uint64_t last = begin;
    while (last - begin < most) {
      for (int i = 0; i < 8; ++i) {
        base::relax();
        if (ready()) return true;
      }
      const std::uint64_t now = base::ticks();
      if (now - last > lost_core_ && was_preempted()) {
        crowded_until_.store(now + pause_, std::memory_order_relaxed);
        return false;
      }
      last = now;
    }
    return false;
  }

  std::uint64_t brief_;      ///< ticks
  std::uint64_t most_;       ///< ticks
  std::uint64_t lost_core_;  ///< a gap between two looks that only a lost core explains, in ticks
  std::uint64_t pause_;      ///< nobody spins for this long after a core was lost, in ticks
  std::atomic<std::uint64_t> crowded_until_{0};
};

}  // namespace maslin
