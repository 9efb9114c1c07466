#pragma once
// A task as the executors see it.

#include <cstdint>

#include "maslin/location.hpp"
#include "maslin/task.hpp"
#include "task/context.hpp"
#include "task/scope.hpp"

namespace maslin {

namespace detail {

/// The part of a task in front of its callable. It lives from `submit_task` until the task is done: its body has
/// returned and so are all its descendants.
struct task_node {
  task_node(scope& member_of, void* of_stream, void (*body)(void*), void* arguments, location created)
      : run(body),
        callable(arguments),
        in(&member_of),
        place(member_of.enter()),
        stream(of_stream),
        where(created),
        children(&member_of, this) {}

  void (*run)(void* callable);
  void* callable;
  scope* in;            ///< whose member it is
  std::uint64_t place;  ///< in that scope, in program order
  void* stream;         ///< the executor's record of the stream whose task it is
  location where;
  scope children;
};

/// Gives room for a task_node and a callable behind it; throws std::bad_alloc.
task_storage new_task_storage(std::size_t bytes, std::size_t alignment);

}  // namespace detail

/// Runs the task's body in a context of its own. The task leaves its scope when it and its descendants are done, now or
/// later; what they threw goes to the scope.
void run_task(detail::task_node* task) noexcept;

/// The executor's part of a group.
struct group::state {
  scope members{nullptr};
};

}  // namespace maslin
