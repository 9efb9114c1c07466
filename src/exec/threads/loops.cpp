// What CPU cores do their own way with loops; exec/core/loops.hpp holds the rest.

#include <algorithm>
#include <limits>
#include <utility>

#include "exec/core/loops.hpp"
#include "exec/in_place.hpp"
#include "exec/threads/calls.hpp"
#include "sched/grain/edtlp.hpp"

namespace maslin {

bool threads_executor::passes(const detail::loop& l) const noexcept {
  return l.policy == schedule::of_the_run && loops_ == schedule::dbs &&
         small_.passes(small_.sites().find(l.run, l.where.line()), l.length());
}

void threads_executor::share_loop(context& caller, const detail::loop& l) {
  const bool has_one_block = l.length() <= static_cast<std::uint64_t>(l.block);
  if (has_one_block || caller.alone || ((self() || worker_0_.is_starter()) && passes(l))) {
    if (caller.is_root && worker_0_.is_starter()) libraries_.count_call();
    return loop_in_place(*this, caller, l);
  }
  core::share_loop(*this, loops_, caller, l);
}

/// Known to be small, though not too small: then the team is invited, if it is awake. How to wait in a phase is learned
/// from every loop.
deal threads_executor::deals_out(const worker* w, team::span members, const context& caller,
                                 const detail::loop& l) const noexcept {
  if (!w || sharing_ || l.policy != schedule::of_the_run) return {};
  if (any_sleeps(members) || (members.first == 0 && worker_0_is_absent())) return {};
  const call_site* const site = small_.sites().find(l.run, l.where.line());
  deal how = small_.deals_out(site, l.length(), l.blocks(), members.width);
  how.is_timed |= caller.stream != nullptr;
  return how;
}

void threads_executor::times(loop_run& run) noexcept {
  run.learns = &small_.sites().of(run.what.run, run.what.where.line());
  run.dealt_at = base::ticks();
}

/// For how many ticks a loop runs with its caller alone, if it is not over before; 0: it is shared at once.
std::uint64_t threads_executor::alone_for(worker& w, double whole, int width) {
  constexpr double surprising = 4;  // it takes longer than it should have taken to stay alone
  const double handing_over = small_.handing_over_ticks();
  if (!grain::worth_sharing(whole, width, handing_over)) return static_cast<std::uint64_t>(surprising * handing_over);
  const team& t = team_of(&w);
  const auto [first, members] = t.workers();
  if (!asleep_.all_sleep_but(w.index, first, first + members)) return 0;
  // A phase that has come to park learns better from loops in succession only if somebody is woken for them.
  const grain::wait_policy waits = learns_waits(t) ? grain::wait_policy::spin : t.waits.load(std::memory_order_relaxed);
  const std::uint64_t now = base::ticks();
  const double wake_up = spin_.wake_up_ticks();
  const grain::team_costs costs{handing_over, wake_up, static_cast<double>(spin_.stays_awake(waits, now))};
  if (w.missed.pays_for_wake_up(static_cast<double>(now), whole, width, costs)) return 0;
  return static_cast<std::uint64_t>(surprising * wake_up);
}

/// Unless the program asked for sharing, what is known of the call site counts: a loop that is too small for its team,
/// awake or asleep, begins with its caller alone, and one that turns out to be larger is shared from there; no worker
/// takes less than pays for it.
loop_part threads_executor::begin_alone(worker* w, loop_run& run) {
  const detail::loop& l = run.what;
  loop_part rest{&run, 0, l.blocks()};
  if (w && l.policy == schedule::of_the_run) {
    run.learns = &small_.sites().of(l.run, l.where.line());
    const double whole = run.learns->time().expected(l.length());
    rest.grain = grain::worth_taking(whole / static_cast<double>(rest.size()), small_.handing_over_ticks());
    if (const std::uint64_t alone = alone_for(*w, whole, run.width)) {
      const int team_width = std::exchange(run.width, 1);
      core::trace_loop(*this, trace::event_kind::loop_begin, run);
      rest.first = run_blocks(w, run, 0, rest.last, alone, true);
      run.width = team_width;
      // That it is not over shows what its blocks really take.
      const auto taken = static_cast<double>(run.ticks.load(std::memory_order_relaxed));
      rest.grain = grain::worth_taking(taken / static_cast<double>(rest.first), small_.handing_over_ticks());
    }
  }
  // However small the blocks were before: everybody finds a few pieces.
  rest.grain = std::min(rest.grain, std::max<std::int64_t>(1, rest.size() / (4 * run.width)));
  return rest;
}

namespace {

/// So many blocks, and after them a look at the team.
struct until_changed {
  threads_executor& exec;
  worker& w;
  const context& caller;
  std::int64_t at_a_time;

  std::int64_t end_of_piece(std::int64_t next) const {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return at_a_time < most - next ? next + at_a_time : most;
  }
  static void ran(const context&) noexcept {}
  bool stops(std::int64_t) const { return core::team_has_changed(exec, w, caller); }
};

}  // namespace

/// A look is cheap beside blocks that pay for being handed over; where that is not known there are few looks.
loop_part threads_executor::run_until_changed(worker& w, loop_run& run, std::int64_t first) {
  constexpr std::int64_t looks = 64, looks_if_unknown = 8;
  const detail::loop& l = run.what;
  loop_part rest{&run, first, l.blocks()};
  const call_site* const site = small_.sites().find(l.run, l.where.line());
  const double whole = site ? site->time().expected(l.length()) : 0;
  rest.grain = grain::worth_taking(whole / static_cast<double>(rest.last), small_.handing_over_ticks());
  const std::int64_t at_a_time = std::max(rest.grain, rest.last / (whole > 0 ? looks : looks_if_unknown));
  rest.first = core::run_blocks(*this, &w, run, first, rest.last, until_changed{*this, w, run.caller, at_a_time});
  return rest;
}

bool threads_executor::may_take_shares(worker* w) const { return !w || !sharing_ || sharing_->goes_on(*w); }

/// Gives blocks that the worker must not begin to those that may; false where there is no memory for that.
bool threads_executor::leave_to_others(worker& w, const loop_part& rest) noexcept {
  if (!core::publish(*this, &w, rest, true)) return false;
  worker_0_.want_substitute();  // the only active worker may be worker 0, whose thread is outside
  return true;
}

void threads_executor::learn(const loop_run& run) noexcept {
  // What threw did not run to its end.
  if (!run.learns || run.blocks.has_errors()) return;
  const std::uint64_t ticks = run.ticks.load(std::memory_order_relaxed);
  if (run.dealt_at) small_.learn_dealing_out(base::ticks() - run.dealt_at, ticks, run.width);
  small_.learn_length(*run.learns, run.what.length(), ticks);
  // An off-load counts as a whole.
  if (run.caller.stream && !run.caller.in_offload && learns_waits_) self()->waits.took(ticks);
}

void threads_executor::answer(worker* w, const invitation& to) { core::answer(*this, w, to); }

void threads_executor::run_part(worker* w, const loop_part& part) {
  // The loop may be gone after this.
  part.loop->blocks.leave(static_cast<std::uint64_t>(run_share(w, part)));
  if (w) w->count_step();
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

namespace {

/// Up to an end, to a time, or until the worker is not granted any more.
struct pace {
  sharing* shared;
  worker* w;
  std::int64_t first;
  std::int64_t at_a_time;
  std::uint64_t begin;
  std::uint64_t ticks;
  bool may_stop;

  std::int64_t end_of_piece(std::int64_t next) const {
    // The clock is looked at ever less often: small blocks should not wait for it.
    const std::int64_t more = ticks == threads_executor::forever ? at_a_time : std::max<std::int64_t>(1, next - first);
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return more < most - next ? next + more : most;
  }
  static void ran(const context&) noexcept {}
  bool stops(std::int64_t) const {
    if (shared && !shared->goes_on(*w) && may_stop) return true;
    return ticks != threads_executor::forever && base::ticks() - begin > ticks;
  }
};

}  // namespace

std::int64_t threads_executor::run_blocks(worker* w, loop_run& run, std::int64_t first, std::int64_t last,
                                          std::uint64_t ticks, bool may_stop, std::int64_t at_a_time) {
  const timed_blocks taken(*this, run);
  return core::run_blocks(*this, w, run, first, last,
                          pace{w ? sharing_.get() : nullptr, w, first, at_a_time, taken.begin(), ticks, may_stop});
}

}  // namespace maslin
