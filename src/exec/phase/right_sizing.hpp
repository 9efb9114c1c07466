#pragma once
// What a phase runs under: pinned by the user, or chosen by a policy of sched/grain from what its off-loads did.
//
// Policies may take long: they solve equations and allocate memory. So they are asked outside the grain lock:
//
//   under the lock   `look` finds that a slice or an epoch is over; `stream_ended` and `serve` add to what there is to
//                    tell the policy; `begin_decision` gives it to one caller at a time
//   without          that caller tells the policy (`decide`)
//   under the lock   `end_decision`: from now on `wanted` is what the policy says
//
// What `wanted` says fits the workers that the phase has, also if these change while a policy decides.

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "base/atomic.hpp"
#include "exec/phase/departure_counts.hpp"
#include "exec/phase/grain_lock.hpp"
#include "exec/phase/host.hpp"
#include "exec/phase/kernel_counts.hpp"
#include "exec/reports.hpp"
#include "maslin/trace.hpp"
#include "sched/grain/controller.hpp"

namespace maslin {

class right_sizing {
 public:
  /// For a phase that will have so many workers. `name`: the phase's in the trace. Throws std::bad_alloc.
  right_sizing(phase_host& exec, const detail::phase& what, std::uint32_t name, live_report& report, int workers);

  // Any thread.
  /// An off-load arrives at a worker; gives the ticket that `departed` wants.
  std::uint64_t arrived() { return departures_.arrive(); }
  /// One stays on its stream's host: it takes no worker, and counts like any other.
  std::uint64_t stayed() const { return departures_.pass(); }
  /// The off-load is done: it ran on `worker` at that width, and completed one kernel, or a loop's iterations.
  void departed(std::uint64_t ticket, int worker, std::uint32_t column, int width, std::uint64_t ticks, bool by_stream,
                std::uint64_t completed = 1) {
    kernels_.count(worker, column, width, ticks, by_stream, completed);
    departed(ticket);
  }
  /// The same of one that was too small to be timed.
  void departed_untimed(std::uint64_t ticket, int worker, std::uint32_t column, std::uint64_t completed = 1) {
    kernels_.count_untimed(worker, column, completed);
    departed(ticket);
  }
  /// A stream on that worker has waited for so long.
  void waited(int worker, std::uint64_t ticks) { kernels_.count_wait(worker, ticks); }
  const kernel_counts& counts() const { return kernels_; }
  /// Is there something to look at whatever the time is?
  bool due() const { return look_at_.load(std::memory_order_relaxed) == 0; }
  bool due(std::uint64_t now) const { return now >= look_at_.load(std::memory_order_relaxed); }

  // Under the grain lock.
  bool is_pinned() const MASLIN_REQUIRES(grain_held) { return pinned_.has_value(); }
  /// Throws `error` for a pin that needs more workers.
  void check_pin(int workers) const MASLIN_REQUIRES(grain_held);
  /// Gives what the phase should run under on the workers that it has.
  configuration wanted() const MASLIN_REQUIRES(grain_held);
  std::optional<configuration> chosen() const MASLIN_REQUIRES(grain_held) {
    return pinned_ ? std::nullopt : answer_.chosen;
  }
  bool sampling() const MASLIN_REQUIRES(grain_held) { return !pinned_ && answer_.sampling; }
  bool keeps_even() const MASLIN_REQUIRES(grain_held) { return !pinned_ && answer_.keeps_even; }
  /// The phase has these workers from now on.
  void serve(int first, int workers) noexcept MASLIN_REQUIRES(grain_held);
  /// The phase runs under that from now on.
  void runs_under(configuration c, std::uint64_t now) noexcept MASLIN_REQUIRES(grain_held);
  /// So many streams run from now on.
  void running(int streams) MASLIN_REQUIRES(grain_held) {
    if (counts_own_code_) count_streams(exec_.ticks());
    running_ = streams;
    departures_.running(streams);
  }
  /// Does what streams do themselves, between off-loads, count for the policy?
  bool counts_own_code() const { return counts_own_code_; }
  /// A stream has ended, and so many have not. `tells`: the policy is to hear of that.
  void stream_ended(std::int64_t left, bool tells) MASLIN_REQUIRES(grain_held);
  /// Has a slice to begin or to end now, or an epoch? `settled`: running streams that have taken their places since the
  /// configuration was set. `still`: a phase inside one of the streams holds this one still.
  /// `waits`: for how long streams that wait now have done so, in ticks, summed over them. `silent`: running streams
  /// that have not off-loaded since they began.
  void look(std::uint64_t now, std::int64_t left, int settled, bool still, std::uint64_t waits, int silent)
      MASLIN_REQUIRES(grain_held);
  /// Is there something to tell the policy? The caller who gets true must call `decide`, then `end_decision`.
  bool begin_decision() MASLIN_REQUIRES(grain_held);
  /// Gives whether a slice has ended.
  bool end_decision() noexcept MASLIN_REQUIRES(grain_held);
  /// Gives what the phase has completed, in seconds of one worker.
  double work() const MASLIN_REQUIRES(grain_held) { return kernels_.work(exec_.seconds_per_tick()); }
  void trace_decision(configuration c, trace::decision_stage stage, double throughput) const;

  // Without the lock.
  void decide() noexcept;
  /// When the phase is over: keeps what was learned on so many workers for its next run.
  void keep(int workers) noexcept;

 private:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  /// What the policy says.
  struct answer {
    configuration current;
    std::optional<configuration> chosen;
    bool sampling = false;
    bool keeps_even = false;
    std::int64_t epoch = 0;
    grain::sample_rule rule;
  };
  enum class slicing { none, begins, ends };
  /// A slice up to now.
  struct stretch {
    configuration under;
    std::uint64_t generation = 0;  ///< of the configuration
    std::uint64_t began = 0;
    std::uint64_t now = 0;
    std::int64_t at_work = 0;  ///< since the phase began, in ticks: streams' time without waits, summed over them
    std::int64_t units = 0;    ///< streams finished in it
    int first = 0;             ///< of the phase's workers
    int workers = 0;
    int streams = 0;  ///< that run at a time
    int silent = 0;   ///< of them, those that have not off-loaded since they began
  };
  /// What there is to tell the policy.
  struct news {
    int workers = 0;  ///< 0: as before
    bool decides_anew = false;
    std::optional<grain::departures> off_loads;
    slicing slice = slicing::none;
    stretch at;             ///< that slice
    std::int64_t left = 0;  ///< 0: as before

    bool empty() const { return workers == 0 && !decides_anew && !off_loads && slice == slicing::none && left == 0; }
  };
  void departed(std::uint64_t ticket) {
    if (departures_.depart(ticket)) look_at_.store(0, std::memory_order_relaxed);
  }
  /// Nothing is measured any more.
  void pin(configuration c) noexcept MASLIN_REQUIRES(grain_held);
  answer ask() const;
  void tell(const answer& a) const;
  void end_slice();
  void count_streams(std::uint64_t now) MASLIN_REQUIRES(grain_held);
  double own_seconds(const stretch& until, std::span<const grain::kernel_record> kernels) const;
  double seconds_without_cpu(const stretch& until) const;
  std::vector<grain::kernel_record> counted() const;

  phase_host& exec_;
  const detail::phase& what_;
  const std::uint32_t name_;
  live_report& report_;
  bool counts_own_code_ = false;  ///< set once
  kernel_counts kernels_;
  departure_counts departures_;
  MASLIN_ATOMIC<std::uint64_t> look_at_{0};  ///< when `look` has something to do, in ticks

  // Under the grain lock.
  std::optional<configuration> pinned_ MASLIN_GUARDED_BY(grain_held);
  const std::uint64_t began_;
  int first_ MASLIN_GUARDED_BY(grain_held) = 0;
  int workers_ MASLIN_GUARDED_BY(grain_held) = 0;
  answer answer_ MASLIN_GUARDED_BY(grain_held);
  news news_ MASLIN_GUARDED_BY(grain_held);
  bool deciding_ MASLIN_GUARDED_BY(grain_held) = false;
  configuration now_ MASLIN_GUARDED_BY(grain_held);
  std::uint64_t generation_ MASLIN_GUARDED_BY(grain_held) = 0;  ///< counts the configurations
  std::uint64_t set_at_ MASLIN_GUARDED_BY(grain_held) = 0;
  int running_ MASLIN_GUARDED_BY(grain_held) = 0;                  ///< streams
  std::uint64_t streams_ticks_ MASLIN_GUARDED_BY(grain_held) = 0;  ///< their time, summed, until `counted_at_`
  std::uint64_t counted_at_ MASLIN_GUARDED_BY(grain_held);
  bool in_slice_ MASLIN_GUARDED_BY(grain_held) = false;
  std::uint64_t slice_began_ MASLIN_GUARDED_BY(grain_held) = 0;
  std::int64_t slice_units_ MASLIN_GUARDED_BY(grain_held) = 0;

  // Of the one who decides.
  std::unique_ptr<grain::controller> controller_;  ///< none where the phase was pinned from the start
  news told_;
  std::optional<configuration> chosen_before_;
  answer next_;
  bool no_memory_ = false;
  bool slice_ended_ = false;
  bool slice_begins_ = false;
  std::vector<grain::kernel_record> slice_from_;
  double own_from_ = 0;
  double without_cpu_from_ = 0;
};

}  // namespace maslin
