#pragma once
// Phases and their streams on every machine.

#include <algorithm>
#include <optional>
#include <utility>

#include "base/float_mode.hpp"
#include "exec/core/loops.hpp"
#include "exec/in_place.hpp"
#include "exec/phase/phase_run.hpp"
#include "sched/grain/edtlp.hpp"
#include "trace/recorder.hpp"

namespace maslin::core {

template <machine_with_streams Machine>
void run_phase(Machine& machine, context& here, const detail::phase& p) {
  const typename Machine::phase_call call(machine);
  auto* outer = static_cast<stream_run*>(here.stream);
  if (here.owns_stream && !here.in_offload) machine.come_to_offload(here, *outer);
  worker_of<Machine>* w = machine.calling_worker();
  if (machine.has_no_worker(w)) outer = nullptr;  // whoever waits for that looks for phases of the whole team
  machine.begins_phase();
  if (here.in_loop || here.alone || p.streams <= 0) return phase_in_place(machine, here, p);
  if (w && !machine.caller()) return phase_in_place(machine, here, p);  // no memory for a fiber to wait on

  typename Machine::grain_guard held(machine);
  // The caller's team is its stream's, not the one that its worker happens to serve now.
  const auto team_with_room = [&]() MASLIN_REQUIRES(grain_held) -> team* {
    team* const t = outer ? outer->phase.team_of(*outer) : &machine.whole();
    return t && phase_run::has_room(*t) ? t : nullptr;
  };
  team* t = team_with_room();
  if (!t) {
    held.unlock();
    return phase_in_place(machine, here, p);
  }
  if (!w || w->index > 0) machine.want_worker_0();  // a stream's place may be worker 0
  std::optional<phase_run> made;
  const int workers = phase_run::next_share(*t);
  int most = phase_run::most_workers(*t, machine);
  held.without([&] {
    made.emplace(machine, p, workers, outer != nullptr, *here.children);
    made->promise_teams(most);
  });
  phase_run& run = *made;
  t = team_with_room();
  while (t && most < phase_run::most_workers(*t, machine)) {  // it is a wider one now
    most = phase_run::most_workers(*t, machine);
    held.without([&] { run.promise_teams(most); });
    t = team_with_room();
  }
  if (!t) {  // not any more
    held.unlock();
    return phase_in_place(machine, here, p, run.report());
  }
  const auto trace_event = [&](trace::event_kind what) {
    trace::record(machine.track(), what, run.name(), static_cast<std::uint64_t>(p.streams));
  };
  trace_event(trace::event_kind::phase_begin);
  run.begin(*t);
  if (outer) outer->phase.hold_still(true);
  held.unlock();
  {
    const stream_waits meanwhile(here);
    suspend_until(machine, run.streams());
  }
  if (outer) {
    held.lock();
    outer->phase.hold_still(false);
    held.unlock();
  }
  {
    const typename Machine::tracing now(machine);
    run.record_sizing();
    trace_event(trace::event_kind::phase_end);
    run.keep_learned();
  }
  if (run.streams().has_errors()) rethrow_first(run.streams().take_errors());
}

/// Has a policy decide what there is to decide of the phase, outside the grain lock.
template <class Guard>
void decide(Guard& held, phase_run& phase) MASLIN_REQUIRES(grain_held) {
  while (phase.sizing().begin_decision()) {
    held.without([&] { phase.sizing().decide(); });
    phase.end_decision();
  }
}

/// A stream has ended, and was the phase's last if that is `over`.
template <class Guard>
void ended(Guard& held, phase_run& phase, bool over) MASLIN_REQUIRES(grain_held) {
  if (over) return phase.end();
  decide(held, phase);
  phase.make_up_for_finished();
}

/// What the first worker of a team goes on with: a stream that was suspended, or the next of a phase, which begins.
struct next_stream {
  stream_run* suspended = nullptr;
  phase_run* phase = nullptr;  ///< of the one that begins
  std::int64_t index = 0;
};

/// Gives that, if there is one. Before the worker parks, it may be one of a phase whose place this is, too: such a
/// stream may hold what those wait for that run here now.
inline std::optional<next_stream> find_stream(const team& t, int worker, bool before_parking)
    MASLIN_REQUIRES(grain_held) {
  if (t.first() != worker) return std::nullopt;
  for (const team* one = &t; one; one = before_parking ? next_led(*one, worker) : nullptr) {
    if (!one->runs) continue;
    std::optional<std::int64_t> begun;
    if (stream_run* const suspended = one->runs->next_stream(worker, before_parking, begun))
      return next_stream{suspended};
    if (begun) return next_stream{nullptr, one->runs, *begun};
  }
  return std::nullopt;
}

/// From its beginning to its end.
template <machine_with_streams Machine>
void run_stream(Machine& machine, stream_run& s) {
  phase_run& phase = s.phase;
  scope own(&phase.streams());
  context here(own);
  here.stream = &s;
  here.owns_stream = true;
  machine.trace_stream(trace::event_kind::stream_begin, s);
  error_list errors = run_enclosed(machine, here, own, [&] {
    const base::in_float_mode callers(phase.mode());
    const typename Machine::stream_code during(machine);
    phase.what().run(phase.what().env, s.index);
  });
  if (machine.ended_outside(s, errors)) return;
  if (!errors.empty()) phase.streams().add_errors(static_cast<std::uint64_t>(s.index), std::move(errors));
  const typename Machine::exclusive until_it_has_left(machine);
  machine.trace_stream(trace::event_kind::stream_end, s);
  {
    typename Machine::grain_guard held(machine);
    ended(held, phase, phase.finished(s));
  }
  phase.streams().leave();  // the last one's end is the phase's, which may be gone after this
}

/// Between two off-loads of the stream: is a slice over, or an epoch?
template <machine_with_streams Machine>
void look_at(Machine& machine, stream_run& s, std::uint64_t now) {
  s.phase.off_loaded(s, now);
  if (!s.phase.due(now)) return;
  if (!machine.try_grain_lock()) return;
  typename Machine::grain_guard held(machine, std::adopt_lock);
  s.phase.tick();
  decide(held, s.phase);
}

/// The same behind one that was too small to be timed.
template <machine_with_streams Machine>
void look_at_untimed(Machine& machine, stream_run& s) {
  if (s.phase.sizing().due()) return look_at(machine, s, machine.ticks());
  s.phase.off_loaded(s);
}

/// A loop that a stream runs itself is an off-load: there the stream takes its place, and its iterations count. Where
/// streams run on hosts, such a loop is a host's.
template <machine_with_streams Machine>
void run_loop(Machine& machine, context& caller, const detail::loop& l) {
  if (!caller.owns_stream || caller.in_offload || machine.loops_are_hosts()) return machine.share_loop(caller, l);
  auto& s = *static_cast<stream_run*>(caller.stream);
  machine.come_to_offload(caller, s);
  if (!caller.owns_stream) return machine.share_loop(caller, l);
  worker_of<Machine>& w = *machine.calling_worker();
  const int width = machine.calling_team(&w, caller).width();
  const std::uint64_t ticket = s.phase.sizing().arrived();
  const std::uint32_t column = s.phase.sizing().counts().of_loop(reinterpret_cast<const void*>(l.run), l.where.line());
  if (machine.passes(l)) {
    loop_in_place(machine, caller, l);
    s.phase.sizing().departed_untimed(ticket, w.index, column, l.length());
    return look_at_untimed(machine, s);
  }
  const std::uint64_t begin = machine.ticks();
  machine.share_loop(caller, l);
  worker_of<Machine>* const here = machine.calling_worker();
  if (machine.has_no_worker(here)) return;
  if (width == 1 && (here != &w || machine.calling_team(here, caller).width() > 1)) {  // others did some of it
    s.phase.sizing().departed_untimed(ticket, here->index, column, l.length());
    return look_at_untimed(machine, s);
  }
  const std::uint64_t end = machine.ticks();
  machine.loop_took(w, l, width, end - begin);
  s.phase.sizing().departed(ticket, w.index, column, width, end - begin, true, l.length());
  look_at(machine, s, end);
}

/// Calls the kernel where it is called, on as many workers as it is worth; counts it for the stream.
template <machine_with_streams Machine>
void run_offload(Machine& machine, context& here, std::uint32_t kernel, void (*call)(void*), void* env) {
  auto* s = static_cast<stream_run*>(here.stream);
  if (here.in_offload) return call_inner_kernel(machine, here, call, env);
  if (s && here.owns_stream) machine.come_to_offload(here, *s);
  worker_of<Machine>* w = machine.calling_worker();
  const bool outside = machine.has_no_worker(w);
  if (outside) s = nullptr;  // what a phase counts, it counts by worker
  const int team_width = here.in_loop || outside ? 1 : machine.calling_team(w, here).width();
  const auto site = machine.site_of(s, call, kernel);
  const bool untimed = machine.passes(site, 1);
  // The team of a stream may get wider while the kernel runs.
  const auto is_worth_it = [&] {
    if (!s) return team_width > 1;
    const double seconds = s->phase.sizing().counts().mean_seconds(s->phase.sizing().counts().of_kernel(kernel));
    return !here.in_loop &&
           grain::worth_sharing(seconds, std::max(team_width, 2), Machine::kernel_handing_over_seconds);
  };
  const bool alone = untimed || !is_worth_it();
  const int width = alone ? 1 : team_width;
  if (machine.sends_kernels()) return machine.send_kernel(here, s, kernel, width, call, env);

  const bool traced = trace::on();
  const std::uint32_t name = traced ? traced_kernel(kernel) : 0;
  if (traced) [[unlikely]]
    machine.trace_kernel(trace::event_kind::offload_begin, name, width);
  const std::uint64_t ticket = s ? s->phase.sizing().arrived() : 0;
  const std::uint64_t begin = s && !untimed ? machine.ticks() : 0;
  call_kernel(machine, here, alone, call, env);
  machine.ran_kernel(w);
  if (traced) [[unlikely]]
    machine.trace_kernel(trace::event_kind::offload_end, name, width);
  if (!s) return;
  const std::uint32_t column = s->phase.sizing().counts().of_kernel(kernel);
  if (untimed) {
    s->phase.sizing().departed_untimed(ticket, w->index, column);
    if (here.owns_stream) look_at_untimed(machine, *s);
    return;
  }
  const std::uint64_t end = machine.ticks();
  const int most = alone ? 1 : std::max(width, machine.calling_team(w, here).width());
  machine.kernel_took(*w, site, most, end - begin);
  s->phase.sizing().departed(ticket, w->index, column, most, end - begin, here.owns_stream);
  if (here.owns_stream) look_at(machine, *s, end);
}

}  // namespace maslin::core
