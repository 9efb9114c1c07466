#pragma once
// Tasks: functions that run once, when a worker has time.

#include <concepts>
#include <cstddef>
#include <functional>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "maslin/access.hpp"
#include "maslin/location.hpp"

namespace maslin {

class group;

namespace detail {

/// Room for one task: the executor's part and, behind it, the callable.
struct task_storage {
  void* node;
  void* callable;
};
task_storage allocate_task(std::size_t bytes, std::size_t alignment);
void discard_task(task_storage storage) noexcept;
/// Makes the task a child of the caller (or a member of `in`) and lets it run. `run` destroys the callable, too.
void submit_task(task_storage storage, void (*run)(void* callable), group* in, location where);

template <class Callable>
void spawn(Callable&& callable, group* in, location where) {
  using stored = std::decay_t<Callable>;
  const task_storage storage = allocate_task(sizeof(stored), alignof(stored));
  try {
    new (storage.callable) stored(std::forward<Callable>(callable));
  } catch (...) {
    discard_task(storage);
    throw;
  }
  auto run = [](void* at) {
    auto* body = static_cast<stored*>(at);
    struct destroy {
      stored* body;
      ~destroy() { body->~stored(); }
    } guard{body};
    (*body)();
  };
  submit_task(storage, run, in, where);
}

}  // namespace detail

/// A set of tasks that can be waited for. The destructor waits, also while an exception unwinds; what its tasks threw
/// and no `wait` rethrew goes to the caller's next covering wait.
class group {
 public:
  struct state;  // the executor's part

  group();
  ~group();
  group(const group&) = delete;
  group& operator=(const group&) = delete;

  /// Creates a task in this group; otherwise as `maslin::task`.
  template <class F>
  void task(F&& f, location where = location::current()) {
    detail::spawn(std::forward<F>(f), this, where);
  }
  /// Returns when every task of the group and all their descendants are done; rethrows the earliest exception.
  void wait();

  state& get() const { return *state_; }

 private:
  state* state_;
};

/// Creates a task that calls `f()` once. The callable is copied or moved into the task. The caller goes on; `wait()`
/// covers it. A task is done when its body has returned and all tasks it created are done.
template <class F>
  requires std::invocable < std::decay_t<F>
& > void task(F&& f, location where = location::current()) { detail::spawn(std::forward<F>(f), nullptr, where); }

/// The same with arguments, which are copied into the task.
template <class F, class A, class... Arguments>
  requires(!detail::is_access<std::decay_t<A>>::value && (!detail::is_access<std::decay_t<Arguments>>::value && ...))
void task(F&& f, A&& first, Arguments&&... rest) {
  detail::spawn(
      [body = std::decay_t<F>(std::forward<F>(f)),
       arguments = std::tuple<std::decay_t<A>, std::decay_t<Arguments>...>(
           std::forward<A>(first), std::forward<Arguments>(rest)...)]() mutable { std::apply(body, arguments); },
      nullptr, location::current());
}

/// Returns when every task that the caller created, and all their descendants, are done. Rethrows the exception that is
/// earliest in program order; `other_exceptions()` gives the rest.
void wait();

}  // namespace maslin
