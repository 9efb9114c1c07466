#pragma once
// Where a few ranks say what they bring to a call of all, if that is little. README.md states the protocol.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "base/atomic.hpp"
#include "base/fence.hpp"
#include "comm/between_processes.hpp"
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

  class in_shared_memory;

  explicit call_slots(std::size_t ranks) : size_(ranks), own_(std::make_unique<of_rank[]>(ranks)) {
    for (std::size_t i = 0; i < ranks; ++i) of_[i] = &own_[i];
  }
  /// Of these ranks of the world.
  call_slots(in_shared_memory& in, const std::vector<int>& ranks);

  /// May the rank's next call be brief? Not if it is ahead: it has started calls, and others may read what it brought
  /// to the one before.
  bool may_be_brief(int rank) const noexcept { return !of(rank).is_ahead; }
  /// Gives the number of the rank's latest call. It sleeps, or asks.
  std::uint64_t calls(int rank) const noexcept { return of(rank).calls; }
  /// The rank comes to its next call, which is brief; gives its number.
  std::uint64_t come(int rank, std::uint64_t kind, std::span<const std::byte> gives) noexcept {
    of_rank& mine = of(rank);
    const std::uint64_t number = ++mine.calls;
    slot& its = mine.brief[number % 2];
    its.kind = kind;
    its.bytes = gives.size();
    if (!gives.empty()) std::memcpy(its.given.data(), gives.data(), gives.size());
    comm::tells_process(by_);
    its.number.store(number, std::memory_order_release);
    MASLIN_FENCE(std::memory_order_seq_cst);  // pairs with that of `lie_down`, and with the others' here
    return number;
  }
  /// It comes to its next call, which is another.
  void come_otherwise(int rank, bool is_started) noexcept {
    of_rank& mine = of(rank);
    mine.is_ahead = is_started;
    comm::tells_process(by_);
    mine.otherwise.store(++mine.calls, std::memory_order_release);
    MASLIN_FENCE(std::memory_order_seq_cst);
  }
  /// What have the others brought to that call of the rank's? If all agree, so they do for each rank.
  others look(int rank, std::uint64_t number) const noexcept {
    const std::uint64_t kind = of(rank).brief[number % 2].kind;
    bool have_all = true;
    for (int i = 0; i < static_cast<int>(size_); ++i) {
      if (i == rank) continue;
      const slot& its = of(i).brief[number % 2];
      // In this order: a rank whose call was brief has said so before it comes to another.
      const std::uint64_t otherwise = of(i).otherwise.load(std::memory_order_acquire);
      if (its.number.load(std::memory_order_acquire) == number) {
        if (its.kind != kind) return others::differ;
      } else if (otherwise >= number) {
        return others::differ;
      } else {
        have_all = false;
      }
    }
    if (have_all) comm::hears_process(by_);
    return have_all ? others::agree : others::missing;
  }
  /// In some calls a rank that has come uses the memory of others, once all agree. It says so by `true`, and who does
  /// not wait longer since the world has failed by `false`: gives what the first of them has said.
  bool decide(std::uint64_t number, bool goes_on) noexcept {
    MASLIN_ATOMIC<std::uint64_t>& word = of(0).decided;
    std::uint64_t said = word.load(std::memory_order_relaxed);
    const std::uint64_t mine = number << 1 | (goes_on ? 1 : 0);
    while (said >> 1 < number)
      if (word.compare_exchange_weak(said, mine, std::memory_order_relaxed)) return goes_on;
    return said == (number << 1 | 1);  // who is at a later call has given this one up
  }
  /// What that rank gives in a brief call on which all agree. It stays until the caller comes to its next call.
  std::span<const std::byte> given(int rank, std::uint64_t number) const noexcept {
    const slot& its = of(rank).brief[number % 2];
    return {its.given.data(), its.bytes};
  }

  /// The rank is going to sleep: it looks once more behind that.
  void lie_down(int rank) noexcept {
    of(rank).is_asleep.store(true, std::memory_order_relaxed);
    MASLIN_FENCE(std::memory_order_seq_cst);
  }
  void get_up(int rank) noexcept { of(rank).is_asleep.store(false, std::memory_order_relaxed); }
  /// Calls `wake` for the others that have lain down. Who comes does so, unless some are missing.
  template <class Wake>
  void rouse(int rank, Wake&& wake) {
    for (int i = 0; i < static_cast<int>(size_); ++i)
      if (i != rank && of(i).is_asleep.load(std::memory_order_relaxed)) wake(i);
  }

 private:
  /// For every other call.
  struct alignas(128) slot {
    MASLIN_ATOMIC<std::uint64_t> number{0};
    std::uint64_t kind = 0;
    std::size_t bytes = 0;
    std::array<std::byte, most_bytes> given;
  };
  struct of_rank {
    slot brief[2];
    // What changes seldom: others keep it in their caches.
    alignas(64) MASLIN_ATOMIC<std::uint64_t> otherwise{0};  ///< the latest call that was not brief
    MASLIN_ATOMIC<bool> is_asleep{false};
    MASLIN_ATOMIC<std::uint64_t> decided{0};  ///< of the first rank: a call's number, and whether it goes on
    // The rank's own.
    alignas(64) std::uint64_t calls = 0;
    bool is_ahead = false;
  };
  of_rank& of(int rank) noexcept { return *of_[static_cast<std::size_t>(rank)]; }
  const of_rank& of(int rank) const noexcept { return *of_[static_cast<std::size_t>(rank)]; }

  const std::size_t size_;
  const std::unique_ptr<of_rank[]> own_;
  std::array<of_rank*, most_ranks> of_{};
  void* const by_ = this;  ///< how other processes are told, if there are some
};

/// Slots of the ranks of a world in several processes: a group has some of them, or several groups that have no rank in
/// common. All zeros: no group has them. Who claims them says how many ranks will have a communicator there, and each
/// of these leaves.
class call_slots::in_shared_memory {
 public:
  /// Gives whether they are the caller's now, as they were in the beginning.
  bool claim(int ranks) noexcept {
    int nobody = 0;
    if (members_.load(std::memory_order_relaxed) != nobody) return false;
    // Acquire, pairs with `leave`: nobody uses them any more.
    if (!members_.compare_exchange_strong(nobody, ranks, std::memory_order_acquire, std::memory_order_relaxed))
      return false;
    for (of_rank& one : of_) {
      for (slot& its : one.brief) its.number.store(0, std::memory_order_relaxed);
      one.otherwise.store(0, std::memory_order_relaxed);
      one.decided.store(0, std::memory_order_relaxed);
      one.calls = 0;
      one.is_ahead = false;
    }
    return true;
  }
  void leave(int ranks) noexcept { members_.fetch_sub(ranks, std::memory_order_release); }

 private:
  friend call_slots;
  MASLIN_ATOMIC<int> members_{0};
  of_rank of_[most_ranks];
};

inline call_slots::call_slots(in_shared_memory& in, const std::vector<int>& ranks) : size_(ranks.size()), by_(&in) {
  std::transform(ranks.begin(), ranks.end(), of_.begin(), [&](int rank) { return &in.of_[rank]; });
}

}  // namespace maslin
