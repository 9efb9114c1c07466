#pragma once
// A worker and the fibers that run on it.

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/atomic.hpp"
#include "exec/core/invitations.hpp"
#include "exec/core/loop_queue.hpp"
#include "exec/fiber/fiber.hpp"
#include "exec/phase/team.hpp"
#include "exec/threads/ready_tasks.hpp"
#include "exec/threads/sleep.hpp"
#include "exec/threads/wait_counts.hpp"
#include "sched/grain/waking.hpp"

namespace maslin {

class threads_executor;
struct worker;

/// Where half of a stack is left, and an eighth.
struct stack_limits {
  std::uintptr_t half = 0;
  char* eighth = nullptr;
};

/// A fiber of this executor. It carries the worker's loop, and on top of it whatever that runs; or it is a thread's own
/// stack.
struct task_fiber final : waiter {
  task_fiber();  // the calling thread's own stack
  task_fiber(const fiber_stack& stack, void (*body)(void*), void* argument) : machine(stack, body, argument) {
    divide(stack.bottom, stack.bytes);
  }

  void sleep(base::short_lock& held, const awaited_end& what) MASLIN_RELEASES(held) override;
  void wake() noexcept override;
  /// It may go on at worker `w`.
  void enter_inbox(worker& w) noexcept;
  /// Is half of the stack left? Only for the one that runs.
  bool has_room() const noexcept { return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) > forks.low; }
  /// Is an eighth left? Where there is no other stack, a wait goes on to here; what is behind is for bodies that create
  /// no more tasks, and for exceptions.
  bool has_last_room() const noexcept { return static_cast<char*>(__builtin_frame_address(0)) > last_eighth; }

  stack_limits limits() const { return {forks.low, last_eighth}; }
  /// From now on it stands for code on another stack; gives what was before.
  stack_limits exchange_limits(const stack_limits& now) {
    return {std::exchange(forks.low, now.half), std::exchange(last_eighth, now.eighth)};
  }

  fiber machine;
  detail::fork_list forks;
  char* last_eighth = nullptr;               ///< it ends here
  worker* home = nullptr;                    ///< where it was suspended and will resume
  task_fiber* next_ready = nullptr;          ///< in the inbox, or among the idle fibers
  detail::task_node* starts_with = nullptr;  ///< what it runs first when it goes on at its worker's loop

  // For the watchdog, which may look at them while the fiber is `looked_at`.
  enum state : int { awake, asleep, looked_at };
  /// The code that runs on it is about to be suspended; a stream at an off-load waits for a place: for no end.
  void falls_asleep(worker& on, const awaited_end& what) noexcept;
  void wakes_up() noexcept;
  std::atomic<int> sleeps{awake};
  awaited_end waits_for;
  const context* suspended_in = nullptr;  ///< the context of the code that waits

 private:
  void divide(char* bottom, std::size_t bytes) {
    forks.low = reinterpret_cast<std::uintptr_t>(bottom + bytes / 2);
    last_eighth = bottom + bytes / 8;
    machine.keep_forks_in(forks);
  }
};

/// Fibers that are inside a worker's loop with nothing on top, the latest first: its stack is warm.
class idle_fibers {
 public:
  bool empty() const { return !first_; }
  int count() const { return count_; }
  void push(task_fiber& f) {
    f.next_ready = first_;
    first_ = &f;
    ++count_;
  }
  task_fiber& pop() {
    task_fiber& f = *first_;
    first_ = f.next_ready;
    --count_;
    return f;
  }

 private:
  task_fiber* first_ = nullptr;
  int count_ = 0;
};

/// One OS thread of the runtime. Worker 0 is the thread that started it, while that is inside Maslin.
struct alignas(64) worker final : work_queue::watcher {
  worker(threads_executor& e, int number);
  void nonempty(bool holds_work) override;
  /// A piece of work is done.
  void count_step() { steps.store(steps.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

  // Any thread.
  threads_executor& exec;
  const int index;
  MASLIN_ATOMIC<team*> in_team;
  /// Somebody wants something of what this worker keeps to itself (src/exec/forks/README.md).
  detail::requests asked{true, false};
  ready_tasks tasks;
  work_queue queue{this};  ///< loops
  /// To loops, dealt out or under a baseline. In a line that the worker does not write meanwhile.
  alignas(64) invitations invited{index};
  std::atomic<task_fiber*> inbox{nullptr};  ///< fibers that may go on here, the latest first

  // This worker's thread only.
  /// From now on that fiber runs.
  void runs(task_fiber& f) {
    running = &f;
    f.forks.asked = &asked;
  }
  alignas(64) std::optional<task_fiber> own_stack;
  task_fiber* running = nullptr;    ///< the fiber that runs now
  idle_fibers idle;                 ///< suspended inside the worker's loop, with nothing on top
  task_fiber* ready = nullptr;      ///< taken from the inbox, the earliest first
  int suspended = 0;                ///< fibers that will resume here
  grain::missed_gain missed;        ///< by its loops, because its team slept
  std::uint64_t gave_at = 0;        ///< when it gave a branch away last, in ticks
  bool refills = true;              ///< it hands over what it creates (grain::refills)
  bool steps_first = false;         ///< takes a piece of work before the next fiber goes on (`let_others_run`)
  bool was_woken = false;           ///< and has not looked into the queues since, for which that may have been
  const context* shares = nullptr;  ///< the stream whose loop it shares with its team
  std::thread thread;
  std::atomic<int> thread_number{0};  ///< the system's, of worker 0 the starter's; 0: none has begun
  std::uint32_t mask_seen = 1;        ///< the revision of the CPUs in use that its affinity follows (sharing.hpp)
  std::vector<bool> mask;             ///< its affinity; empty: as it was started

  // Written by this worker, read by the watchdog.
  std::atomic<std::uint64_t> steps{0};                               ///< pieces of work done
  std::atomic<std::uint64_t> steps_seen_outside{~std::uint64_t{0}};  ///< by a foreign thread that looked for its work
  // Written by this worker, read by phases that learn how to wait.
  wait_counts waits;
  // Written by this worker, read by others that wait: when its wait is expected to end, in ticks; only under the
  // policy `adaptive`.
  static constexpr std::int64_t waits_for_nothing = std::numeric_limits<std::int64_t>::max();
  std::atomic<std::int64_t> wait_ends{waits_for_nothing};
  std::int64_t last_wait = 0;  ///< ticks
};

/// Gives the number by which a trace knows a worker; -1 for a foreign thread, null.
inline int track_of(const worker* w) noexcept { return w ? w->index : -1; }

/// Gives the calling thread's worker, or null. Not to be kept across anything that can suspend: a stream may continue
/// on another thread.
worker* self() noexcept;
void set_self(worker* w) noexcept;

}  // namespace maslin
