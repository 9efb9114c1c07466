// Loops on a team: from the start, which puts the loop where the team finds it, to the join.

#include <new>

#include "exec/in_place.hpp"
#include "exec/threads/threads.hpp"
#include "trace/recorder.hpp"

namespace maslin {

namespace {

/// Takes the caller's next share of its own loop: from its own queue, or from the centre, whose share becomes local
/// work.
std::optional<work> take_share(worker& w, team& whole, loop_run& run, bool in_centre) {
  if (auto own = w.queue.take_of(&run, run.width)) return own;
  if (!in_centre) return std::nullopt;
  return whole.centre.take_of(&run, run.width);
}

}  // namespace

void threads_executor::run_loop(const detail::loop& l) {
  const starting_thread::visit visit(*this);
  context& caller_context = current_context();
  worker* w = self();
  const int team_width =
      w ? w->in_team.load(std::memory_order_acquire)->width.load(std::memory_order_relaxed) : workers();
  const std::int64_t blocks = l.blocks();
  if (blocks == 1 || caller_context.alone || (w && team_width == 1)) return loop_in_place(*this, l);

  loop_run run(l, caller_context, team_width);
  const bool in_centre = !w || caller_context.is_root;
  const int track = w ? w->index : -1;
  if (trace::on()) run.site = trace::site(l.where);
  trace::record(track, trace::event_kind::loop_begin, run.site, trace::loop_shape{blocks, team_width});
  try {
    const work all{nullptr, {&run, 0, blocks}};
    if (in_centre)
      whole_->centre.push_tail(all);
    else
      w->queue.push_head(all);
  } catch (const std::bad_alloc&) {
    return loop_in_place(*this, l);  // it cannot be shared, but it can be done
  }
  const team& t = w ? *w->in_team.load(std::memory_order_acquire) : *whole_;
  const int first = t.first.load(std::memory_order_relaxed);
  wake_one(first, first + t.width.load(std::memory_order_relaxed));

  if (w) {
    // The worker is the same throughout: a stream changes workers only at off-loads, and this is a loop.
    while (auto share = take_share(*w, *whole_, run, in_centre)) run_part(*w, share->part);
    // The last blocks elsewhere are a fraction of what was done here: usually sooner done than another fiber is
    // resumed.
    spin_.briefly_until([&] { return run.blocks.quiet(); });
  }
  suspend_until(*this, run.blocks);
  trace::record(track, trace::event_kind::loop_end, run.site, trace::loop_shape{blocks, team_width});
  if (run.blocks.has_errors()) rethrow_first(run.blocks.take_errors());
}

void threads_executor::run_part(worker& w, const loop_part& part) {
  loop_run& run = *part.loop;
  const trace::chunk_at what{w.in_team.load(std::memory_order_acquire)->slot.load(std::memory_order_relaxed),
                             part.first, part.last - part.first};
  const std::uint32_t site = run.site;
  trace::record(w.index, trace::event_kind::chunk_begin, site, what);
  {
    scope own(&run.blocks);
    context here(own);
    here.in_loop = true;
    here.in_offload = run.caller.in_offload;
    here.stream = run.caller.stream;
    for (std::int64_t i = part.first; i < part.last; ++i) {
      // Every block below the lowest that threw runs; those above need not.
      if (i > run.lowest_thrown.load(std::memory_order_relaxed)) break;
      error_list errors = run_enclosed(*this, here, own, [&] { run.what.run_block(i); });
      if (errors.empty()) continue;
      run.blocks.add_errors(static_cast<std::uint64_t>(i), std::move(errors));
      std::int64_t lowest = run.lowest_thrown.load(std::memory_order_relaxed);
      while (i < lowest && !run.lowest_thrown.compare_exchange_weak(lowest, i, std::memory_order_relaxed)) {
      }
    }
  }
  trace::record(w.index, trace::event_kind::chunk_end, site, what);
  // The loop may be gone after this.
  run.blocks.leave(static_cast<std::uint64_t>(part.last - part.first));
}

}  // namespace maslin
