#pragma once
// How the workers of a team are told of a loop in which each has a part: under the baselines, and where it is dealt
// out.

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "base/prefetch.hpp"
#include "exec/core/loop_run.hpp"

namespace maslin {

/// One worker's part in a loop to which all of its team are invited. The loop is over only when every invitation was
/// answered or taken back.
struct invitation {
  loop_run* loop;
  int worker;  ///< its number in the team when the loop began
};

/// The invitations that one worker has not answered yet, the latest first. A list of loops, each of which keeps the
/// link behind it (`loop_run::behind`). A link is one word:
///
///   bits 63..6  the loop's address; 0: the list ends here
///   bit 0       last: nothing is behind it, and its own link was not written
///
/// Whoever invites changes the first link by a compare-and-swap. So does who takes a first one that is marked as the
/// last, the usual case: there is nothing to read in the loop, which may be over at any time. All else is done under
/// the lock, which keeps loops that are not marked, and those behind them, where they are.
class invitations {
 public:
  explicit invitations(int worker) : worker_(worker) {}

  /// Sequentially consistent (README, race 1).
  bool empty() const { return first_.load(std::memory_order_seq_cst) == 0; }
  /// The same, for the worker itself; asks for what it will need.
  bool any_to_take() const {
    const std::uintptr_t first = first_.load(std::memory_order_seq_cst);
    if (first == 0) return false;
    base::prefetch_to_write(&first_);
    loop_of(first)->prefetch();
    return true;
  }

  void add(loop_run& to) {
    std::uintptr_t before = first_.load(std::memory_order_relaxed);
    std::uintptr_t link;
    do {
      link = reinterpret_cast<std::uintptr_t>(&to) | (before == 0 ? last : 0);
      if (before != 0) behind(link) = before;
    } while (!first_.compare_exchange_weak(before, link, std::memory_order_seq_cst, std::memory_order_relaxed));
  }

  /// Takes the first.
  std::optional<invitation> take() {
    return take_by_address([](const loop_run*) { return true; });
  }
  /// Takes the one to that loop, if it is there.
  std::optional<invitation> take_back(const loop_run& from) {
    return take_by_address([&from](const loop_run* one) { return one == &from; });
  }
  /// Takes the first whose loop `suits`.
  template <class Predicate>
  std::optional<invitation> take_if(Predicate&& suits) {
    if (empty()) return std::nullopt;
    const base::locked held(lock_);
    return take_held([&suits](const loop_run* one) { return suits(*one); });
  }

 private:
  static constexpr std::uintptr_t last = 1;
  static_assert(alignof(loop_run) > last);

  static loop_run* loop_of(std::uintptr_t link) { return reinterpret_cast<loop_run*>(link & ~last); }
  std::uintptr_t& behind(std::uintptr_t link) const {
    loop_run& loop = *loop_of(link);
    return loop.behind[worker_ - loop.first];
  }
  std::optional<invitation> taken(std::uintptr_t link) const {
    loop_run* const loop = loop_of(link);
    return invitation{loop, worker_ - loop->first};
  }

  /// `suits` must not look into the loop.
  template <class Predicate>
  std::optional<invitation> take_by_address(Predicate&& suits) {
    // Acquire: what a loop says was written before it was added.
    std::uintptr_t first = first_.load(std::memory_order_acquire);
    while (first & last) {
      if (!suits(loop_of(first))) return std::nullopt;
      if (first_.compare_exchange_weak(first, 0, std::memory_order_seq_cst, std::memory_order_acquire))
        return taken(first);
    }
    if (first == 0) return std::nullopt;
    const base::locked held(lock_);
    return take_held(suits);
  }

  /// Gives the first link, which nobody else changes now but to add another.
  std::uintptr_t hold_first() MASLIN_REQUIRES(lock_) {
    std::uintptr_t first = first_.load(std::memory_order_acquire);
    while (first & last) {
      if (!first_.compare_exchange_weak(first, first & ~last, std::memory_order_seq_cst, std::memory_order_acquire))
        continue;
      first &= ~last;
      behind(first) = 0;
    }
    return first;
  }

  template <class Predicate>
  std::optional<invitation> take_held(Predicate&& suits) MASLIN_REQUIRES(lock_) {
    std::uintptr_t before = hold_first();
    while (before != 0 && suits(loop_of(before))) {
      std::uintptr_t first = before;
      if (first_.compare_exchange_strong(first, behind(first), std::memory_order_seq_cst, std::memory_order_acquire))
        return taken(before);
      before = hold_first();  // others were added before it
    }
    while (before != 0 && !(before & last)) {
      const std::uintptr_t one = behind(before);
      if (one != 0 && suits(loop_of(one))) {
        behind(before) = one & last ? 0 : behind(one);
        return taken(one);
      }
      before = one;
    }
    return std::nullopt;
  }

  const int worker_;
  base::short_lock lock_;
  MASLIN_ATOMIC<std::uintptr_t> first_{0};  ///< what is behind it changes under lock_
};

}  // namespace maslin
