#include "exec/threads/library_threads.hpp"

#include <cstdio>

#include "base/settings.hpp"
#include "exec/foreign/libraries.hpp"
#include "exec/foreign/one_thread.hpp"
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

std::atomic<library_threads*> watching{nullptr};

/// The calling thread is no worker: it runs a task in place, or goes on in the program's own code. A limit of the whole
/// process is left alone for a tiny task: to set it and put it back takes as long as the task's body.
void run_outside(bool in_task, bool tiny) noexcept {
  const int process_wide = foreign::known_process_wide();
  if (process_wide < foreign::known()) in_task ? foreign::limit_thread(1) : foreign::leave_thread();
  thread_local bool counted = false;
  library_threads* const libraries = watching.load(std::memory_order_acquire);
  if (counted == in_task || tiny || !libraries || process_wide == 0) return;
  counted = in_task;
  libraries->process_limit().count_outside(in_task ? 1 : -1);
}

/// Without a worker, the program's own thread has what it had, but in a task that it runs itself. A worker's loop
/// leaves things as they are: what it runs next is likely to want the same.
void context_changed(context* now) noexcept {
  worker* const w = self();
  const bool is_own = !now || now->is_root;
  if (!w) return run_outside(!is_own, now && now->tiny);
  if (is_own) return;
  const int threads = granted(*now, *w);
  foreign::limit_thread(threads);
  if (threads == 1)
    w->exec.libraries().process_limit().claim(w->index, 1);
  else if (now != w->shares)
    w->exec.libraries().claim_alone(*w->in_team.load(std::memory_order_acquire), w->index, threads);
}

}  // namespace

library_threads::library_threads(threads_executor& exec, int workers)
    : exec_(exec),
      limits_(base::choice_of<foreign::policy>("MASLIN_FOREIGN") == foreign::policy::granted),
      process_limit_(workers) {}

void library_threads::rescan() {
  if (!limits_ || self()) return;
  const std::uint64_t now = base::ticks();
  if (now < next_scan_.load(std::memory_order_relaxed)) return;
  constexpr double seconds_between = 1e-3;  // a look that finds nothing new takes less than a microsecond
  next_scan_.store(now + static_cast<std::uint64_t>(seconds_between / base::seconds_per_tick()),
                   std::memory_order_relaxed);
  look();
}

void library_threads::look() {
  if (!limits_ || self()) return;
  const int before = foreign::known();
  if (foreign::look() == 0) return;
  const bool first = !found_.exchange(true, std::memory_order_relaxed);
  if (first) watching.store(this, std::memory_order_release);
  const bool all_process_wide = foreign::known_process_wide() == foreign::known();
  set_context_watcher(context_changed, all_process_wide ? watched::larger_outside : watched::outside);
  if (first || foreign::known() > before) process_limit_.apply();
}

void library_threads::tell(int track) {
  if (!any()) return;
  static std::atomic<int> told{0};  // once in a process, where a trace is a runtime's
  const int libraries = foreign::known();
  for (int i = traced_.exchange(libraries, std::memory_order_relaxed); i < libraries; ++i)
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

void library_threads::forget() noexcept {
  if (!any()) return;
  set_context_watcher(nullptr, watched::nothing);
  watching.store(nullptr, std::memory_order_release);
}

void library_threads::caller_goes_on() noexcept {
  if (self())
    context_changed(current_context_or_null());
  else
    starter_goes_on();  // what it waited for may have been done before it came to wait
}

void library_threads::starter_goes_on() noexcept {
  context_changed(current_context_or_null());
  // Beside a task that it runs at once, workers may have others.
  if (const context& here = current_context(); here.is_root && here.children->quiet())
    claim_alone(exec_.whole(), 0, 0);
  else
    process_limit_.claim(0, 0);
}

void library_threads::claim_alone(const team& t, int worker, int threads) noexcept {
  process_limit_.claim_alone(worker, threads,
                             [&](int w) { return exec_.at(w).in_team.load(std::memory_order_relaxed) == &t; });
}

}  // namespace maslin
