#pragma once
// Where ranks that have a worker each say what they bring to a call of all, if that is little. README.md states the
// protocol.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

#include "base/atomic.hpp"
#include "base/fence.hpp"
#include "comm/processes.hpp"

namespace maslin {

/// A group's calls of all have numbers here, from 1, in each rank's order. Of a brief one each rank writes what it
/// brings into memory of its own, and reads what the others have written.
class call_slots {
 public:
  static constexpr std::size_t most_ranks = 8;
  /// That a rank gives. What is at most 40 lies in the cache line that says so.
  static constexpr std::size_t most_bytes = brief_call::most_bytes;
  /// What the others bring, as far as a rank has seen it.
  enum class others : std::uint8_t { missing, agree, differ };

  explicit call_slots(std::size_t ranks) : size_(ranks), of_(std::make_unique<rank_slots[]>(ranks)) {}

  /// May the rank's next call be brief? Not if it is ahead: it has started calls, and others may read what it brought
  /// to the one before.
  bool may_be_brief(int rank) const noexcept { return !at(rank).is_ahead; }
  /// The rank comes to its next call, which is brief; gives its number.
  std::uint64_t come(int rank, std::uint64_t kind, std::span<const std::byte> gives) noexcept {
    rank_slots& mine = at(rank);
    const std::uint64_t number = ++mine.calls;
    slot& its = mine.brief[number % 2];
    its.kind = kind;
    its.bytes = gives.size();
    if (!gives.empty()) std::memcpy(its.given.data(), gives.data(), gives.size());
    its.number.store(number, std::memory_order_release);
    MASLIN_FENCE(std::memory_order_seq_cst);  // pairs with that of `lie_down`, and with the others' here
    return number;
  }
  /// It comes to its next call, which is another.
  void come_otherwise(int rank, bool is_started) noexcept {
    rank_slots& mine = at(rank);
    mine.is_ahead = is_started;
    mine.otherwise.store(++mine.calls, std::memory_order_release);
    MASLIN_FENCE(std::memory_order_seq_cst);
  }
  /// What have the others brought to that call of the rank's? If all agree, so they do for each rank.
  others look(int rank, std::uint64_t number) const noexcept {
    const std::uint64_t kind = at(rank).brief[number % 2].kind;
    bool have_all = true;
    for (int i = 0; i < static_cast<int>(size_); ++i) {
      if (i == rank) continue;
      const slot& its = at(i).brief[number % 2];
      // In this order: a rank whose call was brief has said so before it comes to another.
      const std::uint64_t otherwise = at(i).otherwise.load(std::memory_order_acquire);
      if (its.number.load(std::memory_order_acquire) == number) {
        if (its.kind != kind) return others::differ;
      } else if (otherwise >= number) {
        return others::differ;
      } else {
        have_all = false;
      }
    }
    return have_all ? others::agree : others::missing;
  }
  /// What that rank gives in a brief call on which all agree. It stays until the caller comes to its next call.
  std::span<const std::byte> given(int rank, std::uint64_t number) const noexcept {
    const slot& its = at(rank).brief[number % 2];
    return {its.given.data(), its.bytes};
  }

  /// The rank is going to sleep: it looks once more behind that.
  void lie_down(int rank) noexcept {
    at(rank).is_asleep.store(true, std::memory_order_relaxed);
    MASLIN_FENCE(std::memory_order_seq_cst);
  }
  void get_up(int rank) noexcept { at(rank).is_asleep.store(false, std::memory_order_relaxed); }
  /// Calls `wake` for the others that have lain down. Who comes does so, unless some are missing.
  template <class Wake>
  void rouse(int rank, Wake&& wake) {
    for (int i = 0; i < static_cast<int>(size_); ++i)
      if (i != rank && at(i).is_asleep.load(std::memory_order_relaxed)) wake(i);
  }

 private:
  /// For every other call.
  struct alignas(128) slot {
    MASLIN_ATOMIC<std::uint64_t> number{0};
    std::uint64_t kind = 0;
    std::size_t bytes = 0;
    std::array<std::byte, most_bytes> given;
  };
  struct rank_slots {
    slot brief[2];
    // What changes seldom: others keep it in their caches.
    alignas(64) MASLIN_ATOMIC<std::uint64_t> otherwise{0};  ///< the latest call that was not brief
    MASLIN_ATOMIC<bool> is_asleep{false};
    // The rank's own.
    alignas(64) std::uint64_t calls = 0;
    bool is_ahead = false;
  };
  rank_slots& at(int rank) noexcept { return of_[static_cast<std::size_t>(rank)]; }
  const rank_slots& at(int rank) const noexcept { return of_[static_cast<std::size_t>(rank)]; }

  const std::size_t size_;
  const std::unique_ptr<rank_slots[]> of_;
};

}  // namespace maslin
