// Wires the rooms together: the public calls, the one runtime of the process, its beginning and its end.

#include "maslin/runtime.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/cannot_start.hpp"
#include "base/float_mode.hpp"
#include "base/no_leak.hpp"
#include "base/settings.hpp"
#include "exec/fiber/debuggers.hpp"
#include "exec/foreign/libraries.hpp"
#include "exec/foreign/one_thread.hpp"
#include "exec/forks/forks.hpp"
#include "exec/in_place.hpp"
#include "exec/leaving.hpp"
#include "exec/node/membership.hpp"
#include "exec/pages/pages.hpp"
#include "exec/ranks/eager.hpp"
#include "exec/ranks/waiting.hpp"
#include "exec/report_file.hpp"
#include "exec/store/stores.hpp"
#include "exec/submit/submit.hpp"
#include "exec/threads/foreign_waiter.hpp"
#include "exec/threads/place_choice.hpp"
#include "graph/poison.hpp"
#include "graph/recording.hpp"
#include "graph/store_clock.hpp"
#include "graph/version.hpp"
#include "machine/budget.hpp"
#include "machine/copies.hpp"
#include "maslin/cost.hpp"
#include "maslin/error.hpp"
#include "maslin/mutex.hpp"
#include "maslin/node.hpp"
#include "maslin/offload.hpp"
#include "sched/loop/policy.hpp"
#include "sched/place/policy.hpp"
#include "task/context.hpp"
#include "task/context_watcher.hpp"
#include "task/kernels.hpp"
#include "task/node.hpp"
#include "task/os_waiter.hpp"
#include "task/pool.hpp"
#include "task/uncancelled.hpp"
#include "trace/recorder.hpp"

namespace maslin {

constinit std::atomic<executor*> running_executor{nullptr};

namespace {

/// The one runtime. `users` counts Runtime objects; a runtime that a call started lives until the process ends.
struct process_runtime {
  std::mutex lock;
  std::unique_ptr<executor> exec;
  std::unique_ptr<foreign::one_thread> one_thread;  ///< of libraries, where the user wants that
  std::thread::id started_by;
  std::atomic<int> users{0};
  bool implicit = false;
  bool is_over = false;  ///< the process is at its end, and this has ended: what calls now runs in place
  Runtime::options running_with;
};

// A forked child gets a fresh one; the parent's, with its locks and threads, is left as it was. Never destroyed: other
// threads, and static destructors, may call to the end.
process_runtime* process = nullptr;
bool forked_inside_a_task = false;

void end_process(process_runtime& p) noexcept;

process_runtime& the_process() {
  // Ends the process's own at its exit: in a forked child that is the child's, for the parent's threads are not there.
  struct owner {
    owner() {
      process = new process_runtime;
      std::at_quick_exit([] { leave_records(); });
    }
    ~owner() { end_process(*process); }
  };
  static const owner of_process;
  return *process;
}

void print_exception(const std::exception_ptr& what) noexcept {
  try {
    std::rethrow_exception(what);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "maslin: an exception that no wait observed: %s\n", e.what());
  } catch (...) {
    std::fputs("maslin: an exception that no wait observed (not a std::exception)\n", stderr);
  }
}

/// Waits for a root context's tasks; called by its thread, at the end of the thread or of the runtime.
void drain(context& root) {
  executor* exec = running_executor.load(std::memory_order_acquire);
  if (exec) await_tasks(*exec, root);
  foreign_waiter::end_thread();
  if (!root.children->has_errors()) return;
  root.children->take_errors().take_each(print_exception);
}

// Around a fork its thread holds the locks that the process has, beside those of a runtime: so no other thread is in
// the middle of what they guard, and the child finds them free. All are held for moments only.
std::mutex starting;  ///< a runtime starts: the libraries that it asks have locks of their own

void around_fork(bool begins) noexcept {
  if (begins) starting.lock();
  foreign::around_fork(begins);
  trace::around_fork(begins);
  kernels_around_fork(begins);
  pool::around_fork(begins);
  groups_around_fork(begins);
  fibers_around_fork(begins);
  pages::around_fork(begins);
  if (!begins) starting.unlock();
}

void before_fork() {
  graph::tell_program_looks();
  around_fork(true);
}
void after_fork_in_parent() { around_fork(false); }
void after_fork_in_child() {
  around_fork(false);
  forked_inside_a_task = forked_inside_a_task || !is_outside_tasks();
  set_context_watcher(nullptr, watched::nothing);  // it tells the parent's executor
  set_current_context(nullptr);
  forget_root_context();
  keep_no_tasks();
  os_waiter::forget_after_fork();
  forget_waits_in_place_after_fork();
  trace::forget_after_fork();
  forget_reports_after_fork();
  forget_reporting_after_fork();
  forget_leaving_after_fork();
  node::segment::forget_after_fork();
  foreign::one_thread::forget_after_fork();
  forget_described_machine_after_fork();
  store::forget_after_fork();
  forget_place_after_fork();
  pages::forget_after_fork();
  machine::announce_workers(0);
  running_executor.store(nullptr, std::memory_order_relaxed);
  base::keep_reachable(process);
  process = new process_runtime;
}

/// What libmaslin_mpi.so calls around MPI's blocking calls.
void tell_mpi(bool runs) noexcept {
  struct calls {
    void (*lend)();
    void (*reclaim)();
  };
  static constexpr calls ours{[] { lend(); }, [] { reclaim(); }};
  // A preloaded library cannot see a runtime that is linked into the program; the program sees the library.
  if (void* const hear = dlsym(RTLD_DEFAULT, "maslin_mpi_hear_runtime"))
    reinterpret_cast<void (*)(const calls*)>(hear)(runs ? &ours : nullptr);
}

void refuse_beside_pages(const Runtime::options& wish, bool is_described) {
  const char* const other = wish.serial                     ? "the serial elision"
                            : is_described                  ? "a described machine"
                            : base::text_of("MASLIN_STORE") ? "local stores (MASLIN_STORE)"
                                                            : nullptr;
  if (other)
    throw error(std::string("MASLIN_CHECK=pages: this program runs with ") + other +
                ", where pages are not watched: expected workers on CPU cores; set MASLIN_CHECK=1");
}

void start(process_runtime& p, Runtime::options wish) {
  if (forked_inside_a_task)
    throw error(
        "Maslin was called in a process that was forked inside a task: fork outside tasks, or exec right after the "
        "fork");
  static const bool fork_handler = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
  (void)fork_handler;
  const std::lock_guard one_at_a_time(starting);
  set_root_drain(drain);
  base::tell_misspelt_settings();
  const std::optional<machine::machine_spec> described = machine::described_machine();
  wish.serial = wish.serial || base::flag_of("MASLIN_SERIAL");
  const auto checks = base::choice_of<pages::checks>("MASLIN_CHECK");
  const bool on_pages = checks == pages::checks::pages;
  if (on_pages) refuse_beside_pages(wish, described.has_value());
  const int asked = wish.workers > 0 ? wish.workers : machine::worker_count(described);
  const int workers = on_pages ? 1 : asked;  // one body at a time, and each run finds the same
  if (wish.place == placement::of_the_run) wish.place = place::of_the_run();
  run_policies policies{loop_policy::of_the_run(), wish.place};
  base::usual_float_mode = {};
  graph::set_renaming_limit(*base::number_of("MASLIN_RENAME") << 20);
  set_eager_bytes(base::number_of("MASLIN_EAGER"));
  const auto waiting = base::choice_of<rank_waiting>("MASLIN_RANK_WAIT");
  const bool takes_cores = waiting == rank_waiting::spin && machine::oversubscribed(workers);
  set_rank_waiting(takes_cores ? rank_waiting::yield : waiting);
  graph::set_data_checks(checks != pages::checks::none);
  std::unique_ptr<foreign::one_thread> one_thread;
  if (base::choice_of<foreign::policy>("MASLIN_FOREIGN") == foreign::policy::one_thread)
    one_thread = std::make_unique<foreign::one_thread>();
  std::unique_ptr<node::membership> shared;
  if (const std::string job = node::job_from_environment(); !job.empty() && !wish.serial && !described && !on_pages)
    shared = std::make_unique<node::membership>(job, workers);
  const bool shares = shared != nullptr;
  if (!wish.serial && !described)
    policies.set_aside = store::begin(shared ? shared->most() : workers);
  else
    store::end();
  trace::start_from_environment(wish.serial ? 1
                                : shared    ? shared->most()
                                            : workers,
                                described && !wish.serial ? described_nanoseconds : nullptr);
  forget_place_told();
  try {
    if (on_pages) pages::begin();
    p.exec = wish.serial ? make_serial()
             : described ? make_virtual(*described, workers, policies)
             : shared    ? make_threads(std::move(shared), policies)
                         : make_threads(workers, policies);
  } catch (...) {
    store::end();
    pages::end();
    trace::stop();
    throw;
  }
  p.one_thread = std::move(one_thread);
  p.running_with = {wish.serial ? 1 : asked, wish.serial, wish.place};
  begin_reporting(p.exec->workers(), described && !wish.serial ? described->name.c_str() : nullptr);
  p.started_by = std::this_thread::get_id();
  running_executor.store(p.exec.get(), std::memory_order_release);
  if (!wish.serial && !described) machine::announce_workers(p.exec->workers());
  if (trace::on()) watch_signals();
  if (shares) tell_mpi(true);
}

/// Starts the runtime; what goes wrong is what ends the program where nobody catches it.
void start(process_runtime& p, std::unique_lock<std::mutex>& held, const Runtime::options& wish) {
  const uncancelled during(true);
  try {
    start(p, wish);
  } catch (const error& e) {
    held.unlock();  // nobody may catch this, and nothing is unwound then
    base::throw_cannot_start(e);
  }
}

/// The executor whose end has begun. Tasks that are still in flight, of a group or of other threads, go on calling it.
std::atomic<executor*> ending_executor{nullptr};

void stop(process_runtime& p) noexcept {
  const uncancelled during(true);
  tell_mpi(false);
  drain_root_context();
  ending_executor.store(p.exec.get(), std::memory_order_release);
  running_executor.store(nullptr, std::memory_order_release);
  p.exec->end();
  ending_executor.store(nullptr, std::memory_order_release);
  p.exec.reset();
  pages::end();
  p.one_thread.reset();
  machine::announce_workers(0);
  {
    const records_kept saving;
    end_reporting();
    trace::stop();
  }
  store::end();
  unwatch_signals();
}

/// Calls in what runs after the runtime's end at the process's exit, such as older static destructors, run in place.
void run_in_place_from_now_on(process_runtime& p) noexcept {
  p.is_over = true;
  p.running_with = {1, true, placement::dbs};
  running_executor.store(make_serial().release(), std::memory_order_release);
}

/// The process exits. By the thread that started the runtime, outside of all tasks, it waits for all that is in flight.
/// Others cannot: inside a task they would wait for themselves, and elsewhere what they would wait for need not end.
void end_process(process_runtime& p) noexcept {
  const uncancelled during(true);
  std::unique_lock held(p.lock, std::defer_lock);
  const bool waits = is_outside_tasks() && held.try_lock();
  if (waits && p.exec && p.started_by == std::this_thread::get_id()) {
    tell_mpi(false);
    drain_root_context();
    p.exec->end();  // it stays: other threads may be in its calls
    pages::end();
    machine::announce_workers(0);
    leave_records();
    run_in_place_from_now_on(p);
  } else {
    pages::end();  // what is destroyed now may be the data of tasks that run
    leave_records();
    if (waits && !p.exec) run_in_place_from_now_on(p);
  }
  unwatch_signals();
}

/// Would the calling thread, which exits, wait for itself, or for others who need not end?
bool leaves_others_behind(const process_runtime& p) noexcept {
  return !is_outside_tasks() || (is_root_context_over() && p.started_by != std::this_thread::get_id());
}

}  // namespace

[[gnu::noinline]] executor& start_by_call() {
  if (!is_outside_tasks())
    if (executor* const ending = ending_executor.load(std::memory_order_acquire)) return *ending;
  process_runtime& p = the_process();
  std::unique_lock held(p.lock);
  if (p.is_over) return *running_executor.load(std::memory_order_acquire);
  if (!p.exec) {
    start(p, held, {});
    p.implicit = true;
  }
  return *p.exec;
}

namespace {

void expect_no_other(const process_runtime& p, const Runtime::options& wish) {
  const bool wants_other_place =
      wish.place != placement::of_the_run && wish.place != p.running_with.place && !p.running_with.serial;
  if ((wish.workers > 0 && wish.workers != p.running_with.workers) || (wish.serial && !p.running_with.serial) ||
      wants_other_place)
    throw error("Runtime: one with " + std::to_string(p.running_with.workers) + " workers" +
                (p.running_with.serial ? "" : " under " + std::string(place::name(p.running_with.place))) +
                " is running already; end it before another is made with other options");
}

}  // namespace

Runtime::Runtime() : Runtime(options{}) {}

Runtime::Runtime(const options& wish) {
  process_runtime& p = the_process();
  if (wish.workers < 0)
    throw error("Runtime: workers = " + std::to_string(wish.workers) +
                ": expected a positive number, or 0 for this process's CPU budget");
  // The lock may be held by who waits for the calling code; what it guards does not change before that ends.
  if (!is_outside_tasks()) {
    expect_no_other(p, wish);
    return;
  }
  std::unique_lock held(p.lock);
  if (p.is_over) return;
  if (p.exec)
    expect_no_other(p, wish);
  else
    start(p, held, wish);
  ++p.users;
  counts_ = true;
}

Runtime::~Runtime() {
  if (!counts_) return;
  process_runtime& p = the_process();
  const bool is_last = --p.users == 0;
  if (leaves_others_behind(p)) return;  // the runtime ends with the process
  std::lock_guard held(p.lock);
  if (!p.is_over && is_last && p.users == 0 && p.exec && !p.implicit) stop(p);
}

int width() { return the_executor().width(); }

std::chrono::duration<double> time() { return std::chrono::duration<double>(the_executor().seconds()); }
int workers() { return the_executor().workers(); }

void lend() noexcept {
  if (executor* exec = running_executor.load(std::memory_order_acquire)) exec->lend();
}
void reclaim() noexcept {
  if (executor* exec = running_executor.load(std::memory_order_acquire)) exec->reclaim();
}

namespace detail {

void throw_beyond_int64(std::uint64_t bound) {
  throw error("a loop begins or ends at " + std::to_string(bound) + ": expected at most " +
              std::to_string(std::numeric_limits<std::int64_t>::max()));
}

void throw_empty_body(const char* call, location where) {
  throw error(std::string(call) + " at " + where.file_name() + ":" + std::to_string(where.line()) +
              ": the body is a null pointer or an empty std::function; expected a function that can be called");
}

void run_loop(const loop& l) {
  executor& exec = the_executor();
  trace_foreign_caller(exec);
  foreign::one_thread::rescan();
  exec.run_loop(unrecorded_context("parallel_for or parallel_reduce"), l);
}
void run_phase(const phase& p) {
  const auto fail = [&](const std::string& what) {
    throw error(std::string("phase at ") + p.where.file_name() + ":" + std::to_string(p.where.line()) + ": " + what);
  };
  if (!p.name) fail("the name is a null pointer; expected what traces and reports are to call it");
  constexpr std::int64_t most = std::int64_t{1} << 47;  // traces count them in 48 bits
  if (p.streams < 0 || p.streams > most)
    fail(std::to_string(p.streams) + " streams; expected 0 to " + std::to_string(most));
  executor& exec = the_executor();
  trace_foreign_caller(exec);
  foreign::one_thread::rescan();
  context& here = unrecorded_context("phase");
  const uncancelled during(here);
  const reported_phase reported;
  exec.run_phase(here, p);
}
bool pay(double seconds) {
  constexpr double most = 9e6;  // a hundred days; picoseconds are counted in 64 bits
  if (!(seconds >= 0 && seconds <= most))
    throw error("ms::cost: " + std::to_string(seconds) + " s; expected 0 to 9,000,000 s");
  return the_executor().pay(seconds);
}

void run_offload(std::uint32_t kernel, void (*call)(void*), void* env) {
  executor& exec = the_executor();
  trace_foreign_caller(exec);
  exec.run_offload(unrecorded_context("offload"), kernel, call, env);
}

}  // namespace detail

void memory_traffic(std::int64_t bytes) {
  if (bytes < 0) throw error("ms::memory_traffic: " + std::to_string(bytes) + " bytes; expected 0 or more");
  executor& exec = the_executor();
  if (trace::on(trace::event_kind::traffic)) [[unlikely]]
    trace::record(traced_track(exec).number, trace::event_kind::traffic, 0, static_cast<std::uint64_t>(bytes));
  exec.moves(bytes);
}

bool memory_traffic_counts() {
  const executor& exec = the_executor();
  return trace::on(trace::event_kind::traffic) || exec.is_slow_to_move();
}

}  // namespace maslin
