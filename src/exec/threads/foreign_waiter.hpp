#pragma once
// A thread that is no worker, while it waits. Workers may all be blocked outside Maslin, even by waiting for this very
// thread, so it does not rely on them: it does itself what it waits for and nobody has begun
// (docs/decisions/foreign-threads.md).
//
// It takes shares of its own loops from the centre, answers for workers that have not come to its loops under a
// baseline, and runs its own ready tasks from the centre. Then it sleeps and wakes up by itself to look around
// (`help_outside`). From the third look on it also takes tasks out of the queue of a worker whose count of steps has
// not moved since the look before. From the ninth look on it also takes tasks that the waiting code created before and
// does not wait for: what it waits for may need their data. It takes nothing of a stream that has a worker, where its
// off-loads are counted.
// Looks are timed and not asked for, because whoever makes a task ready would have to find out for whom. What runs
// there has a list of forks for which nobody asks: as a task each fork would come back to the same thread. What it
// cannot have is a fiber that waits on a blocked worker, and what needs more than half of its stack.
//
// Streams: while none of a phase's has a worker, through nine looks, that thread takes them one by one, the suspended
// ones first (`next_outside`). A suspended one goes on at its off-load, on its own fiber, and belongs to that thread to
// its end (`back_to`): to its code it is no stream any more, takes no place, counts no off-loads, and waits as its
// thread does. At its end the thread switches back to where it waited, and the fiber, which is inside a worker's loop
// with nothing on top, joins those that are shared.

#include <chrono>
#include <cstdint>
#include <memory>

#include "base/mutex.hpp"
#include "exec/threads/worker.hpp"
#include "task/os_waiter.hpp"

namespace maslin {

class threads_executor;

/// Sleeps in the operating system and wakes up by itself, ever less often, to look whether what it waits for lies
/// about. A look takes only what belongs to the wait: anything else could wait for what this thread does next.
class foreign_waiter final : public waiter {
 public:
  /// Gives one of the calling thread's that does not sleep: what it does while it waits may have to wait, too.
  static foreign_waiter& mine(threads_executor& exec);
  /// The calling thread waits for nothing any more.
  static void end_thread() noexcept;

  void sleep(base::short_lock& held, const awaited_end& what) MASLIN_RELEASES(held) override;
  void wake() noexcept override;
  bool is_asleep() const { return sleeps_; }

  /// Is there stack left below the caller to run something on top?
  static bool has_room() noexcept;

  /// While it lives the calling thread, which is no worker, runs on that fiber's stack. `own`: if it may become one
  /// meanwhile, the fiber that stands for it then.
  class on_fiber {
   public:
    on_fiber(const task_fiber& other, task_fiber* own) noexcept;
    ~on_fiber();
    on_fiber(const on_fiber&) = delete;
    on_fiber& operator=(const on_fiber&) = delete;

   private:
    const std::uintptr_t middle_;
    task_fiber* const own_;
    stack_limits before_;
  };

 private:
  static foreign_waiter& outermost() noexcept;
  bool woken_within(std::chrono::milliseconds time);
  /// Is there another one for what this thread does while this one sleeps? False without memory.
  bool makes_inner() noexcept;

  threads_executor* exec_ = nullptr;
  bool sleeps_ = false;  ///< its own thread's
  base::mutex lock_;
  base::condition changed_;
  bool woken_ MASLIN_GUARDED_BY(lock_) = false;
  std::unique_ptr<foreign_waiter> inner_;
};

}  // namespace maslin
