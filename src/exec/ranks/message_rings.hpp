#pragma once
// The rings through which ranks that have a worker each send small messages. README.md states the protocol.

#include <array>
#include <cstddef>
#include <memory>
#include <new>

#include "base/atomic.hpp"
#include "base/fence.hpp"
#include "comm/message_ring.hpp"

namespace maslin {

/// A ring for each ordered pair of ranks, made when the first of the two sends to the other.
class message_rings {
 public:
  static constexpr std::size_t most_ranks = 8;

  explicit message_rings(std::size_t ranks) : size_(ranks), of_(std::make_unique<receiver[]>(ranks)) {}
  ~message_rings() {
    for (std::size_t i = 0; i < size_; ++i)
      for (const auto& one : of_[i].from) delete one.load(std::memory_order_relaxed);
  }
  message_rings(const message_rings&) = delete;
  message_rings& operator=(const message_rings&) = delete;

  // The sender's.

  enum class put : std::uint8_t { done, is_asleep, refused };
  /// Puts a message into the ring from one rank to another. `is_asleep`: it is there, and its receiver sleeps, or is
  /// about to. `refused`: it goes another way.
  put send(int from, int to, const comm::envelope& said, const detail::elements& data) noexcept {
    receiver& its = at(to);
    if (its.is_asleep.load(std::memory_order_relaxed) || its.is_full.load(std::memory_order_relaxed))
      return put::refused;
    comm::message_ring* const ring = contact(its, from);
    if (!ring || !ring->put(said, data)) return put::refused;
    MASLIN_FENCE(std::memory_order_seq_cst);  // pairs with that of `lie_down`
    return its.is_asleep.load(std::memory_order_relaxed) ? put::is_asleep : put::done;
  }
  /// The ring from one rank to another, for the first of these; null where there is none.
  comm::message_ring* between(int from, int to) noexcept {
    return at(to).from[static_cast<std::size_t>(from)].load(std::memory_order_relaxed);
  }

  // The receiver's.

  /// Whether a message lies in one of its rings.
  bool has_some(int rank) const noexcept {
    const receiver& mine = at(rank);
    for (std::size_t i = 0; i < size_; ++i) {
      const comm::message_ring* const one = mine.from[i].load(std::memory_order_acquire);
      if (one && one->has_some()) return true;
    }
    return false;
  }
  /// Gives the ring from that rank; null where there is none. Acquire, pairs with `contact`.
  comm::message_ring* read_from(int from, int rank) noexcept {
    return at(rank).from[static_cast<std::size_t>(from)].load(std::memory_order_acquire);
  }
  /// Calls `some(ring, from)` for its rings while that gives true: from that sender's ring on, and around.
  template <class Some>
  bool each_of(int rank, std::size_t first, Some&& some) {
    for (std::size_t i = 0, from = first; i < size_; ++i, ++from) {
      if (from >= size_) from -= size_;
      const auto its = static_cast<int>(from);
      if (comm::message_ring* const one = read_from(its, rank))
        if (!some(*one, its)) return false;
    }
    return true;
  }
  /// It is going to sleep: it takes what is there behind that.
  void lie_down(int rank) noexcept {
    at(rank).is_asleep.store(true, std::memory_order_relaxed);
    MASLIN_FENCE(std::memory_order_seq_cst);
  }
  void get_up(int rank) noexcept { at(rank).is_asleep.store(false, std::memory_order_relaxed); }
  /// Its mailbox keeps as many messages as it may, or not.
  void set_full(int rank, bool is) noexcept {
    if (at(rank).is_full.load(std::memory_order_relaxed) != is) at(rank).is_full.store(is, std::memory_order_relaxed);
  }

 private:
  /// What changes seldom: senders keep it in their caches.
  struct alignas(128) receiver {
    std::array<MASLIN_ATOMIC<comm::message_ring*>, most_ranks> from{};
    MASLIN_ATOMIC<bool> is_asleep{false};
    MASLIN_ATOMIC<bool> is_full{false};
  };
  receiver& at(int rank) noexcept { return of_[static_cast<std::size_t>(rank)]; }
  const receiver& at(int rank) const noexcept { return of_[static_cast<std::size_t>(rank)]; }

  /// Gives the ring from that rank, which is the caller's; null where there is no memory.
  static comm::message_ring* contact(receiver& its, int from) noexcept {
    MASLIN_ATOMIC<comm::message_ring*>& place = its.from[static_cast<std::size_t>(from)];
    comm::message_ring* ring = place.load(std::memory_order_relaxed);
    if (ring) [[likely]]
      return ring;
    ring = new (std::nothrow) comm::message_ring;
    place.store(ring, std::memory_order_release);
    return ring;
  }
  const std::size_t size_;
  const std::unique_ptr<receiver[]> of_;
};

}  // namespace maslin
