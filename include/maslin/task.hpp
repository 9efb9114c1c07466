#pragma once
// Tasks: functions that run once, when their data is there and a worker has time.

#include <concepts>
#include <type_traits>
#include <utility>

#include "maslin/access.hpp"
#include "maslin/api.hpp"
#include "maslin/group.hpp"
#include "maslin/location.hpp"
#include "maslin/priority.hpp"

namespace maslin {

/// Creates a task that calls `f()` once. The callable is copied or moved into the task. The caller goes on; `wait()`
/// covers it. A task is done when its body has returned and all tasks it created are done. Where very many are in
/// flight, or its call site's tasks are too small to be handed over, the caller runs it before it goes on. A body has a
/// stack of 1 MiB unless MASLIN_STACK says otherwise (docs/tasks.md).
template <class F>
void task(F&& f, location where = location::current()) {
  detail::spawn_plain(std::forward<F>(f), nullptr, where);
}

/// The same with arguments. An access (`in(x)`, `out(x)`, `inout(x)`, `concurrent(x)`, `reduction(x)`) reaches the body
/// as a view, a std::vector of accesses as a view of their views; a `priority` does not reach it; anything else is
/// copied into the task and reaches the body as const. The task runs when the tasks that the same caller created
/// before, and whose accesses conflict with its own, are done (CellSs, section 3): a read waits for the last write; a
/// write waits for earlier reads and writes, unless it is an `out`, which gets memory of its own instead. If one whose
/// data it would read throws, it is cancelled.
template <class F, class A, class... Arguments>
  requires(!std::same_as<std::decay_t<A>, location>)
void task(F&& f, A&& first, Arguments&&... rest) {
  detail::spawn_with(std::forward<F>(f), nullptr, std::forward<A>(first), std::forward<Arguments>(rest)...);
}

/// Returns when every task that the caller created, and all their descendants, are done; what they wrote is where the
/// program declared it. Rethrows the exception that is earliest in program order; `other_exceptions()` gives the rest.
MASLIN_API void wait();

namespace detail {
MASLIN_API void wait_on_data(const declared& data, location where);
}
/// Returns when the data (a range, a tile, one object, or what an access names) has its value and lies where the
/// program declared it: when the caller's tasks that write it are done. If they threw or were cancelled, throws
/// `error`; the next `wait()` says what they threw.
template <class R>
void wait_on(R&& r, location where = location::current()) {
  if constexpr (detail::is_access<std::remove_cvref_t<R>>::value)
    detail::wait_on_data(detail::declare(in(r.region)), where);
  else
    detail::wait_on_data(detail::declare(in(std::forward<R>(r))), where);
}

}  // namespace maslin
