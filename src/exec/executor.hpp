#pragma once
// The contract of exec: what every kind of machine offers. The public calls end here; tests/conformance states the
// promises that each implementation keeps.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/clock.hpp"
#include "base/cpu_time.hpp"
#include "base/float_mode.hpp"
#include "graph/edges.hpp"
#include "maslin/loop.hpp"
#include "maslin/machine.hpp"
#include "maslin/phase.hpp"
#include "maslin/runtime.hpp"
#include "sched/grain/edtlp.hpp"

namespace maslin {

namespace node {
class membership;
}

class message_links;

class executor : public graph::ready_sink {
 public:
  virtual ~executor() = default;
  /// Waits for all that is in flight, and says or keeps what is to be said or kept at the end. Nothing is run after it.
  /// Called once, by the thread that made the executor where that is there.
  virtual void end() noexcept {}

  // ready(task): the task is a member of its scope and waits for nothing; it runs once, now or later.

  /// The calling context's code has run since the last call that came here: where code is timed, its time is taken now.
  /// Called where another context comes into force on the same stack, and where that one ends, so that each is charged
  /// for its own code.
  void ran() noexcept {
    if (times_code_) [[unlikely]]
      take_time();
  }
  /// Is code timed while it runs, because its time is that of a described machine?
  bool times_code() const noexcept { return times_code_; }
  /// Is time that of a described machine? Then it passes by what code takes, or by what it declares.
  bool is_described() const noexcept { return is_described_; }
  /// Gives the caller's time for `learn`, in a unit of this executor's.
  std::uint64_t ticks_of_code() noexcept {
    if (!is_described_) [[likely]]
      return base::ticks();
    ran();
    return ticks();
  }
  /// The body of a task that is timed, created at that line, took so long by `ticks_of_code`. `leaves_tasks`: it has
  /// returned before tasks that it created were done.
  virtual void learn(detail::task_function, const location&, std::uint64_t /*ticks*/, bool /*leaves_tasks*/) noexcept {}
  /// Such a task has accesses: adding it to the graph took so long, or removing it when it was done.
  virtual void learn_graph(detail::task_function, const location&, bool /*adding*/, std::uint64_t /*ticks*/) noexcept {}

  /// As `ready`, for the task of a rank, which is not to be run on the stack of another caller: `index` of `count` that
  /// are divided among the caller's team in blocks, where the machine's workers do not share them evenly by themselves.
  /// False where the system has no stack for it.
  virtual bool start_apart(detail::task_node* task, int /*index*/, int /*count*/) {
    ready(task);
    return true;
  }

  /// Runs members of the scope, whose creator the caller is, on the caller's stack, while more than `rest` are in
  /// flight, one is at hand, there is room, and the tick `end` has not come.
  virtual void run_members(scope& s, std::int64_t rest, std::uint64_t end) = 0;
  /// For a local store, whose worker, the caller, is about to run a task: calls `fetch(env, task)` for each task that
  /// the worker will run next, as many as it sets aside. Others may take one when that was called for it.
  virtual void set_next_aside(void (*)(void*, detail::task_node&), void*) noexcept {}
  /// Gives the caller as somebody who can be suspended; null when the system has no stack left to go on with.
  virtual waiter* caller() = 0;
  /// For a caller that cannot be suspended: does some of what `covered` (if it is a scope that is waited for) is
  /// waiting for, on the caller's stack, or lets others run.
  virtual void help(const scope* covered) = 0;
  /// For a rank that looks for a message again and again: lets something else of its worker's run.
  virtual void let_others_run() { help(nullptr); }
  /// The public calls of the same names; `caller` is the calling context.
  virtual void run_loop(context& caller, const detail::loop& l) = 0;
  virtual void run_phase(context& caller, const detail::phase& p) = 0;
  virtual void run_offload(context& caller, std::uint32_t kernel, void (*call)(void*), void* env) = 0;
  /// For a caller that has no list of forks, or no room for another fork on its stack: runs `call(env)` where there
  /// are.
  virtual void run_forks(void (*call)(void*), void* env, location where) = 0;
  /// Runs `call(env)`, and the caller, who has no list of forks, has one meanwhile if it may be a worker.
  virtual void run_with_forks(void (*call)(void*), void* env) { call(env); }
  /// Promotes the oldest fork of the caller's list if somebody has nothing to do, and it is time.
  virtual void give_branch(detail::fork_list&) noexcept {}
  /// The caller runs a group's task of that call site itself: may it run some more without asking, up to the moment at
  /// which somebody has nothing to do?
  virtual void let_keep(detail::fork_list&, detail::task_function, const location&) noexcept {}
  /// Lets so many seconds pass for the caller, who declares them (`cost`); false where time passes by itself.
  virtual bool pay(double) { return false; }
  /// The caller is about to move so many bytes between caches and memory; nothing where memory takes its time by
  /// itself.
  virtual void moves(std::int64_t /*bytes*/) {}
  /// Does `moves` let any time pass?
  virtual bool is_slow_to_move() const { return false; }
  /// Gives what messages between workers pass, where a description says what they take there; else null. Throws `error`
  /// if the description is wrong.
  virtual message_links* links() { return nullptr; }
  /// Lets everything happen that happens before the caller's time, where time does not pass by itself: which tasks are
  /// done that a new one would wait for?
  virtual void catch_up() {}
  /// Calls the body of a task with accesses where workers have local stores.
  virtual void call_in_store(detail::task_node& task);
  /// Gives the caller's time; `ticks` in the executor's own unit.
  virtual std::uint64_t ticks() const { return base::ticks(); }
  virtual double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  /// Gives the CPU time that the process has taken, in seconds; nothing where time is virtual.
  virtual std::optional<double> cpu_seconds() const { return base::process_cpu_seconds(); }
  /// Called when a wait for some or all of the caller's tasks has ended.
  virtual void after_sharing() noexcept {}
  virtual int width() const = 0;
  virtual int workers() const = 0;
  /// The number by which a trace knows the caller: its worker's, or -1.
  virtual int track() const noexcept { return -1; }
  /// The same, for an event that the caller itself records: nobody else is that worker until `leave_track`.
  virtual int hold_track() noexcept { return track(); }
  virtual void leave_track() noexcept {}
  /// The program's own thread is about to block outside Maslin, and does no more: others on its node may have its CPUs
  /// meanwhile.
  virtual void lend() {}
  virtual void reclaim() {}
  /// Is the caller neither a worker nor the thread that started the runtime?
  virtual bool is_foreign_thread() const noexcept { return false; }
  /// A task with that body and so many accesses, created at that line, would wait for nothing: is it so small that its
  /// creator had better run it at once? `created`: how many the creator has handed over.
  virtual grain::task_size size_of(detail::task_function, const location&, std::size_t /*accesses*/,
                                   std::uint64_t /*created*/) const noexcept {
    return grain::task_size::large;
  }
  /// Gives the ticks that are lost if such a task, which has accesses, is handed over; 0 unless it is too small for it.
  virtual double lost_by_handing_over(detail::task_function, const location&) const noexcept { return 0; }
  /// Gives what the bodies of these tasks, some of a recording's, take in the mean, in ticks; 0 where that is not
  /// known, or where it is so much that they are shared in any case.
  virtual double mean_of_small(std::span<detail::task_node* const>) const noexcept { return 0; }
  /// Tasks that a creator, the caller, may have in flight before it runs a new one in place.
  virtual std::int64_t window() = 0;
  /// Tasks that create tasks that create tasks: is there stack left for the next?
  virtual bool has_stack_room() const noexcept { return true; }
  virtual bool serial() const { return false; }

 protected:
  executor() = default;
  /// For a described machine.
  explicit executor(bool times_code) : is_described_(true), times_code_(times_code) {}

 private:
  virtual void take_time() noexcept {}
  const bool is_described_ = false;
  const bool times_code_ = false;
};

/// Lives while code runs whose context is in force.
class timed_code {
 public:
  explicit timed_code(executor& exec) : exec_(exec) {}
  ~timed_code() { exec_.ran(); }
  timed_code(const timed_code&) = delete;
  timed_code& operator=(const timed_code&) = delete;

 private:
  executor& exec_;
};

/// Suspends the caller until at most `rest` members of the scope are open.
inline void suspend_until(executor& exec, scope& s, std::int64_t rest = 0) {
  while (s.in_flight() > rest) {
    if (waiter* me = exec.caller())
      s.await(*me, rest);
    else
      exec.help(&s);
  }
}

inline constexpr auto no_end = std::numeric_limits<std::uint64_t>::max();

/// The creator of the members runs on its own stack what nobody else has begun.
inline void run_members(executor& exec, scope& s, std::int64_t rest, std::uint64_t end = no_end) {
  if (s.in_flight() <= rest) return;
  const base::in_float_mode usual(base::usual_float_mode);
  exec.run_members(s, rest, end);
}

/// The same as `suspend_until` for the creator of the members.
inline void await(executor& exec, scope& s, std::int64_t rest = 0) {
  run_members(exec, s, rest);
  suspend_until(exec, s, rest);
}

/// The runtime's executor; null while there is none.
extern constinit std::atomic<executor*> running_executor;
/// The first call that needs a runtime starts it: the rare part of `the_executor`.
executor& start_by_call();
/// Gives the runtime's executor; starts the runtime on the first call. Throws `error` for a bad environment.
inline executor& the_executor() {
  executor* const exec = running_executor.load(std::memory_order_acquire);
  return exec ? *exec : start_by_call();
}

/// By which policies the run shares loops that ask for none, and chooses tasks.
struct run_policies {
  schedule loops;
  placement place;
  std::uint32_t set_aside = 0;  ///< tasks that a worker will run next, whose data its local store fetches
};

/// Makes the executor for this many workers (exec/threads).
std::unique_ptr<executor> make_threads(int workers, run_policies policies);
/// The same for a process that shares its node.
std::unique_ptr<executor> make_threads(std::unique_ptr<node::membership> as, run_policies policies);
/// Makes the executor for workers that are only described, in virtual time (exec/virtual).
std::unique_ptr<executor> make_virtual(const machine::machine_spec& machine, int workers, run_policies policies);
/// Gives the time of the described machine in nanoseconds; 0 before there was one.
std::uint64_t described_nanoseconds() noexcept;
/// In a forked child: the machine was its parent's.
void forget_described_machine_after_fork() noexcept;
/// Makes the serial elision (exec/serial).
std::unique_ptr<executor> make_serial();

}  // namespace maslin
