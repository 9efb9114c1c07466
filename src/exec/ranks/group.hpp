#pragma once
// A communicator, as all its ranks see it, and the calls that they make together.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <forward_list>
#include <memory>
#include <typeinfo>
#include <utility>
#include <vector>

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "comm/processes.hpp"
#include "exec/ranks/call_slots.hpp"
#include "maslin/location.hpp"
#include "maslin/request.hpp"

namespace maslin {

struct rank_meeting;

/// What the ranks of a process give in a brief call.
struct rank_brief {
  int process;
  std::uint64_t kind;
  std::size_t bytes;
  std::byte data[brief_call::most_bytes];
};

/// A rank that has come to a call of all. It is the rank's, and stays until the call is over or it was taken back.
struct rank_arrival {
  enum class state : std::uint8_t { come, shared, over };

  rank_arrival(joint_call& mine, location place) : brings(&mine), where(place) {}

  joint_call* const brings;
  const location where;
  const char* is_called = nullptr;  ///< the type of what a rank of another process brings
  bool is_of_library = false;       ///< what it brings is a call of ms::communicator itself
  bool is_given_up = false;         ///< the last one could not carry it out
  bool has_parts = false;           ///< the ranks share the work
  bool is_awaited = false;          ///< under its rank's lock: the rank may sleep for it
  std::exception_ptr problem;       ///< to be thrown in its rank
  rank_meeting* at = nullptr;
  std::uint64_t number = 0;  ///< of that call

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
  std::uint64_t number = 0;      ///< the group's first call has 1
  std::vector<rank_arrival*> arrivals;
  std::vector<joint_call*> calls;  ///< what these bring

  // Where other processes have some of the ranks: what came from them, and stands in for their ranks.
  /// The call's number, once all packages have come and until a rank calls `meet`.
  MASLIN_ATOMIC<std::uint64_t> ready{0};
  /// The call's number, if calls are brief, but not all of one kind, until a rank of this process sends its package.
  MASLIN_ATOMIC<std::uint64_t> needs_package{0};
  MASLIN_ATOMIC<bool> is_open{false};     ///< this process has sent its own, and some have not come
  MASLIN_ATOMIC<bool> is_cut_off{false};  ///< the world has failed: no rank meets, and it is not used again
  bool is_brief = false;                  ///< nothing came but these, one of each other process
  std::vector<rank_brief> briefs;
  std::vector<std::byte> given;  ///< by the ranks of all processes, in their order
  std::vector<std::vector<std::byte>> packages;
  std::vector<std::unique_ptr<joint_call>> stand_ins;
  std::deque<rank_arrival> others;

  // The parts, if there are some. Who sets `is_claimed` does that part.
  std::unique_ptr<MASLIN_ATOMIC<bool>[]> is_claimed;
  MASLIN_ATOMIC<std::size_t> next_part{0};   ///< for those who do others' parts
  MASLIN_ATOMIC<std::size_t> parts_left{0};  ///< that are not done
  MASLIN_ATOMIC<std::size_t> users{0};       ///< ranks that may look at the parts
};

/// What all processes know a group by.
struct group_name {
  std::uint32_t number = 0;
  /// Which slots that the processes share are claimed for it; 0: none are.
  std::uint32_t shared_slots = 0;
};

struct rank_group {
  /// `claimed`: its ranks leave these slots.
  rank_group(std::uint32_t its_number, std::vector<int> its_ranks, std::vector<int> others,
             std::shared_ptr<const std::vector<int>> members_here, std::size_t most_there,
             std::unique_ptr<call_slots> its_slots, call_slots::in_shared_memory* claimed = nullptr)
      : number(its_number),
        ranks(std::move(its_ranks)),
        other_processes(std::move(others)),
        here(std::move(members_here)),
        places_here(places_of(ranks, here.get())),
        most_in_a_process(most_there),
        brief_types(std::make_unique<std::atomic<const std::type_info*>[]>(ranks.size())),
        slots(std::move(its_slots)),
        comes_to(ranks.size(), &meetings.emplace_front(ranks.size())),
        claimed_(claimed) {
    meetings.front().number = 1;
  }
  ~rank_group() {
    if (claimed_) claimed_->leave(joined_.load(std::memory_order_relaxed));
  }
  rank_group(const rank_group&) = delete;
  rank_group& operator=(const rank_group&) = delete;

  const std::uint32_t number;
  const std::vector<int> ranks;            ///< its i-th rank is that one of the world
  const std::vector<int> other_processes;  ///< that have some of them
  /// Those of the world's ranks that are in this process; null where all are.
  const std::shared_ptr<const std::vector<int>> here;
  const std::vector<int> places_here;   ///< their numbers in the group
  const std::size_t most_in_a_process;  ///< where there are several: so many ranks has the one that has most of them
  /// Each rank's type of brief calls, which is known then by its address: a rank has types of its own.
  const std::unique_ptr<std::atomic<const std::type_info*>[]> brief_types;
  /// Where its ranks say what they bring to brief calls; null where they meet under the lock alone.
  const std::unique_ptr<call_slots> slots;

  base::short_lock lock;
  std::forward_list<rank_meeting> meetings MASLIN_GUARDED_BY(lock);
  std::vector<rank_meeting*> comes_to MASLIN_GUARDED_BY(lock);  ///< each rank's next
  rank_meeting* unused MASLIN_GUARDED_BY(lock) = nullptr;
  std::uint64_t calls MASLIN_GUARDED_BY(lock) = 1;  ///< for which there have been meetings

  /// What that rank brings, as a brief call; null where it is of another kind.
  brief_call* as_brief(std::size_t rank, joint_call& brings) const {
    const std::type_info& type = typeid(brings);
    if (brief_types[rank].load(std::memory_order_relaxed) != &type) {
      if (!dynamic_cast<brief_call*>(&brings)) return nullptr;
      brief_types[rank].store(&type, std::memory_order_relaxed);
    }
    return static_cast<brief_call*>(&brings);
  }
  int size() const noexcept { return static_cast<int>(ranks.size()); }
  int size_here() const noexcept { return here ? static_cast<int>(here->size()) : size(); }
  /// A rank has a communicator of it now.
  void joins() noexcept { joined_.fetch_add(1, std::memory_order_relaxed); }
  /// That rank comes to its next call; gives whether it is the last of this process.
  bool come(int rank, rank_arrival& mine) {
    const base::locked held(lock);
    const auto i = static_cast<std::size_t>(rank);
    rank_meeting& at = *comes_to[i];
    if (!at.next) at.next = make_meeting();
    comes_to[i] = at.next;
    at.arrivals[i] = &mine;
    at.calls[i] = mine.brings;
    mine.at = &at;
    mine.number = at.number;
    return ++at.arrived == size_here();
  }
  /// Gives the number of the call to which that rank comes next.
  std::uint64_t next_call(int rank) {
    const base::locked held(lock);
    return comes_to[static_cast<std::size_t>(rank)]->number;
  }
  /// It does not come after all; false where all have come already, or all of this process.
  bool take_back(int rank, const rank_arrival& mine) {
    const base::locked held(lock);
    // Once it is over the meeting may be another call's; before, `give_back` has not been called.
    if (mine.is() != rank_arrival::state::come || mine.at->arrived == size_here()) return false;
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
  static std::vector<int> places_of(const std::vector<int>& ranks, const std::vector<int>* here) {
    std::vector<int> found;
    for (std::size_t i = 0; here && i < ranks.size(); ++i)
      if (std::find(here->begin(), here->end(), ranks[i]) != here->end()) found.push_back(static_cast<int>(i));
    return found;
  }
  rank_meeting* make_meeting() MASLIN_REQUIRES(lock) {
    rank_meeting* const made = unused ? unused : &meetings.emplace_front(ranks.size());
    unused = std::exchange(made->next, nullptr);
    made->number = ++calls;
    return made;
  }

  call_slots::in_shared_memory* const claimed_;
  std::atomic<int> joined_{0};  ///< so many ranks
};

}  // namespace maslin
