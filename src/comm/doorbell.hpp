#pragma once
// How who reads what other processes write is woken. exec/ranks/ACROSS.md states the protocol.

#include <cstdint>

#include "base/atomic.hpp"
#include "base/fence.hpp"

namespace maslin::comm {

/// Lies in memory that all processes have. All zeros: nobody reads, nobody waits, and nothing was written. What writers
/// read at each packet changes only when somebody falls asleep or wakes.
class doorbell {
 public:
  // Who has written something.

  /// Is nobody going to see it in time? Then `ring`, and wake who sleeps at the word. `at_once`: it is to be read
  /// although no rank of that process waits.
  bool is_to_be_rung(bool at_once) noexcept {
    // Pairs with those below: either what was written is seen behind them, or what they follow here.
    MASLIN_FENCE(std::memory_order_seq_cst);
    return is_asleep_.load(std::memory_order_relaxed) != 0 &&
           (at_once || waiting_.load(std::memory_order_relaxed) != 0) && lookers_.load(std::memory_order_relaxed) == 0;
  }
  void ring() noexcept { word_.fetch_add(1, std::memory_order_release); }

  // The thread that reads when nobody else does. It takes the word, reads, lies down, looks once more, and sleeps until
  // the word is another.

  MASLIN_ATOMIC<std::uint32_t>& word() noexcept { return word_; }
  void lie_down() noexcept {
    is_asleep_.store(1, std::memory_order_relaxed);
    MASLIN_FENCE(std::memory_order_seq_cst);
  }
  void get_up() noexcept { is_asleep_.store(0, std::memory_order_relaxed); }

  // A rank that reads again and again until what it waits for is there: it looks once more behind `end_look`.

  void begin_look() noexcept { lookers_.fetch_add(1, std::memory_order_relaxed); }
  void end_look() noexcept {
    lookers_.fetch_sub(1, std::memory_order_relaxed);
    MASLIN_FENCE(std::memory_order_seq_cst);
  }

  // A rank that waits and does not read meanwhile, or has ended: it looks once more behind `begin_wait`. Who neither
  // waits nor has ended reads before it does.

  void begin_wait() noexcept {
    waiting_.fetch_add(1, std::memory_order_relaxed);
    MASLIN_FENCE(std::memory_order_seq_cst);
  }
  void end_wait() noexcept { waiting_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  MASLIN_ATOMIC<std::uint32_t> word_{0};  ///< a futex
  MASLIN_ATOMIC<std::uint32_t> is_asleep_{0};
  MASLIN_ATOMIC<std::uint32_t> waiting_{0};
  alignas(64) MASLIN_ATOMIC<std::uint32_t> lookers_{0};
};

}  // namespace maslin::comm
