#pragma once
// What lives while a call of the program is in the executor.

#include "exec/threads/threads.hpp"
#include "exec/threads/worker_0.hpp"

namespace maslin {

class threads_executor::loop_call : starting_thread::visit {
 public:
  explicit loop_call(threads_executor& exec) : visit(exec) {
    if (exec.sharing_) exec.sharing_->expects_work();
  }
};

/// A stream's worker and its team run blocks of a loop: not before the last is done may libraries that the stream
/// calls use the team again.
class threads_executor::during_loop {
 public:
  during_loop(threads_executor&, worker* w, const context& caller) : on_(w), before_(w ? w->shares : nullptr) {
    if (w) w->shares = &caller;
  }
  ~during_loop() {
    if (!on_) return;
    on_->shares = before_;
    on_->exec.after_sharing();
  }
  during_loop(const during_loop&) = delete;
  during_loop& operator=(const during_loop&) = delete;

 private:
  worker* const on_;
  const context* const before_;
};

/// Notes how long the caller runs blocks of a loop, if somebody wants to know.
class threads_executor::timed_blocks {
 public:
  timed_blocks(threads_executor&, loop_run& run) : run_(run), begin_(run.learns ? base::ticks() : 0) {}
  ~timed_blocks() {
    if (run_.learns) run_.ticks.fetch_add(base::ticks() - begin_, std::memory_order_relaxed);
  }
  timed_blocks(const timed_blocks&) = delete;
  timed_blocks& operator=(const timed_blocks&) = delete;
  /// In ticks; 0 where nobody wants to know.
  std::uint64_t begin() const { return begin_; }

 private:
  loop_run& run_;
  const std::uint64_t begin_;
};

class threads_executor::phase_call : starting_thread::visit {
 public:
  explicit phase_call(threads_executor& exec) : visit((exec.libraries().look(), exec)) {}
};

}  // namespace maslin
