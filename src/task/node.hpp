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
#include "task/in_place_members.hpp"
#include "task/scope.hpp"

namespace maslin {

namespace detail {

/// The part of a task in front of its access records and its callable. It lives from `submit_task` until the task is
/// done (its body has returned and so are all its descendants) and no datum of the graph names it any more.
struct task_node {
  /// `blockers` before the creator has counted them all: more than there can be.
  static constexpr std::int32_t not_counted = 1 << 30;
  static constexpr std::size_t granule = 16;

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
        children(*this) {}

  access_record* records() { return reinterpret_cast<access_record*>(this + 1); }
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
  bool is_recorded : 1 = false;                ///< `followers` is what graph/recording.hpp says
  MASLIN_ATOMIC<bool> cancelled{false};        ///< what it would read is void; later: what it wrote is
  std::int32_t named = 0;                      ///< data that name it; the creator's alone
  MASLIN_ATOMIC<std::int32_t> blockers{0};     ///< edges into it whose sources are not done
  MASLIN_ATOMIC<std::uintptr_t> followers{0};  ///< edges out of it, with flags

  scope children;
};

/// Gives room for a task_node, its records and a callable behind them; throws std::bad_alloc, and `error` for a
/// callable of more than a mebibyte.
task_storage new_task_storage(std::size_t bytes, std::size_t alignment, std::size_t accesses);

}  // namespace detail

/// The executor's part of a group.
struct group::state {
  state(void* of_stream, const void* by) : members(nullptr), stream(of_stream), creator(by) {}

  /// Names the calling code's fiber, or its thread where it runs on none: what is one at a time.
  static const void* caller(const detail::thread_state& on) noexcept {
    return on.forks->has_room() ? static_cast<const void*>(on.forks) : &on;
  }

  /// Counts a member that `who`, the caller, creates; gives its place in program order.
  std::uint64_t enter(const void* who) noexcept {
    if (creator == who) return members.enter() + in_place.begun() + others.load(std::memory_order_relaxed);
    const std::uint64_t place = members.created() + in_place.begun() + others.fetch_add(1, std::memory_order_relaxed);
    members.enter_beside();
    return place;
  }
  /// Counts a member that the caller creates and runs before it goes on, as `end` is told then.
  std::uint64_t begin(const void* who, bool& is_in_place) noexcept {
    is_in_place = creator == who;
    if (!is_in_place) return enter(who);
    return in_place.begin() + members.created() + others.load(std::memory_order_relaxed);
  }
  void end(bool is_in_place) noexcept {
    if (is_in_place)
      in_place.end(in_place_waits::all);
    else
      members.leave();
  }

  bool has_members() const noexcept {
    return members.created() + in_place.begun() + others.load(std::memory_order_relaxed) > 0;
  }
  /// Has the creator run all members itself, and did none throw? Nothing is left of them then that a wait looks for.
  bool ended_in_place() const noexcept {
    return members.created() == 0 && others.load(std::memory_order_relaxed) == 0 && in_place.are_over() &&
           !members.has_errors();
  }
  /// Are all done of whose creation the caller knows?
  bool is_quiet() const noexcept { return in_place.are_over() && members.quiet(); }

  scope members;              ///< those that are handed over, or created by others
  in_place_members in_place;  ///< those that the creator runs itself
  /// Its tasks', whoever creates them: that of a stream which creates some may end before them. It is the stream of
  /// the code that declared it as a local variable, which is gone, and has waited, when that code ends. Any other group
  /// may outlive the stream in which it was made, so it has none: its tasks' off-loads are nobody's in the sizing of
  /// phases.
  void* stream;
  const void* creator;                   ///< who made it, whose code counts its members without a locked instruction
  std::atomic<std::uint64_t> others{0};  ///< members that others have created
};

}  // namespace maslin
