#include "exec/threads/worker_0.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>

#include "exec/threads/stranger.hpp"
#include "exec/threads/threads.hpp"

namespace maslin {

namespace {

thread_local const worker_0_thread* started_here = nullptr;

/// A starter that comes back within this time finds its seat free.
constexpr auto time_to_come_back = std::chrono::milliseconds(5);

void prepare_to_have_stores_seen() { syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0); }

/// What any thread stored before it read anything that was stored after this is seen after this (`seat::leave`). A
/// system without that call gets time: no core keeps a store to itself for milliseconds.
void have_stores_seen() {
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
    std::this_thread::sleep_for(time_to_come_back);
}

}  // namespace

void worker_0_thread::mark_starter(bool here) { started_here = here ? this : nullptr; }
bool worker_0_thread::is_starter() const { return started_here == this; }

bool worker_0_thread::sit_down() {
  if (!is_starter()) return false;
  detail::thread_state& here = detail::address_of_thread_state();  // nothing is suspended meanwhile
  if (here.worker || !seat_.enter(seat::starter)) return false;
  worker& w = exec_.at(0);
  w.runs(*w.own_stack);
  here.worker = &w;
  // Unless it sits down for code that it runs while it waits, which has a list.
  if (here.forks == &detail::no_forks) here.forks = &w.own_stack->forks;
  return true;
}

void worker_0_thread::stand_up() {
  worker& w = exec_.at(0);
  // What may go on here does so for whoever sits here next.
  while (task_fiber* next = w.ready) {
    w.ready = next->next_ready;
    next->enter_inbox(w);
  }
  if (!seat_.is_called() && (w.suspended > 0 || has_work_alone())) want_stand_in();
  detail::thread_state& here = detail::address_of_thread_state();
  here.worker = nullptr;
  if (here.forks == &w.own_stack->forks) here.forks = &detail::no_forks;
  exec_.libraries().back_in_program();
  leave_seat();
}

void worker_0_thread::leave_seat() noexcept {
  if (seat_.leave()) [[unlikely]]
    want_stand_in();
}

starting_thread::visit::visit(threads_executor& exec) {
  if (exec.worker_0().sit_down()) entered_ = &exec;
}

starting_thread::visit::~visit() {
  if (!entered_) return;
  entered_->worker_0().stand_up();
  entered_->libraries().count_call();
}

void starting_thread::sleep(base::short_lock& held, const awaited_end& what) {
  bool sits = exec_.worker_0().sit_down();
  if (sits && !exec_.has_spare_fiber(exec_.at(0))) {
    exec_.worker_0().stand_up();
    sits = false;
  }
  sleeps_as_ = sits ? static_cast<waiter*>(exec_.at(0).running) : &stranger::mine(exec_);
  sleeps_as_->sleep(held, what);
  sleeps_as_ = nullptr;
  if (sits) exec_.worker_0().stand_up();
}

void starting_thread::wake() noexcept { sleeps_as_->wake(); }

void worker_0_thread::want_stand_in() noexcept {
  if (!seat_.wants_stand_in()) {
    if (is_needed()) seat_.call();
    return;
  }
  try {
    stand_in_ = std::thread([this] { stand_in_body(); });
  } catch (...) {
    seat_.has_no_stand_in();
  }
}

void worker_0_thread::end_stand_in() {
  seat_.wake_stand_in();
  if (stand_in_.joinable()) stand_in_.join();
}

bool worker_0_thread::is_needed() const {
  const worker& w = exec_.at(0);
  const team& t = *w.in_team.load(std::memory_order_acquire);
  return w.inbox.load(std::memory_order_seq_cst) || !w.invited.empty() ||
         t.wants_stream.load(std::memory_order_seq_cst) || t.may_resume.load(std::memory_order_seq_cst) ||
         has_work_alone();
}

bool worker_0_thread::has_work_alone() const {
  const worker& w = exec_.at(0);
  if (w.in_team.load(std::memory_order_acquire)->width() > 1) return false;
  return !w.tasks.empty() || !w.queue.empty() ||
         (exec_.active_workers() == 1 && (exec_.urgent().any() || !exec_.whole().centre.empty()));
}

void worker_0_thread::stand_in_body() {
  prepare_to_have_stores_seen();
  (void)current_context();  // as in thread_body
  stand_in_stack_.emplace();
  const auto sit = [this] {
    if (!seat_.enter(seat::stand_in)) {
      seat_.tell_starter();
      have_stores_seen();
      if (!seat_.enter(seat::stand_in)) return;
    }
    worker& w = exec_.at(0);
    w.runs(*stand_in_stack_);
    set_self(&w);
    exec_.enter_loop(w);
    set_self(nullptr);
    seat_.leave();
  };
  seat_.answer([this] { return exec_.stopping(); }, [] { std::this_thread::sleep_for(time_to_come_back); },
               [this] { return is_needed(); }, sit);
}

}  // namespace maslin
