#pragma once
// Groups of tasks, and how a call of `task` makes one.

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "maslin/api.hpp"
#include "maslin/float_mode.hpp"
#include "maslin/in_place.hpp"
#include "maslin/location.hpp"
#include "maslin/stored_call.hpp"
#include "maslin/task_description.hpp"

namespace maslin {

namespace detail {

/// Room for what is said of each access: on the stack where their number is known to the compiler.
template <class Each, std::size_t Accesses, bool HasLists>
struct room_for {
  explicit room_for(std::size_t) {}
  Each each[Accesses + 1];
};
template <class Each, std::size_t Accesses>
struct room_for<Each, Accesses, true> {
  explicit room_for(std::size_t count) : each(std::make_unique<Each[]>(count + 1)) {}
  std::unique_ptr<Each[]> each;
};

/// To make one neither fails nor calls anything, nor does its end. A pointer to a member could be one: but GCC 12,
/// which sees it called, warns of a virtual call that there is not.
template <class Stored>
constexpr bool is_plain = std::is_trivially_copyable_v<Stored> && !std::is_member_pointer_v<Stored>;
template <class F, class... Arguments>
inline constexpr bool is_plain<stored_call<F, Arguments...>> = (is_plain<F> && ... &&
                                                                std::is_trivially_copyable_v<kept<Arguments>>);

template <class A>
constexpr bool may_be_reduction = is_access_list<A>;
template <class T, class Operation>
inline constexpr bool may_be_reduction<reduction_access<T, Operation>> = true;

/// Makes a task of `Stored`, constructed from `from`.
template <class Stored, std::size_t Accesses, bool HasLists, class... From>
void spawn(const task_description& what, From&&... from) {
  constexpr bool begins_here = !HasLists && is_plain<Stored>;  // the callable is made when the task has begun
  std::conditional_t<begins_here, task_frame, int> frame;
  start how;
  if constexpr (begins_here) {
    how = start_task(what, &frame);
    if (how == start::begun) {
      Stored callable(std::forward<From>(from)...);
      room_for<access_record, Accesses, false> records(0);
      for (std::size_t i = 0; i < Accesses; ++i) {
        records.each[i].data = what.accesses[i].data;
        records.each[i].of = nullptr;
      }
      try {
        call_stored(callable, records.each);
      } catch (...) {
        return fail_at_once(frame);
      }
      return end_at_once(frame);
    }
  } else {
    how = start_task(what, nullptr);
  }
  if (how != start::handed_over) {
    Stored callable(std::forward<From>(from)...);
    room_for<access_record, Accesses, HasLists> records(what.access_count);
    return run_at_once(what, std::addressof(callable), &records.each[0], how == start::tiny_at_once);
  }
  const task_storage storage = allocate_task(sizeof(Stored), alignof(Stored), HasLists ? what.access_count : Accesses);
  try {
    ::new (storage.callable) Stored(std::forward<From>(from)...);
  } catch (...) {
    discard_task(storage);
    throw;
  }
  submit_task(storage, what);
}

/// The body of a task in `runs_kept` has needed a context, or, in a handler, has thrown.
MASLIN_API void end_kept(task_frame& frame, const task_description& what, bool has_thrown) noexcept;

/// Runs a new task of the group if its creator may without asking (src/task/README.md); gives whether it did. Otherwise
/// the callable is as it was.
template <class Body, class F>
[[gnu::always_inline]] inline bool runs_kept(F&& f, group& in, const location& where);

/// A task without arguments.
template <class F>
void spawn_plain(F&& f, group* in, location where) {
  using body = std::decay_t<F>;
  if constexpr (fits<body, passes<>>) {
    expect_body<body>(f, "task", where);
    if constexpr (is_plain<body>)
      if (in && runs_kept<body>(std::forward<F>(f), *in, where)) return;
    spawn<body, 0, false>({use_stored<body>, in, where, 0, nullptr, 0}, std::forward<F>(f));
  } else {
    task_body<body, typename parameters_of<body>::type, passes<>>();
  }
}

/// A task with arguments.
template <class F, class... Arguments>
void spawn_with(F&& f, group* in, Arguments&&... arguments) {
  using body = std::decay_t<F>;
  using passed = passed_to_body<std::decay_t<Arguments>...>;
  if constexpr (fits<body, passed>) {
    using stored = stored_call<body, std::decay_t<Arguments>...>;
    std::size_t count = stored::accesses;
    if constexpr (stored::has_lists) count += (std::size_t{0} + ... + length_of(arguments));
    room_for<declared, stored::accesses, stored::has_lists> accesses(count);
    declared* next = &accesses.each[0];
    const location where = place_of(arguments...);
    int rank = 0;
    (note(arguments, next, rank), ...);
    expect_body<body>(f, "task", where);
    constexpr bool may_reduce = (false || ... || may_be_reduction<std::decay_t<Arguments>>);
    spawn<stored, stored::accesses, stored::has_lists>(
        {use_stored<stored>, in, where, rank, &accesses.each[0], count, may_reduce}, std::forward<F>(f),
        std::forward<Arguments>(arguments)...);
  } else {
    task_body<body, typename parameters_of<body>::type, passed>();
  }
}

}  // namespace detail

/// A set of tasks that can be waited for. The destructor waits, also while an exception unwinds; what its tasks threw
/// and no `wait` rethrew goes to the caller's next covering wait. A group may outlive the stream that made it. If it is
/// a local variable of the stream's code, its tasks are part of the stream; those of any other group are nobody's:
/// their off-loads do not count in the sizing of the phase.
class group {
 public:
  struct state;  // the executor's part

  group() noexcept {
    const detail::thread_state& on = detail::this_thread();
    const detail::branch_frame* const code = on.forks->innermost;
    const bool has_no_stream = !on.current && code && code->is_task() && !code->stream;
    creator_ = caller(on);
    stream_ = has_no_stream ? nullptr : stream_of(this);
  }
  ~group() {
    if (!is_over()) end();
  }
  group(const group&) = delete;
  group& operator=(const group&) = delete;

  /// Creates a task in this group; otherwise as `maslin::task`.
  template <class F>
  void task(F&& f, location where = location::current()) {
    detail::spawn_plain(std::forward<F>(f), this, where);
  }
  template <class F, class A, class... Arguments>
    requires(!std::same_as<std::decay_t<A>, location>)
  void task(F&& f, A&& first, Arguments&&... rest) {
    detail::spawn_with(std::forward<F>(f), this, std::forward<A>(first), std::forward<Arguments>(rest)...);
  }
  /// Returns when every task of the group and all their descendants are done; rethrows the earliest exception. Gives
  /// whether all were to run: false where the group was cancelled. After that it is no longer.
  bool wait() {
    if (is_over() && is_in_task(detail::this_thread())) [[likely]]
      return true;
    return wait_for_members();
  }
  /// Until the group's `wait` has returned, tasks whose bodies have not begun do not run, nor do tasks that are created
  /// meanwhile. A body that has begun runs to its end, and so does what it creates outside the group. What tasks that
  /// did not run would have written is unspecified: a task outside the group that would read it is cancelled, and the
  /// wait for that throws `error`. May be called from any thread and any task, also of the group.
  MASLIN_API void cancel() noexcept;
  /// Has `cancel` been called since the last `wait`? For bodies that have begun and can stop early.
  MASLIN_API bool cancelled() const noexcept;

  /// Made now where it was not.
  state& get() {
    if (!has_state_.load(std::memory_order_acquire)) make_state();
    return *reinterpret_cast<state*>(state_);
  }

 private:
  template <class Body, class F>
  friend bool detail::runs_kept(F&& f, group& in, const location& where);

  /// Names the calling code's fiber, or its thread where it runs on none: what is one at a time.
  static const void* caller(const detail::thread_state& on) noexcept {
    return on.forks->has_room() ? static_cast<const void*>(on.forks) : &on;
  }
  /// Is the caller a task that its creator runs, and has no context yet?
  static bool is_in_task(const detail::thread_state& on) noexcept {
    return !on.current && on.forks->innermost && on.forks->innermost->is_task();
  }
  /// Null where it was not needed yet.
  const state* known() const noexcept {
    return has_state_.load(std::memory_order_acquire) ? reinterpret_cast<const state*>(state_) : nullptr;
  }
  /// Has its creator run all members itself, and did none throw? In this order: what the members made is visible once
  /// they are over.
  bool is_over() const noexcept { return in_place_.are_over() && !has_state_.load(std::memory_order_acquire); }

  MASLIN_API static void* stream_of(const group* variable) noexcept;
  MASLIN_API void make_state() noexcept;
  MASLIN_API void end();
  MASLIN_API bool wait_for_members();

  detail::in_place_members_of<std::atomic> in_place_;  ///< members that the creator runs itself
  const void* creator_;  ///< who made it, whose code counts its members without a locked instruction
  /// Its tasks', whoever creates them: that of a stream which creates some may end before them. It is the stream of the
  /// code that declared it as a local variable, which is gone, and has waited, when that code ends. Any other group may
  /// outlive the stream in which it was made, so it has none: its tasks' off-loads are nobody's in the sizing of
  /// phases.
  void* stream_;
  std::atomic<bool> has_state_{false};
  alignas(8) std::byte state_[56];
};

namespace detail {

template <class Body, class F>
inline bool runs_kept(F&& f, group& in, const location& where) {
  fork_list& list = *this_thread().forks;
  if (list.kept.left == 0 || !list.kept.are_of(use_stored<Body>, where.line()) || in.creator_ != &list ||
      !group::is_in_task(this_thread()) || in.has_state_.load(std::memory_order_relaxed) ||
      list.asked->tasks.load(std::memory_order_relaxed) ||
      reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < list.low)
    return false;
  --list.kept.left;
  task_frame frame;
  frame.place = in.in_place_.begin();
  frame.run = nullptr;
  frame.inside = nullptr;
  frame.stream = in.stream_;
  frame.open(list, this_thread());
  const auto end = [&](bool has_thrown) {
    end_kept(frame, {use_stored<Body>, &in, where, 0, nullptr, 0}, has_thrown);
    return true;
  };
  try {
    const kept_rounding creators;
    Body body(std::forward<F>(f));
    body();
  } catch (...) {
    return end(true);
  }
  if (frame.inside) [[unlikely]]
    return end(false);
  list.innermost = frame.outside;
  in.in_place_.end(in_place_awaited, wake_in_place);
  return true;
}

}  // namespace detail

}  // namespace maslin
