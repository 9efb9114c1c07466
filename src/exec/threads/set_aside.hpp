#pragma once
// Ready tasks that a worker has set aside to run next, because its local store fetches their data meanwhile
// (exec/store/README.md). Its owner takes them in the order in which it has set them aside; who has nothing to do takes
// any.
//
// Each place is one word: a task, or null. Who exchanges a task for null has it.

#include <array>
#include <cstdint>

#include "base/atomic.hpp"

namespace maslin {

template <class Task, std::uint32_t Most>
class set_aside_tasks {
 public:
  /// So many places.
  explicit set_aside_tasks(std::uint32_t places) : places_(places) {}

  // The owner.

  /// Is there a place? One that others have emptied counts when all that were set aside before have been taken.
  bool has_place() noexcept {
    while (count_ > 0 && !place(first_).load(std::memory_order_relaxed)) drop_first();
    return count_ < places_;
  }
  /// Sets a task aside: there is a place.
  void put(Task* task) noexcept {
    // Release: who takes it sees it. Sequentially consistent: followed by a look for sleepers (README, race 1).
    place(first_ + count_).store(task, std::memory_order_seq_cst);
    ++count_;
  }
  /// Takes the one that was set aside first; null when there is none.
  Task* take() noexcept {
    while (count_ > 0) {
      Task* const task = take_from(place(first_));
      drop_first();
      if (task) return task;
    }
    return nullptr;
  }

  // Any thread.

  /// Takes one; null when there is none.
  Task* steal() noexcept {
    for (std::uint32_t i = 0; i < places_; ++i)
      if (Task* const task = take_from(place(i))) return task;
    return nullptr;
  }
  /// Sequentially consistent, for the look around before parking.
  std::uint32_t size() const noexcept {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < places_; ++i) count += tasks_[i].load(std::memory_order_seq_cst) != nullptr;
    return count;
  }

 private:
  MASLIN_ATOMIC<Task*>& place(std::uint32_t number) noexcept { return tasks_[number % places_]; }
  void drop_first() noexcept {
    first_ = (first_ + 1) % places_;
    --count_;
  }
  /// Acquire: pairs with `put`.
  static Task* take_from(MASLIN_ATOMIC<Task*>& from) noexcept {
    return from.load(std::memory_order_relaxed) ? from.exchange(nullptr, std::memory_order_acquire) : nullptr;
  }

  const std::uint32_t places_;
  // The owner's.
  std::uint32_t first_ = 0;  ///< the place of the one that was set aside first
  std::uint32_t count_ = 0;  ///< from there on, with those that others have taken
  alignas(64) std::array<MASLIN_ATOMIC<Task*>, Most> tasks_{};
};

}  // namespace maslin
