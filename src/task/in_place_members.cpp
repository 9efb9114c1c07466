#include "task/in_place_members.hpp"

#include <memory>
#include <utility>

#include "base/stores_seen.hpp"

namespace maslin {

// Who ends a member stores that it is over and then looks whether anybody waits; who waits says so and then looks
// whether it is over. One of them sees the other. Who is seen waiting sleeps when its waker has the lock.
void in_place_waits::await(const in_place_members& of, waiter& w, const scope& group) {
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

void in_place_waits::wake(const in_place_members* of) noexcept {
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

void in_place_waits::forget_after_fork() noexcept MASLIN_UNCHECKED {
  std::construct_at(&lock_);  // another thread of the parent may have held it
  first_ = nullptr;
  any_.store(false, std::memory_order_relaxed);
}

}  // namespace maslin
