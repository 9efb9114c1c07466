#include "exec/threads/fiber_pool.hpp"

#include <new>

namespace maslin {

namespace {

// A worker keeps so many idle fibers at most.
constexpr int most_idle = 8;

}  // namespace

bool fiber_pool::refill(idle_fibers& of_worker, int most) {
  const base::locked held(lock_);
  for (int i = 0; i < most && !shared_.empty(); ++i) of_worker.push(shared_.pop());
  if (!of_worker.empty()) return true;
  try {
    of_worker.push(all_.emplace_back(stacks_.take(), body_, argument_));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void fiber_pool::share_surplus(idle_fibers& of_worker) {
  if (of_worker.count() < most_idle) return;
  idle_fibers kept;
  for (int i = 0; i < at_a_time; ++i) kept.push(of_worker.pop());
  share_all(of_worker);
  while (!kept.empty()) of_worker.push(kept.pop());
}

void fiber_pool::share(task_fiber& idle) {
  idle_fibers one;
  one.push(idle);
  share_all(one);
}

void fiber_pool::share_all(idle_fibers& idle) {
  idle_fibers going;
  while (!idle.empty()) {
    task_fiber& f = idle.pop();
    f.machine.stack()->return_memory();
    going.push(f);
  }
  const base::locked held(lock_);
  while (!going.empty()) shared_.push(going.pop());
}

}  // namespace maslin
