#pragma once
// A communicator, as all its ranks see it, and the calls that they make together.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <forward_list>
#include <memory>
#include <utility>
#include <vector>

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "maslin/location.hpp"
#include "maslin/request.hpp"

namespace maslin {

struct rank_meeting;

/// A rank that has come to a call of all. It is the rank's, and stays until the call is over or it was taken back.
struct rank_arrival {
  enum class state : std::uint8_t { come, shared, over };

  rank_arrival(joint_call& mine, location place) : brings(&mine), where(place) {}

  joint_call* const brings;
  const location where;
  bool is_of_library = false;  ///< what it brings is a call of ms::communicator itself
  bool is_given_up = false;    ///< the last one could not carry it out
  bool has_parts = false;      ///< the ranks share the work
  bool is_awaited = false;     ///< under its rank's lock: the rank may sleep for it
  std::exception_ptr problem;  ///< to be thrown in its rank
  rank_meeting* at = nullptr;

  /// Release, and acquire above: its rank looks without a lock, and takes it away when it is over. Set under its rank's
  /// lock, since the rank may be about to sleep.
  void set(state to) noexcept { is_.store(to, std::memory_order_release); }
  state is() const noexcept { return is_.load(std::memory_order_acquire); }

 private:
  MASLIN_ATOMIC<state> is_{state::come};
};

/// One call of all ranks: who has come, and whose parts are done. It is used again for later calls.
struct rank_meeting {
  explicit rank_meeting(std::size_t ranks)
      : arrivals(ranks), calls(ranks), is_claimed(std::make_unique<MASLIN_ATOMIC<bool>[]>(ranks)) {}

  // Under the group's lock until all have come; then they stay as they are.
  int arrived = 0;
  rank_meeting* next = nullptr;  ///< the call behind this one; made when the first rank comes to this
  std::vector<rank_arrival*> arrivals;
  std::vector<joint_call*> calls;  ///< what these bring

  // The parts, if there are some. Who sets `is_claimed` does that part.
  std::unique_ptr<MASLIN_ATOMIC<bool>[]> is_claimed;
  MASLIN_ATOMIC<std::size_t> next_part{0};   ///< for those who do others' parts
  MASLIN_ATOMIC<std::size_t> parts_left{0};  ///< that are not done
  MASLIN_ATOMIC<std::size_t> users{0};       ///< ranks that may look at the parts
};

struct rank_group {
  rank_group(std::uint32_t its_number, std::vector<int> its_ranks)
      : number(its_number),
        ranks(std::move(its_ranks)),
        comes_to(ranks.size(), &meetings.emplace_front(ranks.size())) {}

  const std::uint32_t number;
  const std::vector<int> ranks;  ///< its i-th rank is that one of the world

  base::short_lock lock;
  std::forward_list<rank_meeting> meetings MASLIN_GUARDED_BY(lock);
  std::vector<rank_meeting*> comes_to MASLIN_GUARDED_BY(lock);  ///< each rank's next
  rank_meeting* unused MASLIN_GUARDED_BY(lock) = nullptr;

  int size() const noexcept { return static_cast<int>(ranks.size()); }
  /// That rank comes to its next call; gives whether it is the last.
  bool come(int rank, rank_arrival& mine) {
    const base::locked held(lock);
    const auto i = static_cast<std::size_t>(rank);
    rank_meeting& at = *comes_to[i];
    if (!at.next) at.next = make_meeting();
    comes_to[i] = at.next;
    at.arrivals[i] = &mine;
    at.calls[i] = mine.brings;
    mine.at = &at;
    return ++at.arrived == size();
  }
  /// It does not come after all; false where all have come already.
  bool take_back(int rank, const rank_arrival& mine) {
    const base::locked held(lock);
    // Once it is over the meeting may be another call's; before, `give_back` has not been called.
    if (mine.is() != rank_arrival::state::come || mine.at->arrived == size()) return false;
    mine.at->arrivals[static_cast<std::size_t>(rank)] = nullptr;
    --mine.at->arrived;
    return true;
  }
  /// Nobody looks at the meeting any more.
  void give_back(rank_meeting& at) {
    const base::locked held(lock);
    at.arrived = 0;
    at.next = unused;
    unused = &at;
  }

 private:
  rank_meeting* make_meeting() MASLIN_REQUIRES(lock) {
    if (!unused) return &meetings.emplace_front(ranks.size());
    rank_meeting* const made = unused;
    unused = std::exchange(made->next, nullptr);
    return made;
  }
};

}  // namespace maslin
