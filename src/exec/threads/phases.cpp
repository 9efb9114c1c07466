// The calls of a phase: its begin and end, a stream's life, off-loads.

#include <mutex>
#include <utility>

#include "base/float_mode.hpp"
#include "exec/forks/forks.hpp"
#include "exec/in_place.hpp"
#include "exec/phase/phase_run.hpp"
#include "exec/threads/threads.hpp"
#include "trace/recorder.hpp"

namespace maslin {

namespace {

void unlock(void* lock) { static_cast<base::short_lock*>(lock)->unlock(); }

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
/// its place, and is suspended until a place is free otherwise.
void take_place(threads_executor& exec, context& in, stream_run& s) {
  worker& w = *self();
  base::short_lock& lock = exec.grain_lock();
  lock.lock();
  if (s.phase.stays(s, w.index)) {
    lock.unlock();
    return exec.shared_no_more();
  }
  s.fiber = w.running;
  const trace::stream_at what{s.index, slot_of(w)};
  trace::record(w.index, trace::event_kind::stream_suspend, s.phase.name(), what);
  // Who resumes it takes the lock first, so not before this stack is left.
  if (!exec.leave_fiber(w, unlock, &lock)) {
    s.phase.stayed_after_all(s, w.index);
    trace::record(w.index, trace::event_kind::stream_resume, s.phase.name(), what);
    lock.unlock();
    return exec.shared_no_more();
  }
  if (s.back_to.load(std::memory_order_relaxed)) return go_on_outside(in, s);
  worker& here = *self();
  trace::record(here.index, trace::event_kind::stream_resume, s.phase.name(), trace::stream_at{s.index, slot_of(here)});
}

/// The end of one piece of the stream's work and the beginning of the next, perhaps without a worker (`back_to`).
void come_to_offload(threads_executor& exec, context& in, stream_run& s) {
  exec.leave_taken_cpu();
  if (s.phase.stale(s)) take_place(exec, in, s);
}

}  // namespace

void threads_executor::run_phase(context& here, const detail::phase& p) {
  look_for_libraries();
  const starting_thread::visit visit(*this);
  auto* outer = static_cast<stream_run*>(here.stream);
  if (here.owns_stream) come_to_offload(*this, here, *outer);
  worker* w = self();
  if (!w) outer = nullptr;  // whoever waits for what runs outside looks for phases of the whole team
  tell_of_libraries(track_of(w));
  if (sharing_) sharing_->expects_work();
  if (here.in_loop || here.alone || p.streams <= 0) return phase_in_place(*this, here, p);

  std::unique_lock held(grain_lock_);
  // The caller's team is its stream's, not the one that its worker happens to serve now.
  team* t = outer ? outer->phase.team_of(*outer) : whole_;
  if (!t || !phase_run::has_room(*t)) {
    held.unlock();
    return phase_in_place(*this, here, p);
  }
  if (!w || w->index > 0) want_stand_in();  // a stream's place may be worker 0
  phase_run run(*this, p, *t, *here.children);
  const int track = track_of(w);
  trace::record(track, trace::event_kind::phase_begin, run.name(), static_cast<std::uint64_t>(p.streams));
  run.begin();
  if (outer) outer->phase.hold_still(true);
  held.unlock();
  suspend_until(*this, run.streams());
  if (outer) {
    held.lock();
    outer->phase.hold_still(false);
    held.unlock();
  }
  trace::record(w ? self()->index : -1, trace::event_kind::phase_end, run.name(),
                static_cast<std::uint64_t>(p.streams));
  if (run.streams().has_errors()) rethrow_first(run.streams().take_errors());
}

bool threads_executor::start_stream(worker& w, bool before_parking) {
  // Only a team's first worker is given streams; the others do not wait for the lock to hear that.
  const bool leads = w.in_team.load(std::memory_order_acquire)->first() == w.index;
  std::unique_lock held(grain_lock_, std::defer_lock);
  if (leads)
    held.lock();
  else if (!learns_waits_ || !held.try_lock())
    return false;
  team& t = *w.in_team.load(std::memory_order_acquire);
  if (t.runs && before_parking) t.runs->look_at_waits();
  if (!t.runs || t.first() != w.index) return false;
  phase_run& phase = *t.runs;
  std::optional<std::int64_t> begun;
  if (stream_run* resumed = phase.next_stream(w.index, before_parking, begun)) {
    held.unlock();
    replace_fiber(w, static_cast<task_fiber&>(*resumed->fiber));
    return true;
  }
  if (!begun) return false;

  stream_run s{phase, *begun};
  phase.started(s, w.index);
  held.unlock();
  run_stream(w, s);
  if (fiber* const back = s.back_to.load(std::memory_order_relaxed)) {
    // This fiber is idle from here on: a worker goes on with its loop.
    fiber::switch_to(static_cast<task_fiber*>(s.fiber)->machine, *back, nothing, nullptr);
  }
  return true;
}

/// From its beginning to its end.
void threads_executor::run_stream(worker& w, stream_run& s) {
  phase_run& phase = s.phase;
  trace::record(w.index, trace::event_kind::stream_begin, phase.name(), trace::stream_at{s.index, slot_of(w)});
  scope own(&phase.streams());
  context here(own);
  here.stream = &s;
  here.owns_stream = true;
  error_list errors = run_enclosed(*this, here, own, [&] {
    const base::in_float_mode callers(phase.mode());
    phase.what().run(phase.what().env, s.index);
  });

  if (s.back_to.load(std::memory_order_relaxed)) return end_outside(phase, s.index, std::move(errors));
  worker& at_end = *self();
  trace::record(at_end.index, trace::event_kind::stream_end, phase.name(), trace::stream_at{s.index, slot_of(at_end)});
  if (!errors.empty()) phase.streams().add_errors(static_cast<std::uint64_t>(s.index), std::move(errors));
  {
    std::lock_guard held(grain_lock_);
    if (phase.finished(s)) phase.end();
  }
  phase.streams().leave();  // the last one's end is the phase's, which may be gone after this
}

void threads_executor::run_offload(context& here, std::uint32_t kernel, void (*call)(void*), void* env) {
  auto* s = static_cast<stream_run*>(here.stream);
  if (here.in_offload) {
    const base::kept_rounding callers;
    return call(env);
  }
  if (s && here.owns_stream) come_to_offload(*this, here, *s);

  worker* w = self();
  if (!w) s = nullptr;  // what a phase counts, it counts by worker
  const int track = track_of(w);
  const int team_width = here.in_loop || !w ? 1 : w->in_team.load(std::memory_order_acquire)->width();
  call_site* const site = s && loops_ == schedule::dbs ? &sites_.of(call, kernel) : nullptr;
  const bool untimed = passes(site, 1);
  const int width =
      untimed || (s && !grain::worth_sharing(s->phase.counts().mean_seconds(s->phase.counts().of_kernel(kernel)),
                                             team_width, handing_over_seconds))
          ? 1
          : team_width;
  const bool traced = trace::on();
  const std::uint32_t name = traced ? traced_kernel(kernel) : 0;
  if (traced) [[unlikely]]
    trace::record(track, trace::event_kind::offload_begin, name, static_cast<std::uint64_t>(width));
  const std::uint64_t ticket = s ? s->phase.arrived() : 0;
  const std::uint64_t begin = s && !untimed ? base::ticks() : 0;
  call_kernel(*this, here, width, call, env);
  if (w) w->count_turn();
  if (traced) [[unlikely]]
    trace::record(track, trace::event_kind::offload_end, name, static_cast<std::uint64_t>(width));
  if (!s) return;
  if (untimed) {
    s->phase.departed_untimed(ticket, track, s->phase.counts().of_kernel(kernel));
    if (here.owns_stream) look_at_untimed(*s);
    return;
  }
  const std::uint64_t end = base::ticks();
  if (site) learn_length(*site, 1, (end - begin) * static_cast<std::uint64_t>(width));
  s->phase.departed(ticket, track, s->phase.counts().of_kernel(kernel), width, end - begin);
  if (w && learns_waits_) w->waits.took(end - begin);
  if (here.owns_stream) look_at(*s, end);
}

/// Between two off-loads of the stream: is a slice over, or an epoch?
void threads_executor::look_at(stream_run& s, std::uint64_t now) {
  s.phase.off_loaded(s, now);
  if (!s.phase.due(now) || !grain_lock_.try_lock()) return;
  s.phase.tick();
  grain_lock_.unlock();
}

/// The same behind one that was too small to be timed.
void threads_executor::look_at_untimed(stream_run& s) {
  if (s.phase.due()) return look_at(s, base::ticks());
  s.phase.off_loaded(s);
}

/// A loop that a stream runs itself is an off-load: there the stream takes its place, and its iterations count.
void threads_executor::run_loop(context& caller, const detail::loop& l) {
  if (!caller.owns_stream || caller.in_offload) return share_loop(caller, l);
  auto& s = *static_cast<stream_run*>(caller.stream);
  come_to_offload(*this, caller, s);
  if (!caller.owns_stream) return share_loop(caller, l);
  worker& w = *self();
  const int width = w.in_team.load(std::memory_order_acquire)->width();
  const std::uint64_t ticket = s.phase.arrived();
  const std::uint32_t column = s.phase.counts().of_loop(reinterpret_cast<const void*>(l.run), l.where.line());
  if (passes(l)) {
    loop_in_place(*this, caller, l);
    s.phase.departed_untimed(ticket, w.index, column, l.length());
    return look_at_untimed(s);
  }
  const std::uint64_t begin = base::ticks();
  share_loop(caller, l);
  const std::uint64_t end = base::ticks();
  // Of one that was cut for a team the join has learned.
  if (width == 1 || l.length() <= static_cast<std::uint64_t>(l.block))
    learn_length(sites_.of(l.run, l.where.line()), l.length(), end - begin);
  s.phase.departed(ticket, w.index, column, width, end - begin, l.length());
  if (learns_waits_) w.waits.took(end - begin);
  look_at(s, end);
}

}  // namespace maslin
