#pragma once
// A task as the graph and the executors see it.

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/atomic.hpp"
#include "maslin/float_mode.hpp"
#include "maslin/location.hpp"
#include "maslin/task.hpp"
#include "task/context.hpp"
#include "task/scope.hpp"

namespace maslin {

namespace detail {

/// The part of a task in front of its access records and its callable. It lives from `submit_task` until the task is
/// done (its body has returned and so are all its descendants) and no datum of the graph names it any more.
struct task_node {
  /// `blockers` before the creator has counted them all: more than there can be.
  static constexpr std::int32_t not_counted = 1 << 30;
  static constexpr std::size_t granule = 16;
  static constexpr std::size_t birth_bytes = sizeof(std::uint64_t);

  task_node(scope& member_of, void* of_stream, const task_storage& storage, const task_description& what)
      : task_node(member_of, member_of.enter(), of_stream, storage, what) {}
  /// `at`: its place, at which it is counted already.
  task_node(scope& member_of, std::uint64_t at, void* of_stream, const task_storage& storage,
            const task_description& what)
      : run(what.run),
        callable(storage.callable),
        in(&member_of),
        place(at),
        stream(of_stream),
        where(what.where),
        granules(static_cast<std::uint16_t>(storage.bytes / granule)),
        accesses(static_cast<std::uint16_t>(what.access_count)),
        priority(static_cast<std::int16_t>(std::clamp(what.priority, -32768, 32767))),
        has_birth((storage.bytes & birth_bytes) != 0),
        children(*this) {}

  access_record* records() { return reinterpret_cast<access_record*>(this + 1); }
  /// When it was created, by the clock of local stores (graph/store_clock.hpp): the last bytes of the block. Only where
  /// it `has_birth`, because there were local stores when the block was taken.
  std::uint64_t& birth() {
    return *reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(this) + granules * granule -
                                             sizeof(std::uint64_t));
  }
  bool failed() const noexcept { return cancelled.load(std::memory_order_acquire); }

  task_function run;
  void* callable;
  scope* in;            ///< whose member it is
  std::uint64_t place;  ///< in that scope, in program order; of a cancelled `is_internal`, the scope that it failed for
  void* stream;         ///< the executor's record of the stream whose task it is
  [[no_unique_address]] location where;  ///< its last bytes hold what follows
  float_mode mode;                       ///< of its creator, under which it runs
  std::uint16_t granules;                ///< size of the whole block
  std::uint16_t accesses;                ///< records behind the node

  // The graph's (src/graph/README.md).
  std::int16_t priority;
  bool takes_turns : 1 = false;                ///< may have data with turns
  bool is_internal : 1 = false;                ///< the graph's own (graph/home.cpp)
  bool is_timed : 1 = false;                   ///< the executor wants to know how long its body takes
  bool has_birth : 1;                          ///< the block has room for `birth`; somebody hears of its creation
  bool is_recorded : 1 = false;                ///< `followers` is what graph/recording.hpp says
  std::uint8_t none : 3 = 0;                   ///< so that all eight are written at once
  MASLIN_ATOMIC<bool> cancelled{false};        ///< what it would read is void; later: what it wrote is
  std::int32_t named = 0;                      ///< data that name it; the creator's alone
  MASLIN_ATOMIC<std::int32_t> blockers{0};     ///< edges into it whose sources are not done
  MASLIN_ATOMIC<std::uintptr_t> followers{0};  ///< edges out of it, with flags

  scope children;
};

/// From now on blocks have room for `birth`, or have none. Their storage says so: its size is by that more than whole
/// granules.
void set_room_for_birth(bool on) noexcept;

/// Gives room for a task_node, its records and a callable behind them; throws std::bad_alloc, and `error` for a
/// callable of more than a mebibyte.
task_storage new_task_storage(std::size_t bytes, std::size_t alignment, std::size_t accesses);

}  // namespace detail

/// The executor's part of a group, made when there is a member that its creator does not run itself, or when somebody
/// wants to know more than the group can tell.
struct group::state {
  scope members{nullptr};                ///< those that are handed over, or created by others
  std::atomic<std::uint64_t> others{0};  ///< members that others than the group's creator have created

  static const state* known(const group& of) noexcept { return of.known(); }
  /// How many are known of beside those that the creator runs itself?
  static std::uint64_t created(const group& of) noexcept {
    const state* const known = of.known();
    return known ? known->members.created() + known->others.load(std::memory_order_relaxed) : 0;
  }
  static void* stream(const group& of) noexcept { return of.stream_; }
  static bool dismissed(const group& of) noexcept {
    const state* const known = of.known();
    return known && known->members.dismissed();
  }
  static bool has_errors(const group& of) noexcept {
    const state* const known = of.known();
    return known && known->members.has_errors();
  }

  /// Counts a member that the caller creates; gives its place in program order.
  static std::uint64_t enter(group& of, const detail::thread_state& on) noexcept {
    state& all = of.get();
    const std::uint64_t begun = of.in_place_.begun();
    if (of.creator_ == caller(on)) return all.members.enter() + begun + all.others.load(std::memory_order_relaxed);
    const std::uint64_t place = all.members.created() + begun + all.others.fetch_add(1, std::memory_order_relaxed);
    all.members.enter_beside();
    return place;
  }
  /// Counts a member that the caller creates and runs before it goes on, as `end` is told then.
  static std::uint64_t begin(group& of, const detail::thread_state& on, bool& is_in_place) noexcept {
    is_in_place = of.creator_ == caller(on);
    if (!is_in_place) return enter(of, on);
    return of.in_place_.begin() + created(of);
  }
  static void end(group& of, bool is_in_place) noexcept {
    if (is_in_place)
      of.in_place_.end(detail::in_place_awaited, detail::wake_in_place);
    else
      of.get().members.leave();
  }

  static detail::in_place_members_of<std::atomic>& in_place(group& of) noexcept { return of.in_place_; }
  static bool has_members(const group& of) noexcept { return of.in_place_.begun() + created(of) > 0; }
  /// Has the creator run all members itself, and did none throw? Nothing is left of them then that a wait looks for. In
  /// this order: what the members have made is visible once they are over.
  static bool ended_in_place(const group& of) noexcept {
    return of.in_place_.are_over() && created(of) == 0 && !has_errors(of);
  }
  /// Are all done of whose creation the caller knows?
  static bool is_quiet(const group& of) noexcept {
    if (!of.in_place_.are_over()) return false;
    const state* const known = of.known();
    return !known || known->members.quiet();
  }
};

/// Around a fork its thread holds the lock under which these are made.
void groups_around_fork(bool begins) noexcept;
/// In a forked child: who waits for their members is its parent's.
void forget_waits_in_place_after_fork() noexcept;

}  // namespace maslin
