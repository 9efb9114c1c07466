// The clocks of a described machine: who is inside, what code took, what it says that it costs, and that nothing is
// seen too early.

#include <algorithm>
#include <cmath>

#include "base/clock.hpp"
#include "exec/virtual/monitor_guard.hpp"
#include "maslin/error.hpp"
#include "task/context.hpp"

namespace maslin {

virtual_executor::entry virtual_executor::enter(bool sees_others) {
  const std::uint64_t now = base::ticks();  // before it waits for others
  const entry before{calling_thread::owns_monitor(), calling_thread::runs_code()};
  if (!before.owned) {
    lock_.lock();
    calling_thread::set_owns_monitor(true);
    come_inside(now);
  }
  if (processor* p = here()) {
    p->clock = later(p->clock, code_took(*p, now));
    if (sees_others) {
      await_moved(*p);
      sync(*p);
    }
  }
  return before;
}

void virtual_executor::leave(entry before) {
  if (before.ran) calling_thread::code_begins();
  if (before.owned) return;
  if (calling_thread::started() == this) outside_.begins();
  calling_thread::set_owns_monitor(false);
  lock_.unlock();
}

/// A thread has come inside, whose code has run until then. What others did while the program's own thread was outside
/// has happened: it goes on no earlier.
void virtual_executor::come_inside(std::uint64_t now) {
  if (calling_thread::started() != this) return outside_.other_is_inside();
  processor& p = *starter_->home;
  const picoseconds took = code_took(p, outside_.ends(now));
  current_ = &p;
  if (p.running == starter_.get())
    p.clock = std::max(later(p.clock, took), now_);
  else
    take_back_processor(std::max(later(lent_at_, took), now_));
}

int virtual_executor::hold_track() noexcept {
  track_holder_ = enter(false);
  return track();
}

void virtual_executor::leave_track() noexcept { leave(track_holder_); }

/// Gives what the calling code took that was not charged yet, up to that tick.
picoseconds virtual_executor::code_took(const processor& p, std::uint64_t until) const {
  const auto passed = static_cast<double>(calling_thread::code_ran(until));
  if (times_.only_declared || passed == 0 || current_context().declares) return 0;
  if (p.index < workers()) return whole_picoseconds(passed * times_.worker_picoseconds);
  return static_cast<const host_context&>(p).slowed(whole_picoseconds(passed * times_.host_picoseconds));
}

void virtual_executor::take_time() noexcept {
  const monitor_guard calling(*this, false);
  if (processor* p = here()) wait_for_memory(*p);
}

/// What the processor's code moves is there, or in memory.
void virtual_executor::await_moved(processor& p) {
  wait_for_memory(p);
  if (stores_ && p.index < workers()) stores_->await_moved(static_cast<virtual_worker&>(p));
}

void virtual_executor::moves(std::int64_t bytes) {
  const monitor_guard calling(*this, !stores_);
  virtual_worker* const w = self();
  if (!w || !is_slow_to_move()) return;
  if (stores_) return stores_->move(*w, current_context(), bytes);
  picoseconds& free = memory_free_[static_cast<std::size_t>(times_.memories.of_worker(w->index))];
  free = later(std::max(free, w->clock), whole_picoseconds(static_cast<double>(bytes) * times_.memory_byte));
  w->data_there = free;
}

bool virtual_executor::pay(double seconds) {
  current_context().declares = true;  // so what it did since its last call is not counted as well
  const monitor_guard calling(*this, false);
  processor* p = here();
  if (!p) return true;  // a foreign thread has no clock
  auto* const host = p->index < workers() ? nullptr : static_cast<host_context*>(p);
  // A kernel declares what it takes on a worker.
  const double longer = host && current_context().in_offload ? times_.kernel_on_host : 1;
  double wanted = std::round(seconds * longer * 1e12);
  if (host) wanted = host->slowed(wanted);
  if (static_cast<double>(p->clock) + wanted > static_cast<double>(end_of_time))
    throw error("ms::cost: in virtual time this would end after more than 9,000,000 s; expected less");
  const auto time = static_cast<picoseconds>(wanted);
  if (host)
    host->pass(time);
  else
    p->clock += time;
  return true;
}

void virtual_executor::catch_up() { const monitor_guard calling(*this); }

std::int64_t virtual_executor::window() {
  const monitor_guard calling(*this);  // what is done by the creator's now is no longer in flight
  return std::max<std::int64_t>(4096, 2 * std::int64_t{workers()});  // all may have something to do, and the next thing
}

std::uint64_t virtual_executor::ticks() const {
  const monitor_guard calling(const_cast<virtual_executor&>(*this), false);
  const processor* p = here();
  return static_cast<std::uint64_t>(p ? std::max(p->clock, p->data_there) : now_);
}

/// Lets everything happen that happens before the processor's now. Code whose time has come goes on until time passes.
void virtual_executor::sync(processor& p) {
  bool comes_next = is_past(p.clock) && (p.came_at == p.clock || !somebody_goes_on_at(p.clock));
  for (; !comes_next; comes_next = is_past(p.clock)) {
    // Its own event stands among the others' meanwhile, so that nobody goes past it.
    virtual_fiber& me = *p.running;
    expect(p, p.clock, true);
    make_way(me);
  }
  p.came_at = p.clock;
  now_ = std::max(now_, p.clock);
}

}  // namespace maslin
