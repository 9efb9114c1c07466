#pragma once
// The context of a fork's branch, or of a task that its creator runs at once. It gets one when it first needs it: most
// only compute.

#include "base/atomic.hpp"
#include "maslin/fork.hpp"
#include "task/context.hpp"

namespace maslin {

/// Is there a list in which code may stand that runs on the calling thread now? Code outside tasks, on a thread's own
/// stack, gets one that has no room for forks.
bool has_frames(detail::thread_state& on) noexcept;

/// Gives the stream to which the code of that frame belongs: a task's own; a branch's is that of what it stands in.
inline void* stream_of(const detail::branch_frame& frame) noexcept {
  for (const detail::branch_frame* at = &frame; at; at = at->outside) {
    if (at->is_task()) return at->stream;
    if (at->before) return at->before->stream;
  }
  return nullptr;
}

/// Lies in `branch_frame::branch`.
struct branch {
  branch(const context& around, const detail::branch_frame& of) : own(around.children), self(own) {
    self.stream = stream_of(of);
    self.at_once = of.is_task();
    self.declares = !of.is_task() && around.declares;
    self.records_into = around.records_into;
  }
  scope own;
  context self;
};
// A checker's atomics may be larger (tests/interleavings/weak_memory); nothing forks there.
static_assert(sizeof(MASLIN_ATOMIC<int>) > sizeof(int) ||
              (sizeof(branch) <= sizeof(detail::branch_frame::branch) && alignof(branch) <= 8 &&
               sizeof(scope) <= sizeof(detail::fork_frame::end) && alignof(scope) <= 8));

inline branch& branch_of(detail::branch_frame& frame) { return *reinterpret_cast<branch*>(frame.branch); }
/// The scope of the second branch as a task.
inline scope& end_of(detail::fork_frame& fork) { return *reinterpret_cast<scope*>(fork.end); }

}  // namespace maslin
