#include "exec/threads/worker_0.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/start_thread.hpp"
#include "base/stores_seen.hpp"
#include "exec/threads/foreign_waiter.hpp"
#include "exec/threads/threads.hpp"

namespace maslin {

namespace {

/// The number of the runtime that the calling thread started last; 0: none.
thread_local std::uint64_t started_here = 0;

/// A starter that comes back within this time finds its role free.
constexpr auto time_to_come_back = std::chrono::milliseconds(5);

}  // namespace

std::uint64_t worker_0_thread::next_number() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

void worker_0_thread::mark_starter() {
  started_here = number_;
  exec_.at(0).thread_number.store(gettid(), std::memory_order_relaxed);
}
void worker_0_thread::forget_starter() {
  if (is_starter()) started_here = 0;
}
bool worker_0_thread::is_starter() const { return started_here == number_; }

bool worker_0_thread::attach() {
  if (!is_starter()) return false;
  detail::thread_state& here = detail::address_of_thread_state();  // nothing is suspended meanwhile
  if (here.worker || !role_.enter(worker_0_role::starter)) return false;
  worker& w = exec_.at(0);
  w.runs(*w.own_stack);
  here.worker = &w;
  // It may attach for code that it runs while it waits, which has a list with room.
  if (here.forks->has_room()) return true;
  const bool in_frame = here.forks->innermost;
  forks_before_ = here.forks;
  if (!in_frame) [[likely]] {
    here.forks = &w.own_stack->forks;
    return true;
  }
  current_context();  // made now: it is not looked for in the other list
  detail::address_of_thread_state().forks = &w.own_stack->forks;
  return true;
}

void worker_0_thread::detach() {
  worker& w = exec_.at(0);
  // What may go on here does so for whoever has the role next.
  const bool is_awaited = w.ready;
  while (task_fiber* next = w.ready) {
    w.ready = next->next_ready;
    next->enter_inbox(w);
  }
  if (!role_.is_called() && (is_awaited || w.suspended > 0 || has_work_alone())) want_substitute();
  detail::thread_state& here = detail::address_of_thread_state();
  here.worker = nullptr;
  if (here.forks == &w.own_stack->forks) here.forks = forks_before_;
  exec_.libraries().back_in_program();
  leave_role();
}

void worker_0_thread::leave_role() noexcept {
  if (role_.leave()) [[unlikely]]
    want_substitute();
}

starting_thread::visit::visit(threads_executor& exec) {
  if (exec.worker_0().attach()) entered_ = &exec;
}

starting_thread::visit::~visit() {
  if (!entered_) return;
  entered_->worker_0().detach();
  entered_->libraries().count_call();
}

void starting_thread::sleep(base::short_lock& held, const awaited_end& what) {
  bool attached = exec_.worker_0().attach();
  if (attached && !exec_.has_spare_fiber(exec_.at(0))) {
    exec_.worker_0().detach();
    attached = false;
  }
  sleeps_as_ = attached ? static_cast<waiter*>(exec_.at(0).running) : &foreign_waiter::mine(exec_);
  sleeps_as_->sleep(held, what);
  sleeps_as_ = nullptr;
  if (attached) exec_.worker_0().detach();
}

void starting_thread::wake() noexcept { sleeps_as_->wake(); }

void worker_0_thread::want_substitute() noexcept {
  if (!role_.wants_substitute()) {
    if (is_needed()) role_.call();
    return;
  }
  const base::locked held(starting_);
  if (!none_starts_ && !start_substitute()) role_.has_no_substitute();
}

bool worker_0_thread::start_substitute() noexcept {
  try {
    substitute_ = base::start_thread([this] { begin_substitute(); }, [this] { substitute_body(); });
    return true;
  } catch (...) {
    return false;
  }
}

bool worker_0_thread::returns_to_the_end() {
  if (!is_starter() || self()) return false;
  join_substitute();
  return attach();
}

bool worker_0_thread::is_replaced_to_the_end() noexcept {
  stays_.store(true, std::memory_order_seq_cst);
  const base::locked held(starting_);
  if (none_starts_) return false;
  none_starts_ = true;
  (void)role_.wants_substitute();
  if (!substitute_.joinable() && !start_substitute()) return false;
  role_.wake_substitute();
  return true;
}

void worker_0_thread::join_substitute() noexcept {
  std::thread last;
  {
    const base::locked held(starting_);
    none_starts_ = true;
    last.swap(substitute_);
  }
  ends_.store(true, std::memory_order_seq_cst);
  role_.wake_substitute();
  if (last.joinable()) last.join();
}

bool worker_0_thread::is_needed() const {
  const worker& w = exec_.at(0);
  const team& t = *w.in_team.load(std::memory_order_acquire);
  return w.inbox.load(std::memory_order_seq_cst) || !w.invited.empty() ||
         t.wants_stream.load(std::memory_order_seq_cst) || may_resume(t, w.index) || has_work_alone() ||
         stays_.load(std::memory_order_seq_cst);
}

bool worker_0_thread::has_work_alone() const {
  const worker& w = exec_.at(0);
  if (w.in_team.load(std::memory_order_acquire)->width() > 1) return false;
  return !w.tasks.empty() || !w.queue.empty() ||
         (exec_.active_workers() == 1 && (exec_.urgent().any() || !exec_.whole().centre.empty()));
}

void worker_0_thread::begin_substitute() {
  (void)current_context();  // as in threads_executor::start_thread
  substitute_stack_.emplace();
}

void worker_0_thread::substitute_body() {
  const auto serve = [this] {
    if (!role_.enter(worker_0_role::substitute)) {
      role_.tell_starter();
      base::see_all_stores();  // as `worker_0_role::leave` expects
      if (!role_.enter(worker_0_role::substitute)) return;
    }
    worker& w = exec_.at(0);
    w.runs(*substitute_stack_);
    set_self(&w);
    exec_.enter_loop(w);
    set_self(nullptr);
    role_.leave();
  };
  role_.answer([this] { return ends_.load(std::memory_order_seq_cst); },
               [] { std::this_thread::sleep_for(time_to_come_back); }, [this] { return is_needed(); }, serve);
}

}  // namespace maslin
