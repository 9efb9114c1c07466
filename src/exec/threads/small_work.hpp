#pragma once
// What is too small: loops and kernels that take less than handing them over, and tasks that their creator may run at
// once (docs/decisions/small-tasks.md says when, and why nothing piles up).
//
// What is too small is not timed, since reading the clock twice takes as long as the rest: it runs in place. One in
// sixteen, by chance, takes the long way and is timed. Where that one takes much longer than was expected, the next
// 1,024 of its site are timed, so that a site whose work is sometimes large is noticed each time.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>

#include "base/chance.hpp"
#include "base/clock.hpp"
#include "base/settings.hpp"
#include "exec/core/dealt.hpp"
#include "exec/threads/call_sites.hpp"
#include "sched/grain/edtlp.hpp"
#include "task/node.hpp"

namespace maslin {

class small_work {
 public:
  /// What sharing a loop costs here at least (bench/micro/loop_fork_join); what gains less stays with its caller.
  static constexpr double handing_over_seconds = 1e-6;
  /// What dealing a small loop out to a team that is awake costs at first, and at least. What it does cost is learned:
  /// it depends on how far the cores are from each other on which the system has put the workers.
  static constexpr double dealing_out_seconds = 0.5e-6;
  static constexpr double dealing_out_least_seconds = 0.3e-6;
  static constexpr double dealing_out_most_seconds = 4e-6;
  /// What is larger is cut into more pieces.
  static constexpr double most_dealt_out_seconds = 1e-3;
  /// What handing a task over costs its creator and its worker together (bench/peers, tasks-deferred), beside what the
  /// graph takes for its accesses, which each call site learns; what is shorter is run by its creator.
  static constexpr double handing_task_over_seconds = 1e-7;

  call_sites& sites() noexcept { return sites_; }
  const call_sites& sites() const noexcept { return sites_; }

  // Loops and kernels.

  /// Of a loop or a kernel.
  double handing_over_ticks() const noexcept { return handing_over_ticks_; }
  /// Are so many of that site known to be too small to be shared, and need not be timed this time?
  bool passes(const call_site* site, std::uint64_t count) const noexcept {
    if (!site || !site->is_steady()) return false;
    const grain::site_time time = site->time();
    return time.seen >= length_known && time.expected(count) < handing_over_ticks_ && !base::one_in_sixteen();
  }
  /// Is a loop of that site and so many iterations to be dealt out to its team?
  deal deals_out(const call_site* site, std::uint64_t count, std::int64_t blocks, int width) const noexcept {
    if (!site) return {};
    const grain::site_time time = site->time();
    const double whole = time.expected(count);
    if (time.seen < length_known || whole > most_dealt_out_ticks_) return {};
    const double cost = dealing_out_.load(std::memory_order_relaxed).expected(1);
    bool is_timed = base::one_in_sixteen();
    // What costs too much now may cost less later: that is tried from time to time.
    if (!grain::worth_sharing(whole, width, cost)) {
      is_timed = is_timed && grain::worth_sharing(whole, width, dealing_out_least_ticks_) && base::one_in_sixteen();
      if (!is_timed) return {};
    }
    // However small the blocks were before: of each range others find something.
    const std::int64_t grain = std::min(grain::worth_taking(whole / static_cast<double>(blocks), cost),
                                        std::max<std::int64_t>(1, blocks / (4 * width)));
    return {grain, is_timed || !site->is_steady()};
  }
  /// A loop that was dealt out to so many took so long, its blocks so long in all.
  void learn_dealing_out(std::uint64_t taken, std::uint64_t blocks, int width) noexcept {
    const double lost = static_cast<double>(taken) - static_cast<double>(blocks) / width;
    // Of a long loop it is the last blocks that count.
    if (static_cast<double>(taken) > longest_to_learn_ticks_) return;
    const double cost = std::clamp(lost, dealing_out_least_ticks_, dealing_out_most_ticks_);
    dealing_out_.store(dealing_out_.load(std::memory_order_relaxed)
                           .learned_usual(static_cast<std::uint64_t>(cost), dealing_out_memory),
                       std::memory_order_relaxed);
  }
  /// So many of that site took so long, on one worker or on all together.
  void learn_length(call_site& site, std::uint64_t count, std::uint64_t ticks) const noexcept {
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

  // Tasks.

  /// Gives the site of a task that may be run at once; null where it may not be, or too little is known of it.
  const call_site* task_site(detail::task_function body, unsigned line) const noexcept {
    const call_site* const site = at_once_ ? sites_.find(body, line) : nullptr;
    return site && site->time().seen >= grain::task_known ? site : nullptr;
  }
  /// What handing a task over takes, its accesses aside.
  double handing_task_over_ticks() const noexcept { return handing_task_over_ticks_; }
  /// Does the body of a task of the site take less than that?
  bool is_tiny(const call_site& site) const noexcept {
    return grain::is_too_small(site.time().expected(1), handing_task_over_ticks_);
  }
  /// The same with what its accesses add.
  bool is_too_small(const call_site& site, std::size_t accesses, int width) const noexcept {
    return accesses == 0 ? is_tiny(site) : grain::is_too_small(site.time().expected(1), handing_task_over(site, width));
  }
  /// What handing a task of the site over takes, with what its accesses add to that, in ticks.
  double handing_task_over(const call_site& site, int width) const noexcept {
    return handing_task_over_ticks_ + in_graph(site, width);
  }
  bool runs_at_once(const call_site& site, std::size_t accesses, grain::tasks_at_hand at_hand,
                    int width) const noexcept {
    return grain::runs_at_once(site.time().expected(1), handing_task_over_ticks_,
                               accesses > 0 ? in_graph(site, width) : 0, at_hand, width);
  }
  /// Gives the mean time of the tasks' bodies in ticks; 0 where it is not known, or not short.
  double mean_of_small(std::span<detail::task_node* const> tasks) const noexcept {
    if (!at_once_ || tasks.empty()) return 0;
    double ticks = 0;
    for (const detail::task_node* task : tasks) {
      const grain::site_time time = sites_.time_of(task->run, task->where.line());
      if (time.seen < grain::task_known) return 0;
      ticks += time.expected(1);
    }
    const double mean = ticks / static_cast<double>(tasks.size());
    return mean < grain::still_short * handing_task_over_ticks_ ? mean : 0;
  }
  /// Gives whether it was short.
  bool learn(detail::task_function body, unsigned line, std::uint64_t ticks, bool leaves_tasks) noexcept {
    call_site& site = sites_.of(body, line);
    const auto [now, is_short] =
        grain::learned_task(site.time(), without_clock(ticks), handing_task_over_ticks_, leaves_tasks);
    site.knows(now);
    return is_short;
  }
  void learn_graph(detail::task_function body, unsigned line, bool adding, std::uint64_t ticks) noexcept {
    sites_.of(body, line).learn_graph(adding, without_clock(ticks), grain::task_memory);
  }

 private:
  static constexpr std::uint32_t length_known = 4;  ///< as often a loop's length must have been seen

  /// Gives what its accesses add to the handing over of a task of the site, in ticks.
  double in_graph(const call_site& site, int width) const noexcept {
    const grain::site_time adding = site.adding();
    const grain::site_time removing = site.removing();
    if (adding.seen < grain::task_known || removing.seen < grain::task_known) return 0;
    // What is not short is handed over whatever that costs.
    return std::min(grain::in_graph(adding.expected(1), removing.expected(1), width),
                    (grain::still_short - 1) * handing_task_over_ticks_);
  }
  /// Reading the clock takes as long as a small body.
  std::uint64_t without_clock(std::uint64_t ticks) const noexcept {
    return ticks > clock_ticks_ ? ticks - clock_ticks_ : 1;
  }

  call_sites sites_;
  const double handing_over_ticks_ = handing_over_seconds / base::seconds_per_tick();
  static constexpr std::uint32_t dealing_out_memory = 16;
  static constexpr double longest_to_learn_seconds = 32e-6;
  const double dealing_out_least_ticks_ = dealing_out_least_seconds / base::seconds_per_tick();
  const double dealing_out_most_ticks_ = dealing_out_most_seconds / base::seconds_per_tick();
  const double most_dealt_out_ticks_ = most_dealt_out_seconds / base::seconds_per_tick();
  const double longest_to_learn_ticks_ = longest_to_learn_seconds / base::seconds_per_tick();
  std::atomic<grain::site_time> dealing_out_{
      grain::site_time{static_cast<float>(dealing_out_seconds / base::seconds_per_tick()), dealing_out_memory}};
  const double handing_task_over_ticks_ = handing_task_over_seconds / base::seconds_per_tick();
  const std::uint64_t clock_ticks_ = base::ticks_per_reading();  ///< between two readings of the clock
  const bool at_once_ = base::flag_of("MASLIN_AT_ONCE");         ///< may a creator run its small tasks?
};

}  // namespace maslin
