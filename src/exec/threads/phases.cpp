// The calls of a phase: its begin and end, a stream's life, off-loads.

#include <mutex>
#include <utility>

#include "base/float_mode.hpp"
#include "exec/core/streams.hpp"
#include "exec/forks/forks.hpp"
#include "exec/in_place.hpp"
#include "exec/phase/phase_run.hpp"
#include "exec/threads/calls.hpp"
#include "trace/recorder.hpp"

namespace maslin {

namespace {

/// Of a lock that another fiber has taken.
void unlock(void* lock) MASLIN_UNCHECKED { static_cast<core::grain_lock*>(lock)->unlock(); }

void nothing(void*) {}

int slot_of(worker& w) { return w.in_team.load(std::memory_order_acquire)->slot.load(std::memory_order_relaxed); }

/// The calling thread, which is no worker, has gone on with the stream: from here on it is code of that thread.
void go_on_outside(context& here, const stream_run& s) {
  here.stream = nullptr;
  here.owns_stream = false;
  static_cast<task_fiber*>(s.fiber)->forks.asked = &nobody_asks;
  trace::record(-1, trace::event_kind::stream_resume, s.phase.name(), trace::stream_at{s.index, trace::no_slot});
}

/// The stream comes to an off-load (or a phase) in a configuration that it has not seen yet: it goes on if it stands in
/// its place, and is suspended until a place is free otherwise: then the fiber that runs next lets the lock go.
void take_place(threads_executor& exec, context& in, stream_run& s) MASLIN_UNCHECKED {
  worker& w = *self();
  core::grain_lock& lock = exec.grain_lock();
  lock.lock();
  if (s.phase.stays(s, w.index)) {
    lock.unlock();
    return exec.after_sharing();
  }
  task_fiber& its = *w.running;
  s.fiber = &its;
  its.falls_asleep(w, {});
  const trace::stream_at what{s.index, slot_of(w)};
  trace::record(w.index, trace::event_kind::stream_suspend, s.phase.name(), what);
  // Who resumes it takes the lock first, so not before this stack is left.
  const bool left = exec.leave_fiber(w, unlock, &lock);
  its.wakes_up();
  if (!left) {
    s.phase.stayed_after_all(s, w.index);
    trace::record(w.index, trace::event_kind::stream_resume, s.phase.name(), what);
    lock.unlock();
    return exec.after_sharing();
  }
  if (s.back_to.load(std::memory_order_relaxed)) return go_on_outside(in, s);
  worker& here = *self();
  trace::record(here.index, trace::event_kind::stream_resume, s.phase.name(), trace::stream_at{s.index, slot_of(here)});
}

}  // namespace

void threads_executor::come_to_offload(context& in, stream_run& s) {
  leave_taken_cpu();
  if (s.phase.stale(s)) take_place(*this, in, s);
}

void threads_executor::begins_phase() {
  libraries_.tell(track());
  if (sharing_) sharing_->expects_work();
}

void threads_executor::run_phase(context& here, const detail::phase& p) { core::run_phase(*this, here, p); }

bool threads_executor::start_stream(worker& w, bool before_parking) {
  // Only a team's first worker is given streams; the others do not wait for the lock to hear that.
  const bool leads = w.in_team.load(std::memory_order_acquire)->first() == w.index;
  if (leads)
    grain_lock_.lock();
  else if (!learns_waits_ || !try_grain_lock())
    return false;
  grain_guard held(*this, std::adopt_lock);
  team& t = *w.in_team.load(std::memory_order_acquire);
  if (t.runs && before_parking) t.runs->look_at_waits();
  const std::optional<core::next_stream> next = core::find_stream(t, w.index, before_parking);
  if (!next) return false;
  if (next->suspended) {
    held.unlock();
    replace_fiber(w, static_cast<task_fiber&>(*next->suspended->fiber));
    return true;
  }
  stream_run s{*next->phase, next->index};
  s.phase.started(s, w.index);
  held.unlock();
  core::run_stream(*this, s);
  // This fiber is idle from here on: a worker goes on with its loop.
  if (fiber* const back = s.back_to.load(std::memory_order_relaxed))
    fiber::switch_to(static_cast<task_fiber*>(s.fiber)->machine, *back, nothing, nullptr);
  return true;
}

void threads_executor::trace_stream(trace::event_kind what, const stream_run& s) const {
  worker& w = *self();
  trace::record(w.index, what, s.phase.name(), trace::stream_at{s.index, slot_of(w)});
}

bool threads_executor::ended_outside(stream_run& s, error_list& errors) {
  if (!s.back_to.load(std::memory_order_relaxed)) return false;
  end_outside(s.phase, s.index, std::move(errors));
  return true;
}

void threads_executor::run_offload(context& here, std::uint32_t kernel, void (*call)(void*), void* env) {
  core::run_offload(*this, here, kernel, call, env);
}

call_site* threads_executor::site_of(const stream_run* s, void (*call)(void*), std::uint32_t kernel) {
  return s && loops_ == schedule::dbs ? &small_.sites().of(call, kernel) : nullptr;
}

void threads_executor::trace_kernel(trace::event_kind what, std::uint32_t name, int width) const {
  trace::record(track(), what, name, static_cast<std::uint64_t>(width));
}

void threads_executor::kernel_took(worker& w, call_site* site, int width, std::uint64_t ticks) noexcept {
  if (site) small_.learn_length(*site, 1, ticks * static_cast<std::uint64_t>(width));
  if (learns_waits_) w.waits.took(ticks);
}

void threads_executor::run_loop(context& caller, const detail::loop& l) { core::run_loop(*this, caller, l); }

void threads_executor::loop_took(worker& w, const detail::loop& l, int width, std::uint64_t ticks) noexcept {
  // Of one that was cut for a team the join has learned.
  if (width == 1 || l.length() <= static_cast<std::uint64_t>(l.block))
    small_.learn_length(small_.sites().of(l.run, l.where.line()), l.length(), ticks);
  if (learns_waits_) w.waits.took(ticks);
}

}  // namespace maslin
