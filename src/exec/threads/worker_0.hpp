#pragma once
// Worker 0's thread comes and goes: the starter, while it is inside Maslin, or the substitute (worker_0_role.hpp).

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>

#include "base/mutex.hpp"
#include "exec/threads/worker.hpp"
#include "exec/threads/worker_0_role.hpp"
#include "task/scope.hpp"

namespace maslin {

class threads_executor;

/// The thread that started the runtime as somebody who waits: in the role if it is free, in the operating system
/// otherwise.
class starting_thread final : public waiter {
 public:
  explicit starting_thread(threads_executor& exec) : exec_(exec) {}

  void sleep(base::short_lock& held, const awaited_end& what) MASLIN_RELEASES(held) override;
  void wake() noexcept override;
  /// What it does meanwhile, if it has no role, may wait as somebody else.
  bool is_asleep() const { return sleeps_as_; }

  /// Keeps the starter in the role during a call, if it can have it and the calling thread is the starter.
  class visit {
   public:
    explicit visit(threads_executor& exec);
    ~visit();
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;

   private:
    threads_executor* entered_ = nullptr;
  };

 private:
  threads_executor& exec_;
  waiter* sleeps_as_ = nullptr;  ///< set before it can be woken
};

class worker_0_thread {
 public:
  explicit worker_0_thread(threads_executor& exec) : exec_(exec), starter_(exec) {}

  worker_0_role::holder held_by() const { return role_.held_by(); }
  task_fiber& substitute_stack() { return *substitute_stack_; }
  /// Does a substitute have the role that gives it back once it finds nothing to do?
  bool has_substitute_for_now() const {
    return held_by() == worker_0_role::substitute && !stays_.load(std::memory_order_relaxed);
  }

  // The starter.
  void mark_starter();    ///< it is the calling thread
  void forget_starter();  ///< if it is
  bool is_starter() const;
  /// Who waits while the starter does; null for any other thread, and where what it does while it waits must wait, too.
  waiter* starter() { return is_starter() && !starter_.is_asleep() ? &starter_ : nullptr; }
  bool attach();
  void detach();
  /// Is the caller the starter, and has the substitute its role? Then that does worker 0's work: what the caller did of
  /// it would come on top.
  bool is_replaced() const { return is_starter() && held_by() == worker_0_role::substitute; }
  /// The role alone, for a while: nothing is run there.
  bool hold() { return is_starter() && role_.enter(worker_0_role::starter); }
  void let_go() noexcept {
    if (is_starter() && role_.held_by() == worker_0_role::starter) leave_role();
  }

  // Any thread.
  /// Worker 0 may be needed, now or later, while its thread is outside: sees that there is a substitute, and calls it
  /// if it is needed now.
  void want_substitute() noexcept;
  /// Worker 0 is needed, and does not sleep.
  void call() noexcept { role_.call(); }
  /// Is there something queued that only worker 0 could do, the others being in other teams or not there?
  bool has_work_alone() const;

  // Who ends the runtime. The role is with one thread from then on, which does what is left to do with the others.
  /// The caller, if it is the starter; then it has the role.
  bool returns_to_the_end();
  /// The substitute. False where there is none and the system gives no thread for it.
  bool is_replaced_to_the_end() noexcept;
  void join_substitute() noexcept;

 private:
  void leave_role() noexcept;
  bool start_substitute() noexcept MASLIN_REQUIRES(starting_);
  void begin_substitute();
  void substitute_body();
  bool is_needed() const;

  static std::uint64_t next_number() noexcept;

  threads_executor& exec_;
  const std::uint64_t number_ = next_number();  ///< of the runtime; an address would come again
  worker_0_role role_;
  starting_thread starter_;
  base::mutex starting_;
  bool none_starts_ MASLIN_GUARDED_BY(starting_) = false;  ///< any more
  std::thread substitute_ MASLIN_GUARDED_BY(starting_);
  // Of the substitute, at the end of the runtime.
  std::atomic<bool> stays_{false};  ///< it keeps the role until all workers leave
  std::atomic<bool> ends_{false};   ///< it is called no more
  std::optional<task_fiber> substitute_stack_;
  detail::fork_list* forks_before_ = nullptr;  ///< of the starter, while it is worker 0
};

}  // namespace maslin
