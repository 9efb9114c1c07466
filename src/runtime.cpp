// Wires the rooms together: the public calls, the one runtime of the process, its beginning and its end.

#include "maslin/runtime.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>

#include "base/cannot_start.hpp"
#include "base/chance.hpp"
#include "base/clock.hpp"
#include "base/float_mode.hpp"
#include "base/lock.hpp"
#include "base/no_leak.hpp"
#include "base/settings.hpp"
#include "exec/execute.hpp"
#include "exec/executor.hpp"
#include "exec/foreign/libraries.hpp"
#include "exec/foreign/one_thread.hpp"
#include "exec/forks/forks.hpp"
#include "exec/in_place.hpp"
#include "exec/leaving.hpp"
#include "exec/node/membership.hpp"
#include "exec/report_file.hpp"
#include "graph/read_check.hpp"
#include "graph/recording.hpp"
#include "graph/version.hpp"
#include "machine/budget.hpp"
#include "machine/copies.hpp"
#include "maslin/cost.hpp"
#include "maslin/error.hpp"
#include "maslin/mutex.hpp"
#include "maslin/node.hpp"
#include "maslin/offload.hpp"
#include "sched/loop/policy.hpp"
#include "task/context.hpp"
#include "task/context_watcher.hpp"
#include "task/kernels.hpp"
#include "task/os_waiter.hpp"
#include "task/pool.hpp"
#include "trace/recorder.hpp"

namespace maslin {

namespace {

/// The one runtime. `users` counts Runtime objects; a runtime that a call started lives until the process ends.
struct process_runtime {
  std::mutex lock;
  std::unique_ptr<executor> exec;
  std::unique_ptr<foreign::one_thread> one_thread;  ///< of libraries, where the user wants that
  std::thread::id started_by;
  int users = 0;
  bool implicit = false;
  bool is_over = false;  ///< the process is at its end, and this has ended: what calls now runs in place
  Runtime::options running_with;
};

std::atomic<executor*> running{nullptr};
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
  executor* exec = running.load(std::memory_order_acquire);
  if (exec) await_tasks(*exec, root);
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
  if (!begins) starting.unlock();
}

void before_fork() { around_fork(true); }
void after_fork_in_parent() { around_fork(false); }
void after_fork_in_child() {
  around_fork(false);
  forked_inside_a_task = current_context_or_null() != nullptr || forks_of_thread()->innermost != nullptr;
  set_context_watcher(nullptr);  // it tells the parent's executor
  set_current_context(nullptr);
  forget_root_context();
  os_waiter::forget_after_fork();
  trace::forget_after_fork();
  forget_reports_after_fork();
  forget_reporting_after_fork();
  forget_leaving_after_fork();
  node::segment::forget_after_fork();
  foreign::one_thread::forget_after_fork();
  machine::announce_workers(0);
  running.store(nullptr, std::memory_order_relaxed);
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
  const int workers = wish.workers > 0 ? wish.workers : machine::worker_count(described);
  const schedule loops = loop_policy::of_the_run();
  base::usual_float_mode = {};
  graph::set_renaming_limit(*base::number_of("MASLIN_RENAME") << 20);
  graph::set_read_checks(base::flag_of("MASLIN_CHECK"));
  std::unique_ptr<foreign::one_thread> one_thread;
  if (base::choice_of<foreign::policy>("MASLIN_FOREIGN") == foreign::policy::one_thread)
    one_thread = std::make_unique<foreign::one_thread>();
  std::unique_ptr<node::membership> shared;
  if (const std::string job = node::job_from_environment(); !job.empty() && !wish.serial && !described)
    shared = std::make_unique<node::membership>(job, workers);
  const bool shares = shared != nullptr;
  trace::start_from_environment(wish.serial ? 1
                                : shared    ? shared->most()
                                            : workers,
                                described && !wish.serial ? described_nanoseconds : nullptr);
  try {
    p.exec = wish.serial ? make_serial()
             : described ? make_virtual(*described, workers, loops)
             : shared    ? make_threads(std::move(shared), loops)
                         : make_threads(workers, loops);
  } catch (...) {
    trace::stop();
    throw;
  }
  p.one_thread = std::move(one_thread);
  p.running_with = {wish.serial ? 1 : workers, wish.serial};
  begin_reporting(p.exec->workers(), described && !wish.serial ? described->name.c_str() : nullptr);
  p.started_by = std::this_thread::get_id();
  running.store(p.exec.get(), std::memory_order_release);
  if (!wish.serial && !described) machine::announce_workers(p.exec->workers());
  if (trace::on()) watch_signals();
  if (shares) tell_mpi(true);
}

/// Starts the runtime; what goes wrong is what ends the program where nobody catches it.
void start(process_runtime& p, std::unique_lock<std::mutex>& held, const Runtime::options& wish) {
  try {
    start(p, wish);
  } catch (const error& e) {
    held.unlock();  // nobody may catch this, and nothing is unwound then
    base::throw_cannot_start(e);
  }
}

void stop(process_runtime& p) noexcept {
  tell_mpi(false);
  drain_root_context();
  running.store(nullptr, std::memory_order_release);
  p.exec->end();
  p.exec.reset();
  p.one_thread.reset();
  machine::announce_workers(0);
  {
    const records_kept saving;
    end_reporting();
    trace::stop();
  }
  unwatch_signals();
}

/// Calls in what runs after the runtime's end at the process's exit, such as older static destructors, run in place.
void run_in_place_from_now_on(process_runtime& p) noexcept {
  p.is_over = true;
  p.running_with = {1, true};
  running.store(make_serial().release(), std::memory_order_release);
}

/// The process exits. By the thread that started the runtime, outside of all tasks, it waits for all that is in flight.
/// Others cannot: inside a task they would wait for themselves, and elsewhere what they would wait for need not end.
void end_process(process_runtime& p) noexcept {
  std::unique_lock held(p.lock, std::defer_lock);
  const bool waits = !current_context_or_null() && held.try_lock();
  if (waits && p.exec && p.started_by == std::this_thread::get_id()) {
    tell_mpi(false);
    drain_root_context();
    p.exec->end();  // it stays: other threads may be in its calls
    machine::announce_workers(0);
    leave_records();
    run_in_place_from_now_on(p);
  } else {
    leave_records();
    if (waits && !p.exec) run_in_place_from_now_on(p);
  }
  unwatch_signals();
}

/// Would the calling thread, which exits, wait for itself, or for others who need not end?
bool leaves_others_behind(const process_runtime& p) noexcept {
  return current_context_or_null() || (is_root_context_over() && p.started_by != std::this_thread::get_id());
}

/// The first call that needs a runtime starts it. No inline: this is the rare part of every call.
[[gnu::noinline]] executor& start_by_call() {
  process_runtime& p = the_process();
  std::unique_lock held(p.lock);
  if (p.is_over) return *running.load(std::memory_order_acquire);
  if (!p.exec) {
    start(p, held, {});
    p.implicit = true;
  }
  return *p.exec;
}

}  // namespace

executor& the_executor() {
  executor* exec = running.load(std::memory_order_acquire);
  return exec ? *exec : start_by_call();
}

Runtime::Runtime() : Runtime(options{}) {}

Runtime::Runtime(const options& wish) {
  process_runtime& p = the_process();
  std::unique_lock held(p.lock);
  if (wish.workers < 0)
    throw error("Runtime: workers = " + std::to_string(wish.workers) +
                ": expected a positive number, or 0 for this process's CPU budget");
  if (p.is_over) return;
  if (p.exec) {
    const bool other =
        (wish.workers > 0 && wish.workers != p.running_with.workers) || (wish.serial && !p.running_with.serial);
    if (other)
      throw error("Runtime: one with " + std::to_string(p.running_with.workers) +
                  " workers is running already; end it before another is made with other options");
  } else {
    start(p, held, wish);
  }
  ++p.users;
}

Runtime::~Runtime() {
  process_runtime& p = the_process();
  if (leaves_others_behind(p)) return;  // the runtime ends with the process
  std::lock_guard held(p.lock);
  if (!p.is_over && --p.users == 0 && !p.implicit) stop(p);
}

int width() { return the_executor().width(); }

std::chrono::duration<double> time() { return std::chrono::duration<double>(the_executor().seconds()); }
int workers() { return the_executor().workers(); }

void lend() noexcept {
  if (executor* exec = running.load(std::memory_order_acquire)) exec->lend();
}
void reclaim() noexcept {
  if (executor* exec = running.load(std::memory_order_acquire)) exec->reclaim();
}

namespace {

/// The calling context, for a call that cannot be recorded.
context& unrecorded_context(const char* call) {
  context& here = current_context();
  if (here.records_into)
    throw error(std::string(call) +
                " was called while tasks are recorded: a recording holds tasks only, so a replay would leave this out; "
                "call it before or after ms::record, or inside a task");
  return here;
}

}  // namespace

void wait() {
  executor& exec = the_executor();
  foreign::one_thread::look_again();
  context& here = unrecorded_context("wait");
  const noted_wait noted(exec, nullptr);
  await_tasks(exec, here);
  exec.shared_no_more();
  if (here.children->has_errors()) rethrow_first(here.children->take_errors());
}

namespace {

void await_members(scope& group) {
  executor& exec = the_executor();
  foreign::one_thread::look_again();
  const noted_wait noted(exec, &group);
  await_tasks(exec, current_context(), &group);
  exec.shared_no_more();
}

}  // namespace

static_assert(sizeof(group::state) <= sizeof(group) && alignof(group::state) <= alignof(group));

namespace {

/// Gives the calling stream if what lies there is a local variable of the code that runs in the calling context: it is
/// on the stack, below the context, which lives there too, and above `frame`, that of the function which this code
/// calls.
void* stream_of_local(const void* variable, const void* frame) noexcept {
  const context& here = current_context();
  if (here.in_offload) return nullptr;  // a kernel may run on another stack than its stream
  const std::less<> below;
  return below(frame, variable) && below(variable, &here) ? here.stream : nullptr;
}

}  // namespace

group::group() { new (state_) state(stream_of_local(this, __builtin_frame_address(0))); }

group::~group() {
  scope& members = get().members;
  if (members.created() > 0) {
    await_members(members);
    note_group_end(the_executor(), members);
  }
  scope& creator = *current_context().children;
  if (members.has_errors()) creator.add_errors(creator.created(), members.take_thrown());
  get().~state();
}

void group::wait() {
  scope& members = get().members;
  if (members.created() > 0) await_members(members);
  if (members.has_errors()) rethrow_first(members.take_errors());
}

namespace detail {

namespace {

scope& members_of(group* in, context& here) { return in ? in->get().members : *here.children; }
void* stream_of(group* in, const context& here) { return in ? in->get().stream : here.stream; }

bool is_full(executor& exec, context& here, group* in) {
  if (here.records_into) return false;
  if (exec.serial()) return true;
  scope& members = members_of(in, here);
  if (!in && members.created() < here.look_again) return false;
  const std::int64_t window = exec.window();
  const std::int64_t room = window - members.in_flight();
  // The count moves in other caches: it is looked at again when the window can be full at the earliest.
  if (!in && room > 0) here.look_again = members.created() + static_cast<std::uint64_t>(room);
  return room <= 0;
}

/// `small`: what the creator creates is too small to be handed over: once nothing is in flight, it runs it itself.
void wait_for_room(executor& exec, group* in, scope& members, bool small) {
  const std::int64_t rest = small ? 0 : exec.window() / 2;
  const uncancelled during(current_context());
  if (!in) return await(exec, members, rest);
  // Others may create members of a group meanwhile; so nobody sleeps for its window.
  const base::in_float_mode usual(base::usual_float_mode);
  while (members.in_flight() > rest && exec.run_member(members)) {
  }
}

}  // namespace

task_storage allocate_task(std::size_t bytes, std::size_t alignment, std::size_t accesses) {
  the_executor();  // what can go wrong with a start goes wrong before there is a callable to destroy
  return new_task_storage(bytes, alignment, accesses);
}

namespace {

/// Can the graph do without a task with these accesses where nothing else of its creator's is in flight? It can, but
/// that a reduction's values are combined later and read checks look at every task.
bool can_stand_alone(const task_description& what) noexcept {
  for (std::size_t i = 0; i < what.access_count; ++i)
    if (what.accesses[i].mode == access_mode::reduction) return false;
  return !graph::read_checks();
}

/// Runs members of the scope that are at hand and waits for the others until `end`; gives whether none is in flight.
bool are_done_by(std::uint64_t end, executor& exec, scope& members) noexcept {
  const base::in_float_mode usual(base::usual_float_mode);
  while (members.in_flight() > 0 && base::ticks() < end && exec.run_member(members)) {
  }
  while (members.in_flight() > 0) {
    if (base::ticks() >= end) return false;
    base::relax();
  }
  return true;
}

/// A task waits for what its creator has in flight, or might. Where handing it over takes longer than its body, the
/// creator waits for all that first, after which it can run this and what comes next itself. It waits for half as long
/// as it has lost by handing such tasks over: what is in flight may be long. Gives whether nothing is in flight now.
/// No inline: few creations come here, and all others would save registers for it.
[[gnu::noinline]] bool comes_to_rest(executor& exec, context& here, const task_description& what) noexcept {
  if (here.at_once && !what.in) return false;
  constexpr float worth_waiting = 16;  // tasks
  const auto lost = static_cast<float>(exec.lost_by_handing_over(what.run, what.where));
  if (lost == 0 || here.children->has_errors()) return false;
  here.lost += lost;
  if (here.lost < std::max(here.waits_at, worth_waiting * lost)) return false;
  here.waits_at = 2 * here.lost;
  const auto patience = static_cast<std::uint64_t>(here.lost / 2);
  const std::uint64_t end = base::ticks() + patience;
  if (!are_done_by(end, exec, *here.children) || (what.in && !are_done_by(end, exec, what.in->get().members)))
    return false;
  if (!here.data) return true;
  graph::domain& data = graph::domain::of(here);
  try {
    data.bring_home_up_to(patience, exec);  // to copy a byte takes less than a tick
  } catch (const std::bad_alloc&) {
    return false;
  }
  await(exec, *here.children);
  data.forget_guests();
  return data.is_settled();
}

/// Does a task with these accesses wait for nothing, and does nothing need to be noted of it?
bool stands_alone(executor& exec, context& here, const task_description& what) noexcept {
  if (!can_stand_alone(what) || !(graph::is_settled(here) || comes_to_rest(exec, here, what))) return false;
  here.lost = here.waits_at = 0;
  return true;
}

/// Makes the graph know what the task reads and writes; gives whether it waits for nothing. What is thrown leaves no
/// task.
bool add_to_graph(executor& exec, context& creator, task_node& task, std::span<const declared> data, bool at_home) {
  exec.catch_up();
  try {
    return graph::domain::of(creator).add(task, data.data(), at_home, exec);
  } catch (...) {
    task.run(task.callable, nullptr, body_use::destroy);
    task.accesses = 0;
    graph::finish(&task, exec);
    throw;
  }
}

/// The same for a new task; if that is timed, its call site learns how long it took.
bool add_new(executor& exec, context& creator, task_node& task, const task_description& what) {
  const std::uint64_t begin = task.is_timed ? base::ticks() : 0;
  const bool ready = add_to_graph(exec, creator, task, {what.accesses, what.access_count}, false);
  if (begin) exec.learn_graph(what.run, what.where, true, base::ticks() - begin);
  return ready;
}

}  // namespace

context* runs_at_once(const task_description& what) noexcept {
  executor* exec = running.load(std::memory_order_acquire);
  if (!exec) return nullptr;
  context& here = current_context();
  if (here.records_into || (what.access_count > 0 && !stands_alone(*exec, here, what))) return nullptr;
  // A task that is run at once hands its own over, so that tasks which create each other do not pile up; those of a
  // group have somebody who waits for them anyway.
  const bool may_be_small = !here.at_once || what.in;
  const bool small =
      may_be_small && exec->is_too_small(what.run, what.where, what.access_count, members_of(what.in, here).created());
  return small || is_full(*exec, here, what.in) ? &here : nullptr;
}

namespace {

/// The callable of a task whose body has run already.
void do_nothing(void*, const access_record*, body_use) {}

/// A task that was run at once has thrown, or one that it created.
[[gnu::cold]] void fail_at_once(executor& exec, context& creator, const task_description& what, std::uint64_t place,
                                error_list&& errors) {
  scope& members = members_of(what.in, creator);
  if (what.access_count == 0) return members.add_errors(place, std::move(errors));
  // What it would have written is void: so says a task in its place that fails.
  task_storage storage;
  try {
    storage = new_task_storage(0, 1, what.access_count);
  } catch (...) {
    members.add_errors(place, std::move(errors));
    throw;
  }
  task_description failed = what;
  failed.run = do_nothing;
  auto* task = new (storage.node) task_node(members, stream_of(what.in, creator), storage, failed);
  task->children.add_errors(0, std::move(errors));
  if (add_to_graph(exec, creator, *task, {what.accesses, what.access_count}, false)) run_task(exec, task, exec);
}

}  // namespace

void run_at_once(context& creator, const task_description& what, void* callable, access_record* records) {
  executor& exec = the_executor();
  for (std::size_t i = 0; i < what.access_count; ++i) records[i] = {what.accesses[i].data, nullptr, {}};
  // Another thread may wait for a group; the creator's own tasks are waited for by nobody else.
  const std::uint64_t place = what.in ? what.in->get().members.enter() : creator.children->created();
  scope own(creator.children);
  context here(own);
  here.stream = stream_of(what.in, creator);
  here.at_once = true;
  note_created(exec, what, trace::ran_at_once);
  note_task(exec, trace::event_kind::task_begin, what.where, trace::ran_at_once);
  const std::uint64_t begin = base::one_in_sixteen() ? base::ticks() : 0;
  bool leaves_tasks = false;
  const base::kept_rounding creators;
  error_list errors = run_enclosed(exec, here, own, [&] {
    what.run(callable, records, body_use::call);
    leaves_tasks = !own.quiet();
  });
  if (begin || leaves_tasks) exec.learn(what.run, what.where, base::ticks() - begin, leaves_tasks);
  note_task(exec, trace::event_kind::task_end, what.where, trace::ran_at_once);
  if (!errors.empty()) fail_at_once(exec, creator, what, place, std::move(errors));
  if (what.in) what.in->get().members.leave();
}

namespace {

/// The creator runs its new task itself.
void run_here(executor& exec, task_node* task) {
  const location where = task->where;
  const std::uint64_t number = traced_number(task);
  note_task(exec, trace::event_kind::task_begin, where, number);
  run_task(exec, task, exec);
  note_task(exec, trace::event_kind::task_end, where, number);
}

}  // namespace

void submit_task(const task_storage& storage, const task_description& what) {
  executor& exec = the_executor();
  context& here = current_context();
  if (here.records_into) return here.records_into->add(storage, what);
  scope& members = members_of(what.in, here);
  const bool full = is_full(exec, here, what.in);
  auto* task = new (storage.node) task_node(members, stream_of(what.in, here), storage, what);
  note_created(exec, what, traced_number(task));
  task->is_timed = base::one_in_sixteen();
  const bool ready = what.access_count == 0 || add_new(exec, here, *task, what);
  if (ready && full)
    run_here(exec, task);
  else if (ready)
    exec.ready(task);
  else if (full)
    wait_for_room(exec, what.in, members, exec.lost_by_handing_over(what.run, what.where) > 0);
}

namespace {

/// Waits until the accesses could be made by a task that was created now, of which data must be at home. Throws `error`
/// when one needs what a failed task would have written.
void wait_for_data(executor& exec, context& here, std::span<const declared> data, const char* call, location where) {
  bool reached = false;
  {
    scope members(here.children, scope::creators::many);
    const task_storage storage = new_task_storage(sizeof(bool*), alignof(bool*), data.size());
    *static_cast<bool**>(storage.callable) = &reached;
    const auto run = [](void* at, const access_record*, body_use use) {
      if (use == body_use::call || use == body_use::call_and_destroy) **static_cast<bool**>(at) = true;
    };
    auto* task =
        new (storage.node) task_node(members, here.stream, storage, {run, nullptr, where, 0, data.data(), data.size()});
    if (add_to_graph(exec, here, *task, data, true)) run_task(exec, task, exec);
    // Not on this stack: another of the caller's tasks may be waiting for what the caller does after this.
    suspend_until(exec, members);
    // Nobody waits for this scope again, so it leaves nothing void behind.
    if (!reached) graph::domain::of(here).quiet(&members, true);
  }
  if (!reached)
    throw error(std::string(call) + " at " + where.file_name() + ":" + std::to_string(where.line()) +
                ": a task that writes this data threw or was cancelled; the next wait() says what was thrown");
}

}  // namespace

void wait_on_data(const declared& data, location where) {
  executor& exec = the_executor();
  context& here = unrecorded_context("wait_on");
  const noted_wait noted(exec, nullptr, &data);
  const uncancelled during(here);
  if (here.data) wait_for_data(exec, here, {&data, 1}, "wait_on", where);
}

recording record(void (*create)(void* env), void* env, location where) {
  the_executor();
  unrecorded_context("record");
  std::unique_ptr<recording::state> made;
  {
    graph::recorder tasks;
    {
      entered in(tasks.creator());
      create(env);
    }
    made = tasks.finish();
  }
  recording all(std::move(made));
  replay(all, {}, where);
  return all;
}

void replay(recording& tasks, std::span<const rebinding> instead, location where) {
  context& here = unrecorded_context("replay");
  if (tasks.tasks() == 0) return;
  wait();
  executor& exec = the_executor();
  recording::state& all = tasks.get();
  const std::lock_guard turn(all.turn);
  all.bind(instead, where);
  const uncancelled during(here);
  // Tasks of groups may be in flight; those that use the same data come first.
  if (here.data && graph::domain::of(here).in_use()) wait_for_data(exec, here, all.accesses(instead), "replay", where);
  run_recorded(exec, all);
  if (all.members.has_errors()) rethrow_first(all.members.take_errors());
}

void throw_beyond_int64(std::uint64_t bound) {
  throw error("a loop begins or ends at " + std::to_string(bound) + ": expected at most " +
              std::to_string(std::numeric_limits<std::int64_t>::max()));
}

void run_loop(const loop& l) {
  executor& exec = the_executor();
  note_stranger(exec);
  foreign::one_thread::look_again();
  exec.run_loop(unrecorded_context("parallel_for or parallel_reduce"), l);
}
void run_phase(const phase& p) {
  executor& exec = the_executor();
  note_stranger(exec);
  foreign::one_thread::look_again();
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
  note_stranger(exec);
  exec.run_offload(unrecorded_context("offload"), kernel, call, env);
}

}  // namespace detail

}  // namespace maslin
