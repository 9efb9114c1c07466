#include <algorithm>
#include <optional>

#include "base/clock.hpp"
#include "base/float_mode.hpp"
#include "exec/core/streams.hpp"
#include "exec/in_place.hpp"
#include "exec/notes.hpp"
#include "exec/phase/phase_run.hpp"
#include "exec/virtual/inside.hpp"
#include "trace/recorder.hpp"

namespace maslin {

/// The stream comes to an off-load (or a phase) in a configuration that it has not seen yet: it goes on if it stands in
/// its place, and is suspended until a place is free otherwise.
void virtual_executor::take_place(stream_run& s) {
  const inside calling(*this);
  processor& p = *here();
  if (s.phase.stays(s, has_hosts() ? s.worker : p.index)) return;
  virtual_fiber& me = *p.running;
  s.fiber = &me;
  me.on_host.away = true;
  p.running = nullptr;
  expect(p, p.clock);
  note_stream(trace::event_kind::stream_suspend, s);
  leave(me);
  note_stream(trace::event_kind::stream_resume, s);
}

/// Notes in the trace what happens to the stream, at the worker that it has (its team's first, where it runs on a
/// host).
void virtual_executor::note_stream(trace::event_kind what, const stream_run& s) const {
  if (!trace::on()) return;
  const virtual_worker& w = at(s.worker);
  const int slot = w.in_team.load(std::memory_order_relaxed)->slot.load(std::memory_order_relaxed);
  trace::record(w.index, what, s.phase.name(), trace::stream_at{s.index, slot});
}

void virtual_executor::come_to_offload(context&, stream_run& s) {
  if (s.phase.stale(s)) take_place(s);
}

void virtual_executor::run_phase(context& here, const detail::phase& p) { core::run_phase(*this, here, p); }

bool virtual_executor::start_stream(virtual_worker& w) {
  team& t = team_of(&w);
  if (!t.runs || t.first() != w.index) return false;
  phase_run& phase = *t.runs;
  std::optional<std::int64_t> begun;
  if (stream_run* resumed = phase.next_stream(w.index, false, begun)) {
    auto& fiber = *static_cast<virtual_fiber*>(resumed->fiber);
    if (has_hosts()) return fiber.home->enqueue(fiber, now_), true;
    virtual_fiber& me = *w.running;
    me.next = idle_fibers_;
    idle_fibers_ = &me;
    w.running = &fiber;
    fiber.home = &w;
    expect(w, w.clock);
    leave(me);
    return true;
  }
  if (!begun) return false;
  if (has_hosts()) return begin_on_host(phase, *begun, w.index), true;
  stream_run s{phase, *begun};
  phase.started(s, w.index);
  run_stream(s);
  return true;
}

void virtual_executor::run_stream(stream_run& s) {
  since_ = base::ticks();
  core::run_stream(*this, s);
}

/// Nothing happens any more. Streams that are suspended may hold what the others wait for, and under the policies of
/// hosts a thread may wait for one whose turn it is not: lets one of them go on. Gives whether there was one.
bool virtual_executor::resume_stranded() {
  for (const auto& h : hosts_)
    if (h->give_turn()) return true;
  for (const auto& w : workers_) {
    const team& t = team_of(w.get());
    if (!t.runs || t.first() != w->index || (!has_hosts() && w->running)) continue;
    std::optional<std::int64_t> begun;
    if (stream_run* resumed = t.runs->next_stream(w->index, true, begun)) {
      auto& fiber = *static_cast<virtual_fiber*>(resumed->fiber);
      if (!has_hosts()) fiber.home = w.get();
      fiber.home->enqueue(fiber, now_);
      return true;
    }
  }
  return false;
}

// Hosts
// -------------------------------------------------------------------------------------------------------------------

/// Binds a new thread to the context that fewest share.
void virtual_executor::begin_on_host(phase_run& phase, std::int64_t index, int worker) {
  virtual_fiber& f = take_fiber(idle_streams_, stream_body);
  f.stream.emplace(phase, index);
  phase.started(*f.stream, worker);
  const auto fewest = std::min_element(hosts_.begin(), hosts_.end(),
                                       [](const auto& a, const auto& b) { return a->threads() < b->threads(); });
  (*fewest)->bind(f);
  f.home->enqueue(f, now_);
}

void virtual_executor::stream_body(void* fiber) {
  auto& me = *static_cast<virtual_fiber*>(fiber);
  virtual_executor& exec = me.exec;
  for (;;) {
    exec.run_stream(*me.stream);
    auto& h = *static_cast<host_context*>(me.home);
    h.unbind(me);
    me.next = exec.idle_streams_;
    exec.idle_streams_ = &me;
    h.running = nullptr;
    exec.expect(h, h.clock);
    exec.leave(me);
  }
}

// Off-loads
// -------------------------------------------------------------------------------------------------------------------

void virtual_executor::run_offload(context& here, std::uint32_t kernel, void (*call)(void*), void* env) {
  core::run_offload(*this, here, kernel, call, env);
}

/// From a host: to its team's first worker, unless the kernel is too small for that.
void virtual_executor::send_kernel(context& here, stream_run* s, std::uint32_t kernel, int width, void (*call)(void*),
                                   void* env) {
  if (stays_on_host(kernel, width)) {
    run_on_host(here, kernel, call, env);
  } else {
    kernel_run k{call, env, &here, kernel, width, s};
    if (s) k.ticket = s->phase.sizing().arrived();
    call_on_team(calling_team(here), k);
    if (k.thrown) std::rethrow_exception(k.thrown);
  }
  if (s && here.owns_stream) core::look_at(*this, *s, ticks());
}

void virtual_executor::note_kernel(trace::event_kind what, std::uint32_t name, int width) {
  trace::record(noted_track(*this).number, what, name, static_cast<std::uint64_t>(width));
}

void virtual_executor::run_loop(context& caller, const detail::loop& l) { core::run_loop(*this, caller, l); }

/// Is the kernel too small to be off-loaded to a team of that width?
bool virtual_executor::stays_on_host(std::uint32_t kernel, int width) {
  if (const auto pinned = pinned_place(kernel)) return *pinned == grain::kernel_place::host;
  if (!times_.controls_grain) return false;
  const inside calling(*this);
  const auto& h = *static_cast<const host_context*>(here());
  const std::int64_t sharing = std::max<std::int64_t>(1, h.present());
  const double one = times_.kernel_on_host * lengths_.of_one_worker(kernel, width);
  return !grain::worth_off_loading({.accelerator = lengths_.at_width(kernel, width),
                                    .host = static_cast<double>(h.slowed(static_cast<picoseconds>(one))),
                                    .communication = static_cast<double>(times_.signal),
                                    .context_switch = sharing > 1 ? static_cast<double>(times_.context_switch) : 0,
                                    .sharing = sharing});
}

/// Runs the kernel on the calling thread's host context, which it keeps meanwhile.
void virtual_executor::run_on_host(context& caller, std::uint32_t kernel, void (*call)(void*), void* env) {
  auto* s = static_cast<stream_run*>(caller.stream);
  const std::uint64_t ticket = s ? s->phase.sizing().stayed() : 0;
  const int at = s ? s->worker : track();
  const auto begin = static_cast<picoseconds>(ticks());
  const auto& h = *static_cast<const host_context*>(here());
  const double longer = times_.kernel_on_host * static_cast<double>(h.slowed(1'000'000)) * 1e-6;
  const std::uint32_t name = traced_kernel(kernel);
  trace::record(at, trace::event_kind::offload_begin, name, trace::on_host);
  std::exception_ptr thrown;
  try {
    call_kernel(*this, caller, 1, call, env);
  } catch (...) {
    thrown = std::current_exception();
  }
  const inside end(*this);
  trace::record(at, trace::event_kind::offload_end, name, trace::on_host);
  const picoseconds length = static_cast<picoseconds>(ticks()) - begin;
  lengths_.ran(kernel, 1, static_cast<picoseconds>(static_cast<double>(length) / longer));
  if (s)
    s->phase.sizing().departed(ticket, s->worker, s->phase.sizing().counts().of_kernel(kernel), 1,
                               static_cast<std::uint64_t>(length));
  if (thrown) std::rethrow_exception(thrown);
}

/// Sends the kernel to the team's first worker; the calling thread goes on when the worker's signal is back.
void virtual_executor::call_on_team(team& t, kernel_run& k) {
  const inside calling(*this);
  auto& h = *static_cast<host_context*>(here());
  virtual_worker& to = at(t.first());
  k.waits = h.running;
  k.arrives = signalled(to);
  to.kernels.push_back(&k);
  expect(to, k.arrives);
  h.off_loaded();
  make_way(*k.waits);
}

bool virtual_executor::run_kernel(virtual_worker& w) {
  if (w.kernels.empty()) return false;
  kernel_run& k = *w.kernels.front();
  if (k.arrives > w.clock) return expect(w, k.arrives), false;
  w.kernels.erase(w.kernels.begin());
  since_ = base::ticks();
  const picoseconds begin = w.clock;
  const std::uint32_t name = traced_kernel(k.kernel);
  trace::record(w.index, trace::event_kind::offload_begin, name, static_cast<std::uint64_t>(k.width));
  try {
    const entered in(*k.caller);
    const base::in_float_mode callers(k.mode);
    call_kernel(*this, *k.caller, k.width, k.call, k.env);
  } catch (...) {
    k.thrown = std::current_exception();
  }
  const inside end(*this);
  trace::record(w.index, trace::event_kind::offload_end, name, static_cast<std::uint64_t>(k.width));
  const picoseconds length = w.clock - begin;
  lengths_.ran(k.kernel, k.width, length);
  if (k.stream)
    k.stream->phase.sizing().departed(k.ticket, w.index, k.stream->phase.sizing().counts().of_kernel(k.kernel), k.width,
                                      static_cast<std::uint64_t>(length));
  k.waits->on_host.last_length = length;
  k.waits->home->enqueue(*k.waits, signalled(*k.waits->home));
  return true;
}

}  // namespace maslin
