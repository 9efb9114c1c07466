// Loops on a team: from the start, which puts the loop where the team finds it, to the join.

#include <algorithm>
#include <memory>
#include <new>
#include <optional>

#include "base/chance.hpp"
#include "base/float_mode.hpp"
#include "exec/in_place.hpp"
#include "exec/threads/threads.hpp"
#include "sched/grain/edtlp.hpp"
#include "task/uncancelled.hpp"
#include "trace/recorder.hpp"

namespace maslin {

namespace {

void note_begin(loop_run& run, const worker* w) {
  if (!trace::on()) return;
  run.site = trace::site(run.what.where);
  trace::record(track_of(w), trace::event_kind::loop_begin, run.site, trace::loop_shape{run.what.blocks(), run.width});
}

}  // namespace

/// Takes the caller's next share of its own loop: from its own queue, or from the centre, whose share becomes local
/// work. A foreign thread has no queue.
std::optional<work> threads_executor::take_share(worker* w, loop_run& run, bool in_centre) {
  for (;;) {
    if (auto own = w ? w->queue.take_of(&run, run.width) : std::nullopt) return own;
    if (!in_centre) return std::nullopt;
    std::optional<work> share = whole_->centre.take_of(&run, run.width);
    if (!w || !share || share->part.size() <= share->part.grain) return share;
    try {
      w->queue.push_head(*share);
    } catch (const std::bad_alloc&) {
      return share;  // it cannot be shared further, but it can be done
    }
    wake_one(whole_->workers());
  }
}

namespace {

/// While it lives a stream's worker and its team run blocks of a loop: not before the last is done may libraries that
/// the stream calls use the team again.
class shared_loop {
 public:
  shared_loop(worker* w, const context& caller) : on_(w), before_(w ? w->shares : nullptr) {
    if (w) w->shares = &caller;
  }
  ~shared_loop() {
    if (!on_) return;
    on_->shares = before_;
    on_->exec.shared_no_more();
  }
  shared_loop(const shared_loop&) = delete;
  shared_loop& operator=(const shared_loop&) = delete;

 private:
  worker* const on_;
  const context* const before_;
};

}  // namespace

void threads_executor::learn_length(call_site& site, std::uint64_t count, std::uint64_t ticks) const noexcept {
  const double expected = site.time().expected(count);
  const auto taken = static_cast<double>(ticks);
  constexpr double surprising = 16;
  // One that is so small now may have been handed over, had it been known.
  if (expected > 0 && taken > surprising * expected && taken > 4 * handing_over_ticks_)
    site.has_surprised();
  else
    site.was_as_expected();
  constexpr std::uint32_t memory = 4;
  site.learn(count, ticks, memory);
}

bool threads_executor::passes(const call_site* site, std::uint64_t count) const noexcept {
  constexpr std::uint32_t known = 4;  // as often its length must have been seen
  if (!site || !site->is_steady()) return false;
  const grain::site_time time = site->time();
  return time.seen >= known && time.expected(count) < handing_over_ticks_ && !base::one_in_sixteen();
}

bool threads_executor::passes(const detail::loop& l) const noexcept {
  return l.policy == schedule::of_the_run && loops_ == schedule::dbs &&
         passes(sites_.find(l.run, l.where.line()), l.length());
}

void threads_executor::share_loop(context& caller, const detail::loop& l) {
  const bool has_one_block = l.length() <= static_cast<std::uint64_t>(l.block);
  if (has_one_block || caller.alone || ((self() || is_starter()) && passes(l))) {
    if (caller.is_root && is_starter()) count_call();
    return loop_in_place(*this, caller, l);
  }
  const starting_thread::visit visit(*this);
  worker* w = self();
  if (sharing_) sharing_->expects_work();
  const team& t = team_of(w);
  const int team_width = shares_of(t, t.width());
  const std::int64_t blocks = l.blocks();
  if (w && team_width == 1) return loop_in_place(*this, caller, l);

  const shared_loop shared(w, caller);
  const uncancelled during(caller);
  const schedule policy = l.policy == schedule::of_the_run ? loops_ : l.policy;
  if (policy != schedule::dbs) return run_baseline(caller, l, policy);

  loop_run run(l, caller, team_width);
  const bool in_centre = !w || caller.is_root;
  // Unless the program asked for sharing, what is known of the call site counts: a loop that is too small begins with
  // its caller alone, and one that turns out to be larger is shared from there; no worker takes less than pays for it.
  loop_part rest{&run, 0, blocks};
  if (w && l.policy == schedule::of_the_run) {
    run.learns = &sites_.of(l.run, l.where.line());
    const double whole = run.learns->time().expected(l.length());
    rest.grain = grain::worth_taking(whole / static_cast<double>(blocks), handing_over_ticks_);
    if (!grain::worth_sharing(whole, team_width, handing_over_ticks_)) {
      run.width = 1;
      note_begin(run, w);
      rest.first = run_blocks(w, run, 0, blocks, static_cast<std::uint64_t>(4 * handing_over_ticks_), true);
      run.width = team_width;
      // That it is not over shows what its blocks really take.
      const auto taken = static_cast<double>(run.ticks.load(std::memory_order_relaxed));
      rest.grain = grain::worth_taking(taken / static_cast<double>(rest.first), handing_over_ticks_);
    }
  }
  // However small the blocks were before: everybody finds a few pieces.
  rest.grain = std::min(rest.grain, std::max<std::int64_t>(1, rest.size() / (4 * team_width)));
  if (rest.first == 0) note_begin(run, w);
  std::int64_t done = rest.first;  // by the caller
  if (rest.size() > 0) {
    if (publish(w, rest, in_centre)) {
      // The worker is the same throughout: a stream changes workers only at off-loads, and this is a loop.
      while (!w || !sharing_ || sharing_->goes_on(*w)) {
        const auto share = take_share(w, run, in_centre);
        if (!share) break;
        done += run_share(w, share->part);
      }
    } else {
      run_blocks(w, run, rest.first, rest.last);  // it cannot be shared, but it can be done
      done = blocks;
    }
  }
  if (done > 0) run.blocks.leave(static_cast<std::uint64_t>(done));
  join(run, w);
}

/// Puts blocks of a loop where its team finds them; false where there is no memory for that.
bool threads_executor::publish(worker* w, const loop_part& rest, bool in_centre) noexcept {
  try {
    if (in_centre)
      whole_->centre.push_tail({nullptr, rest});
    else
      w->queue.push_head({nullptr, rest});
  } catch (const std::bad_alloc&) {
    return false;
  }
  wake_one(team_of(w).workers());
  return true;
}

/// Gives blocks that the worker must not begin to those that may; false where there is no memory for that.
bool threads_executor::leave_to_others(worker& w, const loop_part& rest) noexcept {
  if (!publish(&w, rest, true)) return false;
  want_stand_in();  // the only active worker may be worker 0, whose thread is outside
  return true;
}

void threads_executor::run_baseline(context& caller, const detail::loop& l, schedule policy) {
  worker* w = self();
  const team& t = team_of(w);
  const auto [first, team_width] = t.workers();
  // A worker that has just been moved may run something of the team that it left.
  const bool takes_part = w && w->index >= first && w->index < first + team_width;
  std::optional<loop_queues> queues;
  std::unique_ptr<invitation[]> all;
  try {
    queues.emplace(policy, l.blocks(), team_width);
    all = std::make_unique<invitation[]>(static_cast<std::size_t>(team_width));
  } catch (const std::bad_alloc&) {
    return loop_in_place(*this, caller, l);
  }
  loop_run run(l, caller, team_width, &*queues);
  note_begin(run, w);
  for (int i = 0; i < team_width; ++i) {
    all[static_cast<std::size_t>(i)] = {&run, i, nullptr};
    worker& guest = at(first + i);
    if (&guest == w && takes_part) continue;
    guest.invited.add(all[static_cast<std::size_t>(i)]);
    rouse(guest);
  }
  if (first == 0 && (!w || w->index > 0)) want_stand_in();
  if (takes_part) answer(w, all[static_cast<std::size_t>(w->index - first)]);
  // Who has not come by now may be blocked, even by something that waits for this loop: the caller does its part,
  // unless anybody may take anything. Then nothing is left.
  const bool all_done = takes_part && policy != schedule::static_;
  for (int i = 0; i < team_width; ++i) {
    invitation* to = at(first + i).invited.take_if([&](const invitation& one) { return one.loop == &run; });
    if (to && all_done)
      run.blocks.leave();
    else if (to)
      answer(w, *to);
  }
  join(run, w);
}

/// The caller, worker `w` or a foreign thread, has done what it could of its loop: waits for the others' part.
void threads_executor::join(loop_run& run, worker* w) {
  // The last blocks elsewhere are a fraction of what was done here: usually sooner done than another fiber is resumed.
  if (w) finishes_soon(run, *w);
  suspend_until(*this, run.blocks);
  // What threw did not run to its end.
  if (run.learns && !run.blocks.has_errors()) {
    const std::uint64_t ticks = run.ticks.load(std::memory_order_relaxed);
    learn_length(*run.learns, run.what.length(), ticks);
    // An off-load counts as a whole.
    if (run.caller.stream && !run.caller.in_offload && learns_waits_) self()->waits.took(ticks);
  }
  trace::record(track_of(w), trace::event_kind::loop_end, run.site, trace::loop_shape{run.what.blocks(), run.width});
  if (run.blocks.has_errors()) rethrow_first(run.blocks.take_errors());
}

void threads_executor::answer(worker* w, const invitation& to) {
  loop_run& run = *to.loop;
  while (const auto part = run.own->next(to.worker)) run_blocks(w, run, part->first, part->last);
  // The loop may be gone after this.
  run.blocks.leave();
}

void threads_executor::run_part(worker* w, const loop_part& part) {
  // The loop may be gone after this.
  part.loop->blocks.leave(static_cast<std::uint64_t>(run_share(w, part)));
}

/// Runs blocks in order while the worker may; gives how many. Others do the rest, and whoever does counts it.
std::int64_t threads_executor::run_share(worker* w, loop_part part) {
  const std::int64_t first = part.first;
  // Of small blocks several are one piece of work.
  constexpr std::int64_t most_at_a_time = 16;
  const std::int64_t at_a_time = sharing_ ? 1 : std::min(part.grain, most_at_a_time);
  part.first = run_blocks(w, *part.loop, part.first, part.last, forever, true, at_a_time);
  // The worker's CPU was taken.
  if (part.size() > 0 && !leave_to_others(*w, part)) part.first = run_blocks(w, *part.loop, part.first, part.last);
  return part.first - first;
}

std::int64_t threads_executor::run_blocks(worker* w, loop_run& run, std::int64_t first, std::int64_t last,
                                          std::uint64_t ticks, bool may_stop, std::int64_t at_a_time) {
  sharing* const shared = w ? sharing_.get() : nullptr;
  const bool timed = run.learns;
  const std::uint64_t begin = timed ? base::ticks() : 0;
  const trace::chunk_at what{team_of(w).slot.load(std::memory_order_relaxed), first, last - first};
  std::int64_t next = first;
  {
    noted_blocks noted(track_of(w), run.site, what);
    scope own(&run.blocks);
    context here(own);
    here.in_loop = &run.what;
    here.in_offload = run.caller.in_offload;
    here.stream = run.caller.stream;
    const entered in(here);
    const base::in_float_mode callers(run.mode);
    while (next < last) {
      // Every block below the lowest that threw runs; those above need not.
      if (run.is_void(next)) {
        next = last;
        break;
      }
      // The clock is looked at ever less often: small blocks should not wait for it.
      const std::int64_t more = ticks == forever ? at_a_time : std::max<std::int64_t>(1, next - first);
      const std::int64_t end = more < last - next ? next + more : last;
      run_to_end(*this, here, own, [&] { run.what.run_blocks(next, noted.before_note(end)); });
      if (own.has_errors()) [[unlikely]]
        run.note_thrown(next - 1, own.take_errors());
      noted.reached(next);
      if (shared && !shared->goes_on(*w) && may_stop) break;
      if (ticks != forever && base::ticks() - begin > ticks) break;
    }
  }
  if (timed) run.ticks.fetch_add(base::ticks() - begin, std::memory_order_relaxed);
  return next;
}

}  // namespace maslin
