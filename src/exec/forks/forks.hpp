#pragma once
// Forks as executors see them. README.md holds states, protocol, races and proof.

#include "exec/executor.hpp"
#include "maslin/fork.hpp"

namespace maslin {

/// How long a fiber keeps its branches after it has given one away: so a promotion, with the task and the wake-up that
/// it causes, costs a few hundredths at most.
inline constexpr double heartbeat_seconds = 20e-6;

/// Makes the second branch of the list's oldest fork a task; false where there is none, or no memory.
bool promote_oldest(executor& exec, detail::fork_list& list) noexcept;
/// The calling fiber is about to be suspended: nobody would come to its forks.
inline void promote_all(executor& exec) noexcept {
  detail::fork_list& list = *forks_of_thread();
  while (list.newest != &list.oldest && promote_oldest(exec, list)) {
  }
}

inline constexpr detail::requests nobody_asks{false, false};

/// Puts a list of forks in force while it lives, for code without one.
class forks_kept {
 public:
  explicit forks_kept(detail::fork_list& list) : before_(forks_of_thread()) { set_forks_of_thread(&list); }
  ~forks_kept() { set_forks_of_thread(before_); }
  forks_kept(const forks_kept&) = delete;
  forks_kept& operator=(const forks_kept&) = delete;

 private:
  detail::fork_list* const before_;
};

/// Ends the context of the code that has run, if it had one: waits for its tasks, and gives what they threw.
error_list take_branch(detail::branch_frame& frame);
/// The same where the code has thrown `what`.
error_list take_branch(detail::branch_frame& frame, std::exception_ptr&& what);

/// Runs `call(env)` as a task of its own, on another stack, and returns when it is done; rethrows what it threw.
void run_as_task(executor& exec, void (*call)(void*), void* env, location where);

}  // namespace maslin
