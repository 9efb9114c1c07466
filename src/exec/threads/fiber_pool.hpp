#pragma once
// The fibers of all workers. A worker keeps a few that are idle, and shares those that it has too many of.

#include <deque>

#include "base/lock.hpp"
#include "exec/fiber/stacks.hpp"
#include "exec/threads/worker.hpp"

namespace maslin {

class fiber_pool {
 public:
  static constexpr int at_a_time = 4;

  /// New fibers begin with `body(argument)`.
  fiber_pool(std::size_t stack_bytes, void (*body)(void*), void* argument)
      : body_(body), argument_(argument), stacks_(stack_bytes) {}

  /// Gives a worker that has none an idle fiber, or `most` of them; false where there is no memory for one.
  bool refill(idle_fibers& of_worker, int most = at_a_time);
  /// Streams end on other workers than those on which they began, and their fibers with them: takes what a worker has
  /// too many of. Memory that such a stack has no more use for goes back to the system here, and not where it is used
  /// again at once.
  void share_surplus(idle_fibers& of_worker);
  /// Takes one that is inside a worker's loop with nothing on top.
  void share(task_fiber& idle);
  template <class Visit>
  void for_each(Visit&& visit) {
    const base::locked held(lock_);
    for (task_fiber& f : all_) visit(f);
  }

 private:
  void share_all(idle_fibers& idle);

  void (*const body_)(void*);
  void* const argument_;
  base::short_lock lock_;
  fiber_stacks stacks_ MASLIN_GUARDED_BY(lock_);
  std::deque<task_fiber> all_ MASLIN_GUARDED_BY(lock_);  ///< freed at the end
  idle_fibers shared_ MASLIN_GUARDED_BY(lock_);
};

}  // namespace maslin
