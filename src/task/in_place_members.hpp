#pragma once
// Members of a group that its creator runs on its own stack before it goes on. The creator counts them with plain
// stores; who else waits for them looks for these (base/stores_seen.hpp), sleeps, and is woken when one is over.

#include <atomic>
#include <cstdint>
#include <new>

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "task/scope.hpp"

namespace maslin {

class in_place_members;

/// Those who wait for members of groups that the groups' creators run. It outlives the groups: a group may be gone when
/// its creator looks here whether somebody waited for it.
class in_place_waits {
 public:
  /// Suspends `w`, the caller, until another of these members is over, if not all are. `group`: whose they are.
  void await(const in_place_members& of, waiter& w, const scope& group);
  /// Wakes who waits for these members, of which nothing is left, perhaps.
  void wake(const in_place_members* of) noexcept;
  bool any() const noexcept { return any_.load(std::memory_order_relaxed); }

  static in_place_waits all;
  /// In a forked child: those who waited are its parent's.
  static void forget_after_fork() noexcept { new (&all) in_place_waits; }

 private:
  struct entry {
    const in_place_members* of;
    waiter* who;
    entry* next;
  };

  base::short_lock lock_;
  entry* first_ MASLIN_GUARDED_BY(lock_) = nullptr;
  MASLIN_ATOMIC<bool> any_{false};  ///< changed under the lock
};

/// Changed by the group's creator alone.
class in_place_members {
 public:
  /// One begins; gives how many did before.
  std::uint64_t begin() noexcept {
    const std::uint64_t before = begun();
    begun_.store(before + 1, std::memory_order_relaxed);
    return before;
  }
  /// The last that has begun is over. From then on the group may be gone.
  void end(in_place_waits& waits) noexcept {
    over_.store(over_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // who waits brings the processor's fence
    if (waits.any()) [[unlikely]]
      waits.wake(this);
  }
  std::uint64_t begun() const noexcept { return begun_.load(std::memory_order_relaxed); }
  /// Are all over of whose beginning the caller knows? What they did is visible then.
  bool are_over() const noexcept {
    const std::uint64_t over = over_.load(std::memory_order_acquire);
    return begun() == over;
  }

 private:
  MASLIN_ATOMIC<std::uint64_t> begun_{0};
  MASLIN_ATOMIC<std::uint64_t> over_{0};
};

}  // namespace maslin
