#include "exec/virtual/host_context.hpp"

#include <algorithm>

#include "exec/virtual/virtual.hpp"

namespace maslin {

using grain::host_policy;
using grain::host_thread;

std::vector<const host_thread*> host_context::turns() const {
  std::vector<const host_thread*> all;
  for (const virtual_fiber* f : threads_) all.push_back(&f->on_host);
  return all;
}

void host_context::bind(virtual_fiber& f) {
  f.home = this;
  f.on_host = host_thread{.away = true};
  const bool had_it_last = !threads_.empty() && threads_.back() == last_;
  threads_.insert(threads_.end() - (had_it_last ? 1 : 0), &f);
}

void host_context::unbind(virtual_fiber& f) {
  std::erase(threads_, &f);
  if (last_ == &f) last_ = nullptr;
}

bool host_context::has_others() const {
  return std::any_of(threads_.begin(), threads_.end(),
                     [this](const virtual_fiber* f) { return f != running && !f->on_host.away; });
}

std::int64_t host_context::present() const {
  return std::count_if(threads_.begin(), threads_.end(), [](const virtual_fiber* f) { return !f->on_host.away; });
}

/// Gives what it takes until that thread has the context.
picoseconds host_context::switch_to(const virtual_fiber& f) const {
  return last_ && last_ != &f ? exec.times_.context_switch : 0;
}

/// Brings the order of turns to that time, before somebody enters it; the polls before it have seen nothing.
void host_context::poll_until(picoseconds now) {
  if (!polling_) return;
  const std::int64_t polls = grain::skip_polls(*polling_, present(), now);
  if (polls == 0) return;
  std::int64_t before = (polls - 1) % present();
  const auto polled = std::find_if(threads_.begin(), threads_.end(),
                                   [&](const virtual_fiber* f) { return !f->on_host.away && before-- == 0; });
  last_ = *polled;
  std::rotate(threads_.begin(), polled + 1, threads_.end());
}

/// The thread is back from where it was away. Where threads poll, its turn comes after everybody's who waits already;
/// otherwise it has kept its turn.
void host_context::join(virtual_fiber& f) {
  poll_until(exec.now_);
  if (!has_others()) renew_slice();
  f.on_host.away = false;
  f.on_host.expected = host_thread::at_once;
  if (!grain::polls(exec.times_.host)) return;
  std::erase(threads_, &f);
  threads_.insert(threads_.end() - (running ? 1 : 0), &f);
}

/// A thread that nobody wants to follow has one slice after the other: the one that it has now ends now or later.
void host_context::renew_slice() {
  const picoseconds passed = exec.now_ - slice_ends_, length = exec.times_.quantum;
  if (passed > 0 && length > 0) slice_ends_ += (passed + length - 1) / length * length;
}

void host_context::enqueue(virtual_fiber& f, picoseconds when) {
  if (f.on_host.away) join(f);
  f.on_host.ready_at = when;
  if (!running || running == &f) return exec.expect(*this, when);
  if (!is_spinning()) return;
  const bool is_over = running->on_host.ready_at <= exec.now_;
  if (is_over || grain::spins(exec.times_.host, running->on_host, turns()))
    return go_on_spinning();  // there may be somebody now who wants the next slice
  running = nullptr;          // it spins only as long as nobody is expected earlier
  exec.expect(*this, exec.now_);
}

void host_context::go_on_spinning() {
  picoseconds until = running->on_host.ready_at;
  if (exec.times_.host == host_policy::native && has_others()) until = std::min(until, slice_ends_);
  if (until != host_thread::never) exec.expect(*this, until);
}

virtual_fiber* host_context::choose() {
  const host_policy policy = exec.times_.host;
  if (running) {  // it spins
    if (policy != host_policy::native || clock < slice_ends_ || !has_others()) {
      go_on_spinning();
      return nullptr;
    }
    running = nullptr;
  }
  const bool polled = grain::polls(policy);
  const auto turn = polled ? next_poll() : grain::next_turn(policy, turns(), clock);
  if (!turn) return nullptr;
  if (turn->when > clock) {
    exec.expect(*this, turn->when);
    return nullptr;
  }
  const auto next = threads_.begin() + static_cast<std::ptrdiff_t>(turn->thread);
  if (!polled) clock = later(clock, switch_to(**next));  // the time of a poll has its switch in it
  take(next);
  if (!is_spinning()) return running;
  go_on_spinning();
  return nullptr;
}

/// Gives the poll that ends the polling, which begins now if it has not begun.
std::optional<grain::host_turn> host_context::next_poll() {
  if (!polling_) {
    const auto first =
        std::find_if(threads_.begin(), threads_.end(), [](const virtual_fiber* f) { return !f->on_host.away; });
    if (first == threads_.end()) return std::nullopt;
    polling_ = grain::polling{.first = clock + switch_to(**first), .apart = exec.times_.context_switch};
  }
  return grain::next_poll(exec.times_.host, turns(), *polling_);
}

void host_context::take(std::vector<virtual_fiber*>::iterator next) {
  running = *next;
  last_ = running;
  std::rotate(threads_.begin(), next + 1, threads_.end());
  polling_.reset();
  slice_ends_ = later(clock, exec.times_.quantum);
}

bool host_context::give_turn() {
  if (running && !is_spinning()) return false;
  const auto ready = std::find_if(threads_.begin(), threads_.end(), [](const virtual_fiber* f) {
    return !f->on_host.away && f->on_host.ready_at != host_thread::never;
  });
  if (ready == threads_.end()) return false;
  clock = later(std::max(clock, exec.now_), switch_to(**ready));
  take(ready);
  exec.expect(*this, running->on_host.ready_at);
  return true;
}

/// Who polls or spins keeps a context as busy as who computes.
double host_context::slowed(double alone) const {
  const double sharing = static_cast<double>(std::max<std::int64_t>(1, present())) - 1;
  const auto busy =
      std::count_if(neighbours.begin(), neighbours.end(), [](const host_context* h) { return h->present() > 0; });
  return alone * (1 + exec.times_.contention * sharing) * (1 + exec.times_.smt * static_cast<double>(busy));
}

void host_context::pass(picoseconds time) {
  while (exec.times_.host == host_policy::native && later(clock, time) > slice_ends_ && has_others()) {
    const picoseconds part = std::max<picoseconds>(0, slice_ends_ - clock);
    clock = later(clock, part);
    time -= part;
    virtual_fiber& me = *running;
    me.on_host.ready_at = clock;
    running = nullptr;
    exec.expect(*this, clock);
    exec.make_way(me);
  }
  clock = later(clock, time);
}

void host_context::off_loaded() {
  host_thread& me = running->on_host;
  me.off_loads(clock);
  if (grain::spins(exec.times_.host, me, turns())) return go_on_spinning();
  running = nullptr;
  exec.expect(*this, clock);
}

}  // namespace maslin
