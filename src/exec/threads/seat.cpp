#include "exec/threads/seat.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>

#include "exec/threads/stranger.hpp"
#include "exec/threads/threads.hpp"

namespace maslin {

namespace {

thread_local threads_executor* started_here = nullptr;

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

void threads_executor::mark_starter(bool here) { started_here = here ? this : nullptr; }
bool threads_executor::is_starter() const { return started_here == this; }

bool threads_executor::sit_down() {
  if (!is_starter()) return false;
  detail::thread_state& here = detail::address_of_thread_state();  // nothing is suspended meanwhile
  if (here.worker || !seat_.enter(seat::starter)) return false;
  worker& w = at(0);
  w.runs(*w.own_stack);
  here.worker = &w;
  // Unless it sits down for code that it runs while it waits, which has a list.
  if (here.forks == &detail::no_forks) here.forks = &w.own_stack->forks;
  return true;
}

void threads_executor::stand_up() {
  worker& w = at(0);
  // What may go on here does so for whoever sits here next.
  while (task_fiber* next = w.ready) {
    w.ready = next->next_ready;
    next->enter_inbox(w);
  }
  if (!seat_.is_called() && (w.suspended > 0 || has_work_alone(w))) want_stand_in();
  detail::thread_state& here = detail::address_of_thread_state();
  here.worker = nullptr;
  if (here.forks == &w.own_stack->forks) here.forks = &detail::no_forks;
  back_in_program();
  leave_seat();
}

void threads_executor::leave_seat() noexcept {
  if (seat_.leave()) [[unlikely]]
    want_stand_in();
}

starting_thread::visit::visit(threads_executor& exec) {
  if (exec.sit_down()) entered_ = &exec;
}

starting_thread::visit::~visit() {
  if (!entered_) return;
  entered_->stand_up();
  entered_->count_call();
}

void starting_thread::sleep(base::short_lock& held, const awaited_end& what) {
  bool sits = exec_.sit_down();
  if (sits && !exec_.has_spare_fiber(exec_.at(0))) {
    exec_.stand_up();
    sits = false;
  }
  sleeps_as_ = sits ? static_cast<waiter*>(exec_.at(0).running) : &stranger::mine(exec_);
  sleeps_as_->sleep(held, what);
  sleeps_as_ = nullptr;
  if (sits) exec_.stand_up();
}

void starting_thread::wake() noexcept { sleeps_as_->wake(); }

int threads_executor::hold_track() noexcept {
  if (const worker* w = self()) return w->index;
  return is_starter() && seat_.enter(seat::starter) ? 0 : -1;
}
void threads_executor::leave_track() noexcept {
  if (!self() && is_starter() && seat_.held_by() == seat::starter) leave_seat();
}

void threads_executor::want_stand_in() noexcept {
  if (!seat_.wants_stand_in()) {
    if (worker_0_is_needed()) seat_.call();
    return;
  }
  try {
    stand_in_ = std::thread([this] { stand_in_body(); });
  } catch (...) {
    seat_.has_no_stand_in();
  }
}

void threads_executor::end_stand_in() {
  seat_.wake_stand_in();
  if (stand_in_.joinable()) stand_in_.join();
}

bool threads_executor::worker_0_is_needed() const {
  const worker& w = at(0);
  const team& t = *w.in_team.load(std::memory_order_acquire);
  return w.inbox.load(std::memory_order_seq_cst) || !w.invited.empty() ||
         t.wants_stream.load(std::memory_order_seq_cst) || t.may_resume.load(std::memory_order_seq_cst) ||
         has_work_alone(w);
}

bool threads_executor::is_only_one() const { return (sharing_ ? sharing_->active() : workers()) == 1; }

bool threads_executor::has_work_alone(const worker& w) const {
  if (w.in_team.load(std::memory_order_acquire)->width() > 1) return false;
  return !w.tasks.empty() || !w.queue.empty() || (is_only_one() && (urgent_.any() || !whole_->centre.empty()));
}

void threads_executor::stand_in_body() {
  prepare_to_have_stores_seen();
  (void)current_context();  // as in thread_body
  stand_in_stack_.emplace();
  const auto sit = [this] {
    if (!seat_.enter(seat::stand_in)) {
      seat_.tell_starter();
      have_stores_seen();
      if (!seat_.enter(seat::stand_in)) return;
    }
    worker& w = at(0);
    w.runs(*stand_in_stack_);
    set_self(&w);
    enter_loop(w);
    set_self(nullptr);
    seat_.leave();
  };
  seat_.answer([this] { return stopping(); }, [] { std::this_thread::sleep_for(time_to_come_back); },
               [this] { return worker_0_is_needed(); }, sit);
}

}  // namespace maslin
