#pragma once
// Waits for members of a group that its creator runs itself (README.md).

#include <atomic>
#include <memory>
#include <utility>

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "base/stores_seen.hpp"
#include "maslin/in_place.hpp"
#include "task/scope.hpp"

namespace maslin {

using in_place_members = detail::in_place_members_of<MASLIN_ATOMIC>;

/// Those who wait for members of groups that the groups' creators run. It outlives the groups: a group may be gone when
/// its creator looks here whether somebody waited for it.
template <template <class> class Atomic>
class in_place_waits_of {
 public:
  using members = detail::in_place_members_of<Atomic>;

  /// `any`: is there one? Changed here alone.
  constexpr explicit in_place_waits_of(Atomic<bool>& any) noexcept : any_(any) {}

  /// Suspends `w`, the caller, until another of these members is over, if not all are. `group`: whose they are.
  void await(const members& of, waiter& w, const scope& group);
  /// Wakes who waits for these members, of which nothing is left, perhaps.
  void wake(const members* of) noexcept;
  /// In a forked child: those who waited are its parent's.
  void forget_after_fork() noexcept;

 private:
  struct entry {
    const members* of;
    waiter* who;
    entry* next;
  };

  base::short_lock lock_;
  entry* first_ MASLIN_GUARDED_BY(lock_) = nullptr;
  Atomic<bool>& any_;  ///< changed under the lock
};

// Who ends a member stores that it is over and then looks whether anybody waits; who waits says so and then looks
// whether it is over. One of them sees the other. Who is seen waiting sleeps when its waker has the lock.
template <template <class> class Atomic>
void in_place_waits_of<Atomic>::await(const members& of, waiter& w, const scope& group) {
  lock_.lock();
  entry mine{&of, &w, first_};
  first_ = &mine;
  any_.store(true, std::memory_order_relaxed);
  base::see_all_stores();
  if (!of.are_over()) return w.sleep(lock_, {&group});
  first_ = mine.next;
  any_.store(first_ != nullptr, std::memory_order_relaxed);
  lock_.unlock();
}

template <template <class> class Atomic>
void in_place_waits_of<Atomic>::wake(const members* of) noexcept {
  waiter* woken = nullptr;
  {
    const base::locked held(lock_);
    for (entry** at = &first_; *at;) {
      entry& e = **at;
      if (e.of != of) {
        at = &e.next;
        continue;
      }
      *at = e.next;
      e.who->next = std::exchange(woken, e.who);
    }
    any_.store(first_ != nullptr, std::memory_order_relaxed);
  }
  while (woken) std::exchange(woken, woken->next)->wake();
}

template <template <class> class Atomic>
void in_place_waits_of<Atomic>::forget_after_fork() noexcept MASLIN_UNCHECKED {
  std::construct_at(&lock_);  // another thread of the parent may have held it
  first_ = nullptr;
  any_.store(false, std::memory_order_relaxed);
}

using in_place_waits = in_place_waits_of<MASLIN_ATOMIC>;

}  // namespace maslin
