// Wires the rooms together: the public calls, the one runtime of the process, its beginning and its end.

#include "maslin/runtime.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "exec/executor.hpp"
#include "machine/budget.hpp"
#include "maslin/error.hpp"
#include "maslin/mutex.hpp"
#include "maslin/offload.hpp"
#include "task/context.hpp"
#include "trace/recorder.hpp"

namespace maslin {

namespace {

/// The one runtime. `users` counts Runtime objects; a runtime that a call started lives until the process ends.
struct process_runtime {
  std::mutex lock;
  std::unique_ptr<executor> exec;
  int users = 0;
  bool implicit = false;
  Runtime::options running_with;
  std::vector<std::exception_ptr> unobserved;

  ~process_runtime();
};

std::atomic<executor*> running{nullptr};
// A forked child gets a fresh one; the parent's, with its locks and threads, is left as it was.
process_runtime* process = nullptr;
bool forked_inside_a_task = false;

process_runtime& the_process() {
  static std::unique_ptr<process_runtime> first = [] {
    auto made = std::make_unique<process_runtime>();
    process = made.get();
    return made;
  }();
  return *process;
}

bool serial_from_environment() {
  const char* text = std::getenv("MASLIN_SERIAL");
  const std::string_view value = text ? text : "";
  if (value.empty() || value == "0") return false;
  if (value == "1") return true;
  throw error("MASLIN_SERIAL=" + std::string(value) + ": expected 1 (run every call in place, in program order) or 0");
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
void drain(scope& root) {
  executor* exec = running.load(std::memory_order_acquire);
  if (exec) await(*exec, root);
  if (!root.has_errors()) return;
  for (auto& what : root.take_errors().take()) print_exception(what);
}

void in_forked_child() {
  forked_inside_a_task = current_context_or_null() != nullptr;
  set_current_context(nullptr);
  forget_root_context();
  trace::forget_after_fork();
  running.store(nullptr, std::memory_order_relaxed);
  process = new process_runtime;
}

void start(process_runtime& p, Runtime::options wish) {
  if (forked_inside_a_task)
    throw error(
        "Maslin was called in a process that was forked inside a task: fork outside tasks, or exec right after the "
        "fork");
  static const bool fork_handler = pthread_atfork(nullptr, nullptr, in_forked_child) == 0;
  (void)fork_handler;
  set_root_drain(drain);
  machine::refuse_described_machine();
  wish.serial = wish.serial || serial_from_environment();
  const int workers = wish.workers > 0 ? wish.workers : machine::worker_count();
  trace::start_from_environment(wish.serial ? 1 : workers);
  try {
    p.exec = wish.serial ? make_serial() : make_threads(workers);
  } catch (...) {
    trace::stop();
    throw;
  }
  p.running_with = {wish.serial ? 1 : workers, wish.serial};
  running.store(p.exec.get(), std::memory_order_release);
}

void stop(process_runtime& p) noexcept {
  drain_root_context();
  running.store(nullptr, std::memory_order_release);
  p.exec.reset();
  trace::stop();
}

process_runtime::~process_runtime() {
  if (exec) stop(*this);
}

}  // namespace

executor& the_executor() {
  if (executor* exec = running.load(std::memory_order_acquire)) return *exec;
  process_runtime& p = the_process();
  std::lock_guard held(p.lock);
  if (!p.exec) {
    start(p, {});
    p.implicit = true;
  }
  return *p.exec;
}

Runtime::Runtime() : Runtime(options{}) {}

Runtime::Runtime(const options& wish) {
  process_runtime& p = the_process();
  std::lock_guard held(p.lock);
  if (wish.workers < 0)
    throw error("Runtime: workers = " + std::to_string(wish.workers) +
                ": expected a positive number, or 0 for this process's CPU budget");
  if (p.exec) {
    const bool other =
        (wish.workers > 0 && wish.workers != p.running_with.workers) || (wish.serial && !p.running_with.serial);
    if (other)
      throw error("Runtime: one with " + std::to_string(p.running_with.workers) +
                  " workers is running already; end it before another is made with other options");
  } else {
    start(p, wish);
  }
  ++p.users;
}

Runtime::~Runtime() {
  process_runtime& p = the_process();
  std::lock_guard held(p.lock);
  if (--p.users == 0 && !p.implicit) stop(p);
}

int width() { return the_executor().width(); }
int workers() { return the_executor().workers(); }

void wait() {
  executor& exec = the_executor();
  scope& children = *current_context().children;
  await(exec, children);
  if (children.has_errors()) rethrow_first(children.take_errors());
}

group::group() : state_(new state) {}

group::~group() {
  scope& members = state_->members;
  if (!members.quiet()) await(the_executor(), members);
  scope& creator = *current_context().children;
  if (members.has_errors()) creator.add_errors(creator.next_place(), members.take_errors());
  delete state_;
}

void group::wait() {
  scope& members = state_->members;
  if (!members.quiet()) await(the_executor(), members);
  if (members.has_errors()) rethrow_first(members.take_errors());
}

namespace detail {

task_storage allocate_task(std::size_t bytes, std::size_t alignment) {
  the_executor();  // what can go wrong with a start goes wrong before there is a callable to destroy
  return new_task_storage(bytes, alignment);
}

void submit_task(task_storage storage, void (*run)(void*), group* in, location where) {
  executor* exec = &the_executor();
  scope& members = in ? in->get().members : *current_context().children;
  const bool full = members.in_flight() >= exec->window();
  auto* task = new (storage.node) task_node(members, current_context().stream, run, storage.callable, where);
  if (full)
    run_task(task);
  else
    exec->submit(task);
}

void run_loop(const loop& l) { the_executor().run_loop(l); }
void run_phase(const phase& p) { the_executor().run_phase(p); }
void run_offload(std::uint32_t kernel, void (*call)(void*), void* env) {
  the_executor().run_offload(kernel, call, env);
}

}  // namespace detail

}  // namespace maslin
