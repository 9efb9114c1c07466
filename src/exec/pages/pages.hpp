#pragma once
// MASLIN_CHECK=pages: tasks may touch what they declare, and nothing that another task, which is not done, uses. The
// processor finds who does (README.md).

#include <cstdint>
#include <span>

#include "exec/executor.hpp"

namespace maslin::pages {

/// MASLIN_CHECK.
enum class checks : std::uint8_t { none, data, pages };

/// Throws `error` where the system cannot say whether a page may be written.
void begin();
/// Everybody may do everything again.
void end() noexcept;
/// Are pages watched?
bool on() noexcept;

/// Lives while the body of a task runs, and until the tasks are done that it created.
class body {
 public:
  explicit body(detail::task_node& task);
  ~body();
  body(const body&) = delete;
  body& operator=(const body&) = delete;

 private:
  detail::task_node& task_;
};

/// The body of a task will not run.
void forget(const detail::task_node& task) noexcept;
/// Recorded tasks are created now.
void replay(std::span<detail::task_node* const> tasks) noexcept;

/// Around a fork its thread holds the lock.
void around_fork(bool begins) noexcept;
/// In a forked child: nothing is watched.
void forget_after_fork() noexcept;

}  // namespace maslin::pages
