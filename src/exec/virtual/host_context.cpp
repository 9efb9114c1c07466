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

void host_context::enqueue(virtual_fiber& f, picoseconds when) {
  f.on_host.away = false;
  f.on_host.ready_at = when;
  if (!running || running == &f)
    exec.expect(*this, when);
  else if (is_spinning())
    go_on_spinning();  // there is somebody now who wants the next slice
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
  const auto turn = grain::next_turn(policy, turns(), clock);
  if (!turn) return nullptr;
  if (turn->when > clock) {
    exec.expect(*this, turn->when);
    return nullptr;
  }
  const auto next = threads_.begin() + static_cast<std::ptrdiff_t>(turn->thread);
  virtual_fiber* f = *next;
  std::rotate(threads_.begin(), next + 1, threads_.end());
  if (last_ && last_ != f) clock += turn->switches * exec.times_.context_switch;
  last_ = f;
  slice_ends_ = clock + exec.times_.quantum;
  running = f;
  if (!is_spinning()) return f;
  go_on_spinning();
  return nullptr;
}

bool host_context::give_turn() {
  if (running && !is_spinning()) return false;
  const auto ready = std::find_if(threads_.begin(), threads_.end(), [](const virtual_fiber* f) {
    return !f->on_host.away && f->on_host.ready_at != host_thread::never;
  });
  if (ready == threads_.end()) return false;
  running = *ready;
  last_ = running;
  std::rotate(threads_.begin(), ready + 1, threads_.end());
  exec.expect(*this, running->on_host.ready_at);
  return true;
}

picoseconds host_context::slowed(picoseconds alone) const {
  const double sharing = static_cast<double>(std::max<std::int64_t>(1, present())) - 1;
  const auto busy =
      std::count_if(neighbours.begin(), neighbours.end(), [](const host_context* h) { return h->present() > 0; });
  return static_cast<picoseconds>(static_cast<double>(alone) * (1 + exec.times_.contention * sharing) *
                                  (1 + exec.times_.smt * static_cast<double>(busy)));
}

void host_context::pass(picoseconds time) {
  while (exec.times_.host == host_policy::native && clock + time > slice_ends_ && has_others()) {
    const picoseconds part = std::max<picoseconds>(0, slice_ends_ - clock);
    clock += part;
    time -= part;
    virtual_fiber& me = *running;
    me.on_host.ready_at = clock;
    running = nullptr;
    exec.expect(*this, clock);
    exec.make_way(me);
  }
  clock += time;
}

void host_context::off_loaded() {
  host_thread& me = running->on_host;
  me.off_loaded_at = clock;
  me.ready_at = host_thread::never;
  if (grain::spins(exec.times_.host, me, turns())) return go_on_spinning();
  running = nullptr;
  exec.expect(*this, clock);
}

}  // namespace maslin
