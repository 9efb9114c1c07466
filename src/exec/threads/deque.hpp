#pragma once
// The local queue of tasks (dynamic-bisectioning, section 3): its owner puts tasks at the head and takes them there;
// thieves take half of them, the oldest, at the tail. Lock-free; README.md argues why. Bounded: who finds it full
// queues elsewhere.
//
// One word says what is in it:
//
//   bits 63..32  head: the index behind the newest task
//   bits 31..0   tail: the index of the oldest
//
// A push counts the head up, a pop counts it down, a theft counts the tail up; indices wrap, slot = index mod capacity.
// A slot holds a task from the push until its taker, whom the word made its only owner, has emptied it; so a push that
// finds its slot still occupied is one that finds the queue full.

#include <array>
#include <cstdint>

#include "base/atomic.hpp"

namespace maslin {

template <class Task, std::uint32_t Capacity>
class bounded_deque {
  static_assert((Capacity & (Capacity - 1)) == 0);

 public:
  static constexpr std::uint32_t capacity = Capacity;

  // The owner.

  /// Puts a task at the head; false when there is no room.
  bool push(Task* task) noexcept { return push_all(&task, 1); }
  /// Puts `count` tasks at the head, the last one foremost; false when there is no room for all.
  bool push_all(Task* const* tasks, std::uint32_t count) noexcept {
    const std::uint64_t word = word_.load(std::memory_order_relaxed);
    const std::uint32_t head = head_of(word);
    if (head - tail_of(word) > Capacity - count) return false;
    // Acquire: a thief that has emptied the slot does not read it any more.
    for (std::uint32_t i = 0; i < count; ++i)
      if (slot(head + i).load(std::memory_order_acquire)) return false;
    for (std::uint32_t i = 0; i < count; ++i) slot(head + i).store(tasks[i], std::memory_order_relaxed);
    // Release: who takes a task sees it. Sequentially consistent: followed by a look for sleepers (README, race 1).
    word_.fetch_add(std::uint64_t{count} << 32, std::memory_order_seq_cst);
    return true;
  }
  /// Takes the head; null when there is none.
  Task* pop() noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    do {
      if (head_of(word) == tail_of(word)) return nullptr;
      // Acquire: a thief's word may have come between; the slot itself is our own.
    } while (!word_.compare_exchange_weak(word, word - (std::uint64_t{1} << 32), std::memory_order_acquire,
                                          std::memory_order_relaxed));
    return empty_slot(head_of(word) - 1);
  }

  // Any thread.

  bool empty() const noexcept { return size() == 0; }
  /// Sequentially consistent, for the look around before parking.
  std::uint32_t size() const noexcept {
    const std::uint64_t word = word_.load(std::memory_order_seq_cst);
    return head_of(word) - tail_of(word);
  }
  /// Takes the older half (rounded up), at most `most`; gives how many it put into `tasks`, the oldest first.
  std::uint32_t steal_half(Task** tasks, std::uint32_t most) noexcept {
    std::uint64_t word = word_.load(std::memory_order_acquire);
    std::uint32_t count;
    do {
      const std::uint32_t size = head_of(word) - tail_of(word);
      if (size == 0) return 0;
      count = (size + 1) / 2 < most ? (size + 1) / 2 : most;
      // Acquire: pairs with the push; the tasks in these slots are ours from here on, whatever was in them before.
    } while (!word_.compare_exchange_weak(word, (word & ~std::uint64_t{0xffffffff}) | (tail_of(word) + count),
                                          std::memory_order_acquire, std::memory_order_acquire));
    for (std::uint32_t i = 0; i < count; ++i) tasks[i] = empty_slot(tail_of(word) + i);
    return count;
  }

 private:
  static std::uint32_t head_of(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }
  static std::uint32_t tail_of(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

  MASLIN_ATOMIC<Task*>& slot(std::uint32_t index) { return slots_[index & (Capacity - 1)]; }
  Task* empty_slot(std::uint32_t index) noexcept {
    MASLIN_ATOMIC<Task*>& from = slot(index);
    Task* task = from.load(std::memory_order_relaxed);
    from.store(nullptr, std::memory_order_release);
    return task;
  }

  alignas(64) MASLIN_ATOMIC<std::uint64_t> word_{0};
  alignas(64) std::array<MASLIN_ATOMIC<Task*>, Capacity> slots_{};
};

}  // namespace maslin
