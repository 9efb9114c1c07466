#pragma once
// Waits for members of a group that its creator runs itself (README.md).

#include <atomic>

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "maslin/in_place.hpp"
#include "task/scope.hpp"

namespace maslin {

using in_place_members = detail::in_place_members_of<MASLIN_ATOMIC>;

/// Those who wait for members of groups that the groups' creators run. It outlives the groups: a group may be gone when
/// its creator looks here whether somebody waited for it.
class in_place_waits {
 public:
  /// `any`: is there one? Changed here alone.
  constexpr explicit in_place_waits(MASLIN_ATOMIC<bool>& any) noexcept : any_(any) {}

  /// Suspends `w`, the caller, until another of these members is over, if not all are. `group`: whose they are.
  void await(const in_place_members& of, waiter& w, const scope& group);
  /// Wakes who waits for these members, of which nothing is left, perhaps.
  void wake(const in_place_members* of) noexcept;
  /// In a forked child: those who waited are its parent's.
  void forget_after_fork() noexcept;

 private:
  struct entry {
    const in_place_members* of;
    waiter* who;
    entry* next;
  };

  base::short_lock lock_;
  entry* first_ MASLIN_GUARDED_BY(lock_) = nullptr;
  MASLIN_ATOMIC<bool>& any_;  ///< changed under the lock
};

}  // namespace maslin
