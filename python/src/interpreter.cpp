#include "interpreter.hpp"

#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace {

struct stays {
  std::mutex lock;
  std::condition_variable none;
  std::int64_t count = 0;      // under lock
  bool ends = false;           // under lock
  std::thread::id ended_here;  // under lock
};
stays* all = new stays;  // a forked child gets its own

}  // namespace

interpreter_stays::interpreter_stays()
    : stays_([] {
        const std::lock_guard held(all->lock);
        if (!all->ends) ++all->count;
        return !all->ends;
      }()) {}

interpreter_stays::~interpreter_stays() {
  if (!stays_) return;
  const std::lock_guard held(all->lock);
  if (--all->count == 0) all->none.notify_all();
}

void end_interpreter() {
  PyThreadState* const state = PyEval_SaveThread();
  {
    std::unique_lock held(all->lock);
    all->ends = true;
    all->ended_here = std::this_thread::get_id();
    all->none.wait(held, [] { return all->count == 0; });
  }
  PyEval_RestoreThread(state);
}

bool interpreter_ends() {
  const std::lock_guard held(all->lock);
  return all->ends;
}

with_interpreter::with_interpreter() {
  static thread_local bool has_state = false;
  if (!has_state && !PyGILState_GetThisThreadState()) {
    (void)PyGILState_Ensure();  // counts one more than is ever taken back
    (void)PyEval_SaveThread();
  }
  has_state = true;
  state_ = PyGILState_Ensure();
}

without_interpreter::~without_interpreter() {
  const interpreter_stays now;
  const auto ended_here = [] {
    const std::lock_guard held(all->lock);
    return all->ended_here == std::this_thread::get_id();
  };
  if (!now && !ended_here())
    for (;;) pause();
  PyEval_RestoreThread(state_);
}

void forget_stays_after_fork() { all = new stays; }
