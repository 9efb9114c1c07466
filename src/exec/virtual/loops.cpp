#include <bit>

#include "base/clock.hpp"
#include "base/float_mode.hpp"
#include "exec/in_place.hpp"
#include "exec/virtual/inside.hpp"
#include "trace/recorder.hpp"

namespace maslin {

void virtual_executor::run_blocks(loop_run& run, std::int64_t first, std::int64_t last) {
  scope own(&run.blocks);
  context here(own);
  here.in_loop = &run.what;
  here.in_offload = run.caller.in_offload;
  here.stream = run.caller.stream;
  const entered in(here);
  const base::in_float_mode callers(run.mode);
  const virtual_worker& w = *self();
  const trace::chunk_at what{w.in_team.load(std::memory_order_relaxed)->slot.load(std::memory_order_relaxed), first,
                             last - first};
  noted_blocks noted(w.index, run.site, what);
  constexpr std::uint64_t often_enough = 1024;
  for (std::int64_t i = first; i < last && !run.is_void(i); ++i) {
    run_to_end(*this, here, own, [&] {
      std::int64_t next = i;
      run.what.run_blocks(next, i + 1);
    });
    ran();
    here.declares = false;
    if (own.has_errors()) [[unlikely]]
      run.note_thrown(i, own.take_errors());
    noted.reached(i + 1);
    // What throws earlier, further down, ends this: it is to be seen however many blocks there are.
    if (const auto done = static_cast<std::uint64_t>(i + 1 - first); done >= often_enough && std::has_single_bit(done))
      const inside calling(*this);
  }
}

void virtual_executor::note(trace::event_kind what, loop_run& run) const {
  if (!trace::on()) return;
  run.site = trace::site(run.what.where);
  trace::record(track(), what, run.site, trace::loop_shape{run.what.blocks(), run.width});
}

std::optional<work> virtual_executor::take_share(virtual_worker& w, loop_run& run, bool in_centre) {
  const inside calling(*this);
  if (auto own = w.queue.take_of(&run, run.width)) return own;
  if (!in_centre) return std::nullopt;
  std::optional<work> share = whole_->centre.take_of(&run, run.width);
  if (!share || share->part.size() <= share->part.grain) return share;
  w.queue.push_head(*share);
  wake_one(whole_->workers());
  return w.queue.take_of(&run, run.width);
}

void virtual_executor::share_loop(context& caller, const detail::loop& l) {
  virtual_worker* w = self();
  const std::int64_t blocks = l.blocks();
  team& t = calling_team(caller);
  const int team_width = t.width();
  if (blocks == 1 || caller.alone || (w && team_width == 1)) return loop_in_place(*this, caller, l);
  const schedule policy = l.policy == schedule::of_the_run ? loops_ : l.policy;
  if (policy != schedule::dbs) return run_baseline(caller, l, policy);
  loop_run run(l, caller, team_width);
  const bool in_centre = !w || caller.is_root;
  note(trace::event_kind::loop_begin, run);
  {
    const inside calling(*this);
    if (in_centre)
      whole_->centre.push_tail({nullptr, {&run, 0, blocks}});
    else
      w->queue.push_head({nullptr, {&run, 0, blocks}});
    wake_one(t.workers());
  }
  std::int64_t done = 0;
  if (w)
    while (auto share = take_share(*w, run, in_centre)) {
      run_blocks(run, share->part.first, share->part.last);
      done += share->part.size();
    }
  if (done > 0) run.blocks.leave(static_cast<std::uint64_t>(done));
  suspend_until(*this, run.blocks);
  note(trace::event_kind::loop_end, run);
  if (run.blocks.has_errors()) rethrow_first(run.blocks.take_errors());
}

void virtual_executor::run_baseline(context& caller, const detail::loop& l, schedule policy) {
  virtual_worker* w = self();
  const team& t = calling_team(caller);
  const auto [first, team_width] = t.workers();
  const bool takes_part = w && w->index >= first && w->index < first + team_width;
  loop_queues own(policy, l.blocks(), team_width);
  std::vector<invitation> all(static_cast<std::size_t>(team_width));
  loop_run run(l, caller, team_width, &own);
  note(trace::event_kind::loop_begin, run);
  {
    const inside calling(*this);
    for (int i = 0; i < team_width; ++i) {
      all[static_cast<std::size_t>(i)] = {&run, i, nullptr};
      virtual_worker& guest = at(first + i);
      if (&guest == w && takes_part) continue;
      guest.invited.add(all[static_cast<std::size_t>(i)]);
      rouse_worker(guest.index);
    }
  }
  if (takes_part) {
    answer(all[static_cast<std::size_t>(w->index - first)]);
    if (policy != schedule::static_)
      for (int i = 0; i < team_width; ++i)
        if (at(first + i).invited.take_if([&](const invitation& one) { return one.loop == &run; })) run.blocks.leave();
  }
  suspend_until(*this, run.blocks);
  note(trace::event_kind::loop_end, run);
  if (run.blocks.has_errors()) rethrow_first(run.blocks.take_errors());
}

void virtual_executor::answer(const invitation& to) {
  loop_run& run = *to.loop;
  for (;;) {
    std::optional<loop_policy::part> part;
    {
      const inside calling(*this);
      part = run.own->next(to.worker);
    }
    if (!part) break;
    run_blocks(run, part->first, part->last);
  }
  run.blocks.leave();
}

}  // namespace maslin
