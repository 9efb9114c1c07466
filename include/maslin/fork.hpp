#pragma once
// Forks: branches of a computation that may run at the same time, at the price of a call.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "maslin/api.hpp"
#include "maslin/body.hpp"
#include "maslin/frame.hpp"
#include "maslin/location.hpp"

namespace maslin {

namespace detail {

/// A fork, in its caller's frame.
struct fork_frame : fork_link, branch_frame {
  bool promoted = false;    ///< the second branch is a task
  bool has_result = false;  ///< `run` has kept one
  location where;
  alignas(8) std::byte end[48];  ///< room for the scope of the task
};

/// Runs `call(env)` where there is a list of forks and room on the stack.
MASLIN_API void fork_elsewhere(void (*call)(void*), void* env, location where);
/// Somebody has asked for a branch: promotes the oldest fork, if it is time.
MASLIN_API void answer(fork_list& list) noexcept;
/// The branch that had a context of its own is over: waits for its tasks. Throws if they threw.
MASLIN_API void end_branch(fork_frame& fork);
/// Closes the fork and waits for the second branch, a task. Throws what that threw.
MASLIN_API void join(fork_list& list, fork_frame& fork);
/// In a handler: the first branch has thrown. Runs the second one all the same, closes the fork and throws the
/// earliest.
MASLIN_API [[noreturn]] void first_threw(fork_list& list, fork_frame& fork);
/// In a handler: the second branch, run by its caller, has thrown. Closes the fork and throws the earliest.
MASLIN_API [[noreturn]] void second_threw(fork_list& list, fork_frame& fork);

/// What a branch gives; std::monostate for nothing.
template <class F>
using branch_result =
    std::conditional_t<std::is_void_v<std::invoke_result_t<F&>>, std::monostate, std::invoke_result_t<F&>>;

template <class F>
branch_result<F> run_branch(F& f) {
  if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
    f();
    return {};
  } else {
    return f();
  }
}

template <class G>
struct fork_of final : fork_frame {
  using result = branch_result<G>;
  static_assert(!std::is_reference_v<result>, "a branch gives a value");

  fork_of(fork_list& in, thread_state& on, G& second_branch, location at) : second(second_branch) {
    run = [](fork_frame& fork) {
      auto& me = static_cast<fork_of&>(fork);
      ::new (static_cast<void*>(me.kept)) result(run_branch(me.second));
      me.has_result = true;
    };
    where = at;
    open(in, on);
    older = in.newest;
    older->newer = this;
    in.newest = this;
  }
  ~fork_of() {
    if (has_result) [[unlikely]]
      value().~result();
  }
  fork_of(const fork_of&) = delete;
  fork_of& operator=(const fork_of&) = delete;

  result& value() { return *std::launder(reinterpret_cast<result*>(kept)); }

  G& second;
  alignas(result) std::byte kept[sizeof(result)];
};

template <class F>
struct given {
  branch_result<F> value;
};

/// Runs a branch on its caller's stack, to the end of what it created; `Threw` follows an exception.
template <auto Threw, class F>
[[gnu::always_inline]] inline given<F> run_in_place(F& f, fork_list& list, fork_frame& fork) {
  try {
    given<F> result{run_branch(f)};
    if (fork.inside) [[unlikely]]
      end_branch(fork);
    return result;
  } catch (...) {
    Threw(list, fork);
    __builtin_unreachable();
  }
}

template <class F, class G>
std::tuple<branch_result<F>, branch_result<G>> fork_here(fork_list& list, thread_state& on, F& first, G& second,
                                                         location where) {
  fork_of<G> me(list, on, second, where);
  if (list.asked->branch.load(std::memory_order_relaxed)) [[unlikely]]
    answer(list);
  given<F> left = run_in_place<first_threw>(first, list, me);
  if (me.promoted) [[unlikely]] {
    join(list, me);
    return {std::move(left.value), std::move(me.value())};
  }
  list.newest = me.older;
  given<G> right = run_in_place<second_threw>(second, list, me);
  me.close(list);
  return {std::move(left.value), std::move(right.value)};
}

}  // namespace detail

/// Runs both functions, perhaps at the same time, and returns when both are done: their results as a tuple (where one
/// gives nothing, std::monostate stands in its place), or nothing if both give nothing. Each is a task of its own:
/// `wait()` inside covers what it created, its end covers the rest, and `width()` is 1. When both are done, the
/// earliest exception that they or their tasks have thrown is rethrown here; `other_exceptions()` gives the rest.
///
/// The first runs at once on the caller's stack; so does the second, unless a worker has nothing to do: then the oldest
/// fork of a worker's stack is given away, at most every 20 us (heartbeat scheduling: Acar et al., PLDI 2018). A fork
/// that nobody takes costs some nanoseconds. A branch is given away when its worker comes to a fork or waits, never in
/// between: what runs long without a fork keeps older branches to itself.
template <class F, class G>
  requires std::invocable<F&> && std::invocable<G&>
auto fork(F&& first, G&& second, location where = location::current()) {
  constexpr bool gives = !std::is_void_v<std::invoke_result_t<F&>> || !std::is_void_v<std::invoke_result_t<G&>>;
  detail::expect_body(first, "fork", where);
  detail::expect_body(second, "fork", where);
  detail::thread_state& on = detail::this_thread();
  detail::fork_list& list = *on.forks;
  if (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) < list.low) [[unlikely]] {
    using results = std::tuple<detail::branch_result<F>, detail::branch_result<G>>;
    struct call {
      std::remove_reference_t<F>& first;
      std::remove_reference_t<G>& second;
      location where;
      std::optional<results> given;
    } self{first, second, where, {}};
    detail::fork_elsewhere(
        [](void* env) {
          auto& c = *static_cast<call*>(env);
          detail::thread_state& there = detail::this_thread();
          c.given.emplace(detail::fork_here(*there.forks, there, c.first, c.second, c.where));
        },
        &self, where);
    if constexpr (gives) return results(std::move(*self.given));
  } else if constexpr (gives) {
    return detail::fork_here(list, on, first, second, where);
  } else {
    detail::fork_here(list, on, first, second, where);
  }
}

}  // namespace maslin
