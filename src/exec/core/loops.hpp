#pragma once
// A loop that a team shares, on every machine: from where the team finds it to the join.

#include <algorithm>
#include <memory>
#include <new>
#include <optional>

#include "base/float_mode.hpp"
#include "base/prefetch.hpp"
#include "exec/core/machine.hpp"
#include "exec/in_place.hpp"
#include "exec/phase/phase_run.hpp"
#include "exec/tracing.hpp"
#include "sched/loop/static.hpp"
#include "task/scope.hpp"
#include "task/uncancelled.hpp"
#include "trace/recorder.hpp"

namespace maslin::core {

template <machine_with_loops Machine>
void trace_loop(Machine& machine, trace::event_kind what, loop_run& run) {
  if (!trace::on(what)) [[likely]]
    return;
  const typename Machine::tracing held(machine);
  run.site = trace::site(run.what.where);
  trace::record(machine.track(), what, run.site, trace::loop_shape{run.what.blocks(), run.width});
}

/// Runs blocks in order, as far as the machine's `pace` has it; gives the first that it did not run.
template <machine_with_loops Machine, pace_of_blocks Pace>
std::int64_t run_blocks(Machine& machine, worker_of<Machine>* w, loop_run& run, std::int64_t first, std::int64_t last,
                        Pace&& pace) {
  const int slot = machine.calling_team(w, run.caller).slot.load(std::memory_order_relaxed);
  scope own(&run.blocks);
  context here(own);
  here.in_loop = &run.what;
  here.in_offload = run.caller.in_offload;
  here.stream = run.caller.stream;
  const entered in(here);
  const base::in_float_mode callers(run.mode);
  traced_blocks traced(w ? w->index : -1, run.site, trace::chunk_at{slot, first, last - first});
  for (std::int64_t next = first; next < last;) {
    // Every block below the lowest that threw runs; those above need not.
    if (run.is_void(next)) return last;
    const std::int64_t end = std::min(pace.end_of_piece(next), last);
    run_to_end(machine, here, own, [&] { run.what.run_blocks(next, traced.next_stop(end)); });
    pace.ran(here);
    if (own.has_errors()) [[unlikely]]
      run.record_thrown(next - 1, own.take_errors());
    traced.reached(next);
    if (pace.stops(next)) return next;
  }
  return last;
}

/// The caller has done what it could of its loop: waits for the others' part. Throws what the earliest block threw.
template <machine_with_loops Machine>
void join(Machine& machine, worker_of<Machine>* w, loop_run& run) {
  // The last blocks elsewhere are a fraction of what was done here: usually sooner done than another fiber is resumed.
  if (w) machine.finishes_soon(run, *w);
  suspend_until(machine, run.blocks);
  machine.learn(run);
  trace_loop(machine, trace::event_kind::loop_end, run);
  if (run.blocks.has_errors()) rethrow_first(run.blocks.take_errors());
}

/// How a worker runs its own range of a loop that is dealt out: piece by piece, to where others have taken the rest.
struct own_range {
  dealt_blocks& left;
  const int worker;
  std::int64_t end;  ///< of the piece that it has taken

  std::int64_t end_of_piece(std::int64_t) const { return end; }
  static void ran(const context&) noexcept {}
  bool stops(std::int64_t next) {
    if (next < end) return false;  // a piece may be run in parts
    const auto more = left.take(worker);
    if (more) end = more->last;
    return !more;
  }
};

/// Does the part of a worker in a loop that is dealt out: its own range, then half of another's while that pays.
template <machine_with_loops Machine>
void run_dealt(Machine& machine, worker_of<Machine>* w, loop_run& run, int worker) {
  const typename Machine::timed_blocks taken(machine, run);
  dealt_blocks& left = *run.dealt;
  // Where no range has more than one block, its worker has begun with that, or the caller will: a look would only fetch
  // the lines of the others' ranges.
  const bool has_one_each = run.what.blocks() <= run.width;
  do {
    while (const auto piece = left.take(worker)) {
      run_blocks(machine, w, run, piece->first, left.end_of(worker), own_range{left, worker, piece->last});
      // What it left is behind a block that threw.
      left.forget(worker);
    }
  } while (!has_one_each && left.steal(worker));
}

/// Does a worker's part of a loop to which its team is invited, whoever calls.
template <machine_with_loops Machine>
void run_part_of(Machine& machine, worker_of<Machine>* w, loop_run& run, int worker) {
  if (run.dealt) return run_dealt(machine, w, run, worker);
  if (!run.own) {
    const auto part = loop_policy::static_part(run.what.blocks(), run.width, worker);
    if (part.size() > 0) machine.run_blocks(w, run, part.first, part.last);
    const typename Machine::exclusive calling(machine);  // what follows happens when they are done
    return;
  }
  const auto next = [&] {
    const typename Machine::exclusive held(machine);
    return run.own->next(worker);
  };
  while (const auto part = next()) machine.run_blocks(w, run, part->first, part->last);
}

/// Does the part of a worker that was invited, whoever calls.
template <machine_with_loops Machine>
void answer(Machine& machine, worker_of<Machine>* w, const invitation& to) {
  base::prefetch_to_read(to.loop->what.env);  // the body: it comes while the worker prepares to run it
  run_part_of(machine, w, *to.loop, to.worker);
  // The loop may be gone after this.
  to.loop->blocks.leave();
}

/// Runs a loop to which each worker of the team is invited. `all_done`: may anybody do all of it?
template <machine_with_loops Machine>
void run_invited(Machine& machine, worker_of<Machine>* w, loop_run& run, bool all_done) {
  const int first = run.first, width = run.width;
  // A worker that has just been moved may run something of the team that it left.
  const bool takes_part = w && w->index >= first && w->index < first + width;
  trace_loop(machine, trace::event_kind::loop_begin, run);
  run.blocks.enter(static_cast<std::uint64_t>(takes_part ? width - 1 : width));
  {
    const typename Machine::exclusive held(machine);
    for (int i = first; i < first + width; ++i) {
      worker_of<Machine>& guest = machine.at(i);
      if (&guest == w) continue;
      guest.invited.add(run);
      machine.notify_worker(i);
    }
  }
  if (first == 0 && (!w || w->index > 0)) machine.want_worker_0();
  if (takes_part) run_part_of(machine, w, run, w->index - first);
  // Who has not come by now may be blocked, even by something that waits for this loop: the caller does its part,
  // unless anybody may take anything. Then nothing is left.
  all_done = all_done && takes_part;
  const bool does_others = machine.does_parts_of_others(w);
  for (int i = first; does_others && i < first + width && !run.blocks.quiet(); ++i) {
    const auto take_back = [&, of = i] {
      const typename Machine::exclusive held(machine);  // with all that happened until now
      return machine.at(of).invited.take_back(run);
    };
    const auto to = take_back();
    if (to && all_done)
      run.blocks.leave();
    else if (to)
      answer(machine, w, *to);
  }
  join(machine, w, run);
}

/// A loop under `static`, `gss` or `afs`: it has queues of its own.
template <machine_with_loops Machine>
void run_baseline(Machine& machine, context& caller, const detail::loop& l, schedule policy) {
  worker_of<Machine>* w = machine.calling_worker();
  const team::span members = machine.calling_team(w, caller).workers();
  constexpr int few = 8;
  std::uintptr_t near[few];
  std::unique_ptr<std::uintptr_t[]> far;
  std::optional<loop_queues> queues;
  try {
    if (members.width > few)
      far = std::make_unique_for_overwrite<std::uintptr_t[]>(static_cast<std::size_t>(members.width));
    if (policy != schedule::static_) queues.emplace(policy, l.blocks(), members.width);
  } catch (const std::bad_alloc&) {
    return loop_in_place(machine, caller, l);
  }
  loop_run run(l, caller, members.first, members.width, far ? far.get() : near);
  if (queues) run.own = &*queues;
  run_invited(machine, w, run, policy != schedule::static_);
}

/// A small loop whose team is awake: nobody needs to look for it, or for what others have left of it.
template <machine_with_loops Machine>
void deal_out(Machine& machine, worker_of<Machine>* w, const team::span members, context& caller, const detail::loop& l,
              const deal& how) {
  dealt_blocks all(l.blocks(), members.width, how.grain);
  std::uintptr_t links[dealt_blocks::most_workers];
  loop_run run(l, caller, members.first, members.width, links);
  run.dealt = &all;
  if (how.is_timed) machine.times(run);
  run_invited(machine, w, run, false);
}

/// Takes the caller's next share of its own loop: from its own queue, or from the centre, whose share becomes local
/// work. A foreign thread has no queue.
template <machine_with_loops Machine>
std::optional<work> take_share(Machine& machine, worker_of<Machine>* w, loop_run& run, bool in_centre) {
  const typename Machine::exclusive held(machine);
  team& whole = machine.whole();
  for (;;) {
    if (auto own = w ? w->queue.take_of(&run, run.width) : std::nullopt) return own;
    if (!in_centre) return std::nullopt;
    std::optional<work> share = whole.centre.take_of(&run, run.width);
    if (!w || !share || share->part.size() <= share->part.grain) return share;
    try {
      w->queue.push_head(*share);
    } catch (const std::bad_alloc&) {
      return share;  // it cannot be shared further, but it can be done
    }
    machine.wake_one(whole.workers());
  }
}

/// Puts blocks of a loop where its team finds them; false where there is no memory for that.
template <machine_with_loops Machine>
bool publish(Machine& machine, worker_of<Machine>* w, const loop_part& rest, bool in_centre) noexcept {
  const typename Machine::exclusive held(machine);
  try {
    if (in_centre)
      machine.whole().centre.push_tail({nullptr, rest});
    else
      w->queue.push_head({nullptr, rest});
  } catch (const std::bad_alloc&) {
    return false;
  }
  // The team of now: the blocks that the caller has run alone may have been long.
  machine.wake_one(machine.calling_team(w, rest.loop->caller).workers());
  return true;
}

/// The team shares what is left of the loop, and the caller takes part.
template <machine_with_loops Machine>
void share_rest(Machine& machine, worker_of<Machine>* w, loop_run& run, const loop_part& rest) {
  const bool in_centre = !w || run.caller.is_root;
  std::int64_t done = rest.first;  // by the caller
  if (rest.size() > 0) {
    if (publish(machine, w, rest, in_centre)) {
      // The worker is the same throughout: of a loop that is shared its stream awaits the end.
      while (machine.may_take_shares(w)) {
        const auto share = take_share(machine, w, run, in_centre);
        if (!share) break;
        done += machine.run_share(w, share->part);
      }
    } else {
      machine.run_blocks(w, run, rest.first, rest.last);  // it cannot be shared, but it can be done
      done = run.what.blocks();
    }
  }
  if (done > 0) run.blocks.leave(static_cast<std::uint64_t>(done));
  join(machine, w, run);
}

/// Is there more than one worker now for a stream that runs a loop by itself?
template <machine_with_loops Machine>
bool team_has_changed(Machine& machine, worker_of<Machine>& w, const context& caller) {
  const auto* s = static_cast<const stream_run*>(caller.stream);
  if (!s->phase.ends()) return false;
  if (caller.owns_stream && !caller.in_offload) return s->phase.stale(*s);
  return machine.calling_team(&w, caller).width() > 1;
}

/// A loop of a stream whose team is one worker: by that one, until the team has more. It gets them when streams beside
/// it end. As long as nothing of the loop is shared the stream may take its place between two blocks, as it does at an
/// off-load; but not while it runs a kernel, whose body may count on its thread.
template <machine_with_loops Machine>
void run_narrow(Machine& machine, worker_of<Machine>* w, context& caller, const detail::loop& l) {
  loop_run run(l, caller, 1);
  trace_loop(machine, trace::event_kind::loop_begin, run);
  loop_part rest{&run, 0, l.blocks()};
  while (w && run.width == 1) {
    rest = machine.run_until_changed(*w, run, rest.first);
    if (rest.size() == 0) break;
    if (caller.owns_stream && !caller.in_offload) {
      machine.come_to_offload(caller, *static_cast<stream_run*>(caller.stream));
      w = machine.calling_worker();
    }
    const team& t = machine.calling_team(w, caller);
    run.width = std::max(1, machine.shares_of(t, t.width()));
  }
  const typename Machine::during_loop during(machine, w, caller);
  share_rest(machine, w, run, rest);
}

template <machine_with_loops Machine>
void share_loop(Machine& machine, schedule policy_of_the_run, context& caller, const detail::loop& l) {
  const typename Machine::loop_call call(machine);  // nothing to a stream, which may leave its worker meanwhile
  const schedule policy = l.policy == schedule::of_the_run ? policy_of_the_run : l.policy;
  worker_of<Machine>* w = machine.calling_worker();
  const team& t = machine.calling_team(w, caller);
  const int width = machine.shares_of(t, t.width());
  if (w && width == 1) {
    const bool may_change = caller.stream && policy == schedule::dbs && machine.workers() > 1;
    return may_change ? run_narrow(machine, w, caller, l) : loop_in_place(machine, caller, l);
  }

  const uncancelled meanwhile(caller);
  const typename Machine::during_loop during(machine, w, caller);
  if (policy != schedule::dbs) return run_baseline(machine, caller, l, policy);
  if (const team::span members = t.workers(); dealt_blocks::fits(l.blocks(), members.width))
    if (const deal how = machine.deals_out(w, members, caller, l); how.grain > 0)
      return deal_out(machine, w, members, caller, l, how);

  loop_run run(l, caller, width);
  const loop_part rest = machine.begin_alone(w, run);
  if (rest.first == 0) trace_loop(machine, trace::event_kind::loop_begin, run);
  share_rest(machine, w, run, rest);
}

}  // namespace maslin::core
