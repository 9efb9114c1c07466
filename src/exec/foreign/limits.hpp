#pragma once
// How many threads those libraries may use: what is set for each thread of ours, and for the process. README.md says
// why nested libraries never oversubscribe.

#include <atomic>
#include <memory>

#include "base/lock.hpp"

namespace maslin::foreign {

/// From now on the calling thread runs code that was granted so many workers: sets the limit of each library whose
/// limit is the thread's. What the thread had before is kept for `leave_thread`.
void limit_thread(int workers) noexcept;
/// The same, where the code before may have set limits of its own.
void limit_thread_anew(int workers) noexcept;
/// The calling thread goes on in the program's own code: gives it back what it had.
void leave_thread() noexcept;

/// The one limit of libraries that have one for the process: the least of what the workers claim, and the program's own
/// while none claims anything.
class process_limit {
 public:
  explicit process_limit(int workers);
  ~process_limit();
  process_limit(const process_limit&) = delete;
  process_limit& operator=(const process_limit&) = delete;

  // Any thread.
  /// Worker `worker` runs code that was granted so many workers; 0: nothing that matters here.
  void claim(int worker, int granted) noexcept;
  /// The same, from the only code that runs on the workers for which `is_member(worker)` holds: theirs is over.
  template <class Member>
  void claim_alone(int worker, int granted, Member&& is_member) noexcept {
    if (!matters()) return;
    const base::locked held(lock_);
    for (int w = 0; w < workers_; ++w)
      if (w == worker)
        claims_[w].workers.store(granted, std::memory_order_relaxed);
      else if (is_member(w))
        claims_[w].workers.store(0, std::memory_order_relaxed);
    set();
  }
  /// A thread that is no worker begins (1) or ends (-1) to run code that was granted one worker.
  void count_outside(int more) noexcept;
  /// A library was found: it gets the limit that the others have.
  void apply() noexcept;
  /// The program may have set limits of its own: they get the one that is in force here.
  void apply_anew() noexcept;

 private:
  struct alignas(64) claimed {
    std::atomic<int> workers{0};  // written under lock_
  };
  static bool matters() noexcept;
  void set() noexcept MASLIN_REQUIRES(lock_);

  const int workers_;
  std::unique_ptr<claimed[]> claims_;
  base::short_lock lock_;
  int outside_ MASLIN_GUARDED_BY(lock_) = 0;  ///< threads that are no workers and run what was granted one
  int set_ MASLIN_GUARDED_BY(lock_) = 0;      ///< the limit in force, 0 for the program's own
};

}  // namespace maslin::foreign
