#include <cassert>
#include <optional>

#include "exec/core/streams.hpp"
#include "exec/phase/phase_run.hpp"
#include "exec/tracing.hpp"
#include "exec/virtual/monitor_guard.hpp"
#include "trace/recorder.hpp"

namespace maslin {

/// The stream comes to an off-load (or a phase) in a configuration that it has not seen yet: it goes on if it stands in
/// its place, and is suspended until a place is free otherwise.
void virtual_executor::take_place(stream_run& s) MASLIN_UNCHECKED {
  const monitor_guard calling(*this);
  processor& p = *here();
  if (s.phase.stays(s, hosts_ ? s.worker : p.index)) return;
  virtual_fiber& me = *p.running;
  s.fiber = &me;
  me.on_host.away = true;
  p.running = nullptr;
  expect(p, p.clock);
  trace_stream(trace::event_kind::stream_suspend, s);
  leave(me);
  trace_stream(trace::event_kind::stream_resume, s);
}

/// Notes in the trace what happens to the stream, at the worker that it has (its team's first, where it runs on a
/// host).
void virtual_executor::trace_stream(trace::event_kind what, const stream_run& s) const {
  if (!trace::on()) return;
  const virtual_worker& w = at(s.worker);
  const int slot = w.in_team.load(std::memory_order_relaxed)->slot.load(std::memory_order_relaxed);
  trace::record(w.index, what, s.phase.name(), trace::stream_at{s.index, slot});
}

void virtual_executor::come_to_offload(context&, stream_run& s) {
  if (s.phase.stale(s)) take_place(s);
}

void virtual_executor::run_phase(context& here, const detail::phase& p) {
  catch_up();  // what is decided here is decided once all before it has happened
  core::run_phase(*this, here, p);
}

// Whoever calls these is inside.

bool virtual_executor::start_stream(virtual_worker& w) MASLIN_UNCHECKED {
  const std::optional<core::next_stream> next = core::find_stream(team_of(&w), w.index, false);
  if (!next) return false;
  if (next->suspended)
    resume_stream(w, *next->suspended);
  else
    begin_stream(w, *next->phase, next->index);
  return true;
}

void virtual_executor::resume_stream(virtual_worker& w, const stream_run& s) {
  auto& fiber = *static_cast<virtual_fiber*>(s.fiber);
  if (hosts_) return fiber.home->enqueue(fiber, now_);
  virtual_fiber& me = *w.running;
  set_idle(idle_fibers_, me);
  w.running = &fiber;
  fiber.home = &w;
  expect(w, w.clock);
  leave(me);
}

void virtual_executor::begin_stream(virtual_worker& w, phase_run& phase, std::int64_t index) MASLIN_UNCHECKED {
  if (hosts_) return hosts_->begin_stream(phase, index, w.index);
  stream_run s{phase, index};
  phase.started(s, w.index);
  run_stream(s);
}

void virtual_executor::run_stream(stream_run& s) {
  calling_thread::code_begins();
  core::run_stream(*this, s);
}

/// Nothing happens any more. Streams that are suspended may hold what the others wait for, and under the policies of
/// hosts a thread may wait for one whose turn it is not: lets one of them go on. Gives whether there was one.
bool virtual_executor::resume_stranded() MASLIN_UNCHECKED {
  if (hosts_ && hosts_->give_turn()) return true;
  for (const auto& w : workers_) {
    if (!hosts_ && w->running) continue;
    const std::optional<core::next_stream> next = core::find_stream(team_of(w.get()), w->index, true);
    if (!next) continue;
    assert(next->suspended);  // before parking none begins
    auto& fiber = *static_cast<virtual_fiber*>(next->suspended->fiber);
    if (!hosts_) fiber.home = w.get();
    fiber.home->enqueue(fiber, now_);
    return true;
  }
  return false;
}

// Off-loads
// -------------------------------------------------------------------------------------------------------------------

void virtual_executor::run_offload(context& here, std::uint32_t kernel, void (*call)(void*), void* env) {
  catch_up();
  core::run_offload(*this, here, kernel, call, env);
}

void virtual_executor::trace_kernel(trace::event_kind what, std::uint32_t name, int width) {
  trace::record(traced_track(*this).number, what, name, static_cast<std::uint64_t>(width));
}

void virtual_executor::run_loop(context& caller, const detail::loop& l) {
  catch_up();
  core::run_loop(*this, caller, l);
}

}  // namespace maslin
