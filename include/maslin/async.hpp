#pragma once
// Tasks that give a value.

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "maslin/body.hpp"
#include "maslin/error.hpp"
#include "maslin/location.hpp"
#include "maslin/task.hpp"

namespace maslin {

namespace detail {

/// What a future and its task share. Lies where it is until the task is done: the group's destructor waits.
template <class T>
struct future_state {
  std::optional<std::conditional_t<std::is_void_v<T>, std::monostate, T>> value;
  group task;
};

/// The body of a task, for a future.
template <class T, class F>
struct valued_body {
  F body;
  future_state<T>* to;

  template <class... Passed>
    requires std::is_invocable_v<F&, Passed...>
  void operator()(Passed&&... passed) {
    if constexpr (std::is_void_v<T>)
      std::invoke(body, std::forward<Passed>(passed)...);
    else
      to->value.emplace(std::invoke(body, std::forward<Passed>(passed)...));
  }
};

template <class T, class F>
inline constexpr bool is_plain<valued_body<T, F>> = is_plain<F>;

template <class F, class Passed>
struct value_of {
  using type = void;
};
template <class F, class... Passed>
  requires fits<F, passes<Passed...>>
struct value_of<F, passes<Passed...>> : std::invoke_result<F&, Passed...> {
};

/// What a future adds is no part of the body's name.
template <class T, class F>
constexpr const char* name_of(const valued_body<T, F>*) {
  return name_of(static_cast<const F*>(nullptr));
}

}  // namespace detail

/// The value of a task of `async`, once it is done. The destructor waits for the task; what that threw and no `get`
/// rethrew goes to the caller's next covering wait. A creator whose future outlives it is itself done only when the
/// task is, if that has accesses: their data may be the creator's.
template <class T>
class [[nodiscard]] future {
 public:
  static_assert(!std::is_reference_v<T>, "The task of a future gives a value: return a pointer, or a copy.");

  future() = default;
  explicit future(std::unique_ptr<detail::future_state<T>> state) noexcept : state_(std::move(state)) {}

  /// Is there a value to get? Not after `get`, nor after this was moved from.
  bool valid() const noexcept { return state_ != nullptr; }
  /// Waits for the task and gives what it returned, once; rethrows what it, or a task that it created, threw. Throws
  /// `error` where it was cancelled because it would have read what another did not write, and where `valid()` is
  /// false.
  T get() {
    if (!state_)
      throw error("ms::future: get() of a future that has no task; expected one of ms::async, and one get()");
    const auto done = std::exchange(state_, nullptr);
    done->task.wait();
    if constexpr (!std::is_void_v<T>) return std::move(*done->value);
  }

 private:
  std::unique_ptr<detail::future_state<T>> state_;
};

namespace detail {

/// Creates the task by `create(body)`.
template <class Passed, class F, class Create>
auto make_future(F&& f, location where, Create&& create) {
  using body = std::decay_t<F>;
  using value = typename value_of<body, Passed>::type;
  if constexpr (fits<body, Passed>) {
    expect_body<body>(f, "async", where);
    auto state = std::make_unique<future_state<value>>();
    create(state->task, valued_body<value, body>{std::forward<F>(f), state.get()});
    return future<value>(std::move(state));
  } else {
    task_body<body, typename parameters_of<body>::type, Passed>();
  }
}

}  // namespace detail

/// Creates a task, as `task` does, and gives the future of what its body returns. The future waits for it, in `get` and
/// when it is destroyed; the caller's `wait()` does not. The task is a member of a group that is nobody's local
/// variable.
template <class F>
auto async(F&& f, location where = location::current()) {
  return detail::make_future<detail::passes<>>(
      std::forward<F>(f), where, [&](group& in, auto&& body) { in.task(std::forward<decltype(body)>(body), where); });
}
template <class F, class A, class... Arguments>
  requires(!std::same_as<std::decay_t<A>, location>)
auto async(F&& f, A&& first, Arguments&&... rest) {
  using passed = detail::passed_to_body<std::decay_t<A>, std::decay_t<Arguments>...>;
  const location where = detail::place_of(first, rest...);
  return detail::make_future<passed>(std::forward<F>(f), where, [&](group& in, auto&& body) {
    in.task(std::forward<decltype(body)>(body), std::forward<A>(first), std::forward<Arguments>(rest)...);
  });
}

}  // namespace maslin
