// What runs on a worker says how many threads the libraries that it calls may use (exec/foreign/README.md).

#include <cstdio>

#include "exec/foreign/libraries.hpp"
#include "exec/threads/threads.hpp"
#include "task/context_watcher.hpp"
#include "trace/recorder.hpp"

namespace maslin {

namespace {

/// Gives how many threads of a library the code of that context may have. A stream has its team to itself while none of
/// its tasks is under way; tasks and the bodies of loops have their worker.
int granted(const context& c, const worker& w) {
  if (!c.owns_stream || !c.children->quiet()) return 1;
  return w.in_team.load(std::memory_order_acquire)->width();
}

std::atomic<threads_executor*> watching{nullptr};

/// The calling thread is no worker: it runs a task in place, or goes on in the program's own code.
void run_outside(bool in_task) noexcept {
  if (in_task)
    foreign::limit_thread(1);
  else
    foreign::leave_thread();
  thread_local bool counted = false;
  threads_executor* const exec = watching.load(std::memory_order_acquire);
  if (counted == in_task || !exec || foreign::known_process_wide() == 0) return;
  counted = in_task;
  exec->process_limit().count_outside(in_task ? 1 : -1);
}

/// Without a worker, the program's own thread has what it had, but in a task that it runs itself. A worker's loop
/// leaves things as they are: what it runs next is likely to want the same.
void context_changed(context* now) noexcept {
  worker* const w = self();
  const bool is_own = !now || now->is_root;
  if (!w) return run_outside(!is_own);
  if (is_own) return;
  const int threads = granted(*now, *w);
  foreign::limit_thread(threads);
  if (threads == 1)
    w->exec.process_limit().claim(w->index, 1);
  else if (now != w->shares)
    w->exec.claim_alone(*w->in_team.load(std::memory_order_acquire), w->index, threads);
}

}  // namespace

void threads_executor::count_call() {
  // A program may do nothing but loops, and load a library between two of them.
  constexpr unsigned calls_between_looks = 256;
  if (++calls_ % calls_between_looks == 0) look_again_for_libraries();
}

void threads_executor::look_again_for_libraries() {
  if (!limits_libraries_ || self()) return;
  const std::uint64_t now = base::ticks();
  if (now < look_again_at_.load(std::memory_order_relaxed)) return;
  constexpr double seconds_between = 1e-3;  // a look that finds nothing new takes less than a microsecond
  look_again_at_.store(now + static_cast<std::uint64_t>(seconds_between / base::seconds_per_tick()),
                       std::memory_order_relaxed);
  look_for_libraries();
}

void threads_executor::look_for_libraries() {
  if (!limits_libraries_ || self()) return;
  const int before = foreign::known();
  if (foreign::look() == 0) return;
  const bool first = !has_libraries_.exchange(true, std::memory_order_relaxed);
  if (first) {
    watching.store(this, std::memory_order_release);
    set_context_watcher(context_changed);
  }
  if (first || foreign::known() > before) process_limit_.apply();
}

void threads_executor::tell_of_libraries(int track) {
  if (!has_libraries_.load(std::memory_order_relaxed)) return;
  static std::atomic<int> told{0};  // once in a process, where a trace is a runtime's
  const int libraries = foreign::known();
  for (int i = libraries_traced_.exchange(libraries, std::memory_order_relaxed); i < libraries; ++i)
    if (const foreign::library& l = foreign::at(i); trace::on() && l.limits != foreign::reach::none)
      trace::record(track, trace::event_kind::library, trace::intern(l.name.c_str()),
                    std::uint64_t{l.limits == foreign::reach::process});
  for (int i = told.exchange(libraries, std::memory_order_relaxed); i < libraries; ++i)
    if (const foreign::library& l = foreign::at(i); l.limits == foreign::reach::process)
      std::fprintf(stderr,
                   "maslin: %s has one limit on its threads for the whole process: while Maslin works it is the least "
                   "width of all that runs (MASLIN_FOREIGN=0 leaves it alone)\n",
                   l.name.c_str());
}

void threads_executor::forget_libraries() noexcept {
  if (!has_libraries_.load(std::memory_order_relaxed)) return;
  set_context_watcher(nullptr);
  watching.store(nullptr, std::memory_order_release);
}

void threads_executor::shared_no_more() noexcept {
  if (!has_libraries_.load(std::memory_order_relaxed)) return;
  if (self())
    context_changed(current_context_or_null());
  else
    back_in_program();  // what it waited for may have been done before it came to wait
}

void threads_executor::back_in_program() noexcept {
  if (!has_libraries_.load(std::memory_order_relaxed)) return;
  context_changed(current_context_or_null());
  if (current_context().children->quiet())
    claim_alone(*whole_, 0, 0);
  else
    process_limit_.claim(0, 0);
}

void threads_executor::claim_alone(const team& t, int worker, int threads) noexcept {
  process_limit_.claim_alone(worker, threads,
                             [&](int w) { return at(w).in_team.load(std::memory_order_relaxed) == &t; });
}

}  // namespace maslin
