#pragma once
// A phase while it runs: its streams, the teams they run on, and what right-sizing is told. It lives on its caller's
// stack. Everything that is not atomic is under the executor's grain lock, which is taken when a stream begins, ends,
// is suspended or resumed, and when a slice ends; an off-load in a configuration that stands takes none.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "exec/phase/departure_counts.hpp"
#include "exec/phase/host.hpp"
#include "exec/phase/kernel_counts.hpp"
#include "exec/phase/phase_waiting.hpp"
#include "exec/reports.hpp"
#include "maslin/float_mode.hpp"
#include "maslin/trace.hpp"
#include "sched/grain/controller.hpp"
#include "sched/grain/edtlp.hpp"
#include "task/scope.hpp"

namespace maslin {

class fiber;

/// A stream while it runs or is suspended. Lives on its own fiber.
struct stream_run {
  stream_run(phase_run& of, std::int64_t number) : phase(of), index(number) {}

  phase_run& phase;
  std::int64_t index;
  std::uint32_t seen = 0;                   ///< the phase's generation when it last looked
  int worker = 0;                           ///< on which it runs; `outside`: on a thread that is no worker
  bool off_loaded = false;                  ///< since the configuration was set
  bool extra = false;                       ///< resumed although there was no room, until its next off-load
  std::atomic<std::uint64_t> off_loads{0};  ///< so far; written by the stream alone
  std::uint64_t turn_ends = 0;  ///< in ticks: from then on it gives way to a suspended stream that has come less far
  waiter* fiber = nullptr;      ///< while it is suspended: the executor's fiber
  static constexpr int outside = -1;
  /// Null unless a thread that is no worker has gone on with it: what that thread goes on with at the stream's end.
  std::atomic<maslin::fiber*> back_to{nullptr};
};

class phase_run {
 public:
  /// Under the grain lock. Everything that a phase cannot do without is allocated here; a measurement that finds no
  /// memory later is the end of sampling. Throws std::bad_alloc.
  phase_run(phase_host& exec, const detail::phase& what, team& divided, scope& caller);

  // Any stream of this phase, without the lock.
  bool stale(const stream_run& s) const { return s.seen != generation_.load(std::memory_order_relaxed); }
  /// An off-load arrives at a worker; gives the ticket that `departed` wants.
  std::uint64_t arrived() { return departures_.arrive(); }
  /// One stays on its stream's host: it takes no worker, and counts like any other.
  std::uint64_t stayed() const { return departures_.pass(); }
  /// The off-load is done: it ran on `worker` at that width, and completed one kernel, or a loop's iterations.
  void departed(std::uint64_t ticket, int worker, std::uint32_t column, int width, std::uint64_t ticks,
                std::uint64_t completed = 1);
  /// The same of one that was too small to be timed.
  void departed_untimed(std::uint64_t ticket, int worker, std::uint32_t column, std::uint64_t completed = 1) {
    kernels_.count_untimed(worker, column, completed);
    if (departures_.depart(ticket)) look_at_.store(0, std::memory_order_relaxed);
  }
  const kernel_counts& counts() const { return kernels_; }
  /// The stream itself: it has off-loaded once more.
  void off_loaded(stream_run& s) const {
    s.off_loads.store(s.off_loads.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void off_loaded(stream_run& s, std::uint64_t now) const {
    off_loaded(s);
    if (now >= s.turn_ends && takes_turns_.load(std::memory_order_relaxed))
      s.seen = generation_.load(std::memory_order_relaxed) - 1;
  }
  /// Is there something to look at whatever the time is?
  bool due() const { return look_at_.load(std::memory_order_relaxed) == 0; }
  bool due(std::uint64_t now) const { return now >= look_at_.load(std::memory_order_relaxed) || waiting_.due(now); }
  scope& streams() { return streams_; }
  std::uint32_t name() const { return name_; }
  const detail::phase& what() const { return what_; }
  /// The caller's, under which its streams run.
  detail::float_mode mode() const { return mode_; }
  live_report& report() { return *report_; }

  // Under the grain lock.
  /// Can one more phase have a worker of that team? A worker serves one phase at a time.
  static bool has_room(const team& t);
  /// Divides a team's workers among its phases, now or as soon as those of them that hold still do no more; a worker
  /// behind the team's last serves the team itself.
  static void divide(team& t, phase_host& exec);
  /// Takes a share of the divided team's workers; throws `error` for a pin that does not fit, and then took none.
  void begin();
  /// Gives the workers back. To be called when the last stream has finished.
  void end() noexcept;
  /// Gives the stream that `worker`, the first of a team, runs next: a suspended one, or a new one whose index is
  /// in `begun`; neither when there is none or no room.
  stream_run* next_stream(int worker, bool before_parking, std::optional<std::int64_t>& begun);
  void started(stream_run& s, int worker);
  /// Is the stream in its place, on the first worker of a team? Otherwise it was taken off and must be suspended.
  bool stays(stream_run& s, int worker);
  void stayed_after_all(stream_run& s, int worker);
  /// Takes a finished stream off; true when it was the last.
  bool finished(stream_run& s);
  /// A thread that waits for the phase looks. Where none of its streams had a worker through so many looks, gives one
  /// that the thread runs to its end without a place: a suspended one, or a new one whose index is in `begun`.
  stream_run* next_outside(std::optional<std::int64_t>& begun);
  /// That one has finished; true when it was the last.
  bool finished_outside();
  /// Looks whether a slice begins or ends now, or an epoch of off-loads.
  void tick();
  /// Looks how its workers have waited, and has them wait otherwise if that is better.
  void look_at_waits() noexcept;
  /// Gives the team that the stream runs on; null when it is about to be suspended.
  team* team_of(const stream_run& s) const;
  /// A phase inside one of the streams holds this one's configuration and workers still.
  void hold_still(bool hold);

 private:
  /// Runs what may allocate; where there is no memory, what runs now is kept to the end.
  template <class Step>
  void measure(Step&& step) noexcept;
  /// Gives the stream slot whose team begins with that worker, if there is one.
  std::optional<int> slot_led_by(int worker) const;
  grain::situation situation(int workers) const;
  static bool may_divide(const team& t);
  void allot(int first, int width) noexcept;
  void apply(configuration c) noexcept;
  void follow();
  void begin_slice(std::uint64_t now);
  /// Gives whether the slice is complete.
  bool end_slice(grain::sample& slice, std::uint64_t now);
  void update_wishes();
  void note(std::uint64_t now) noexcept;
  void note_decision(configuration c, trace::decision_stage stage, double throughput) const;
  void end_epoch();
  std::vector<grain::kernel_record> counted() const { return kernels_.counted(exec_.seconds_per_tick()); }
  std::int64_t left() const { return what_.streams - finished_; }
  /// Gives how many streams run, without those that are in nobody's place.
  int running() const { return static_cast<int>(running_.size()) - extra_; }
  bool has_extra(int worker) const;
  bool keeps_even() const { return controller_ && !pinned_ && controller_->keeps_even(); }
  /// Must the stream leave its place to another one?
  bool gives_way(const stream_run& s, std::uint64_t now) const;
  void take_off(stream_run& s);

  phase_host& exec_;
  const detail::phase& what_;
  const detail::float_mode mode_;
  team& divided_;
  std::uint32_t name_;  ///< in the trace
  kernel_counts kernels_;
  departure_counts departures_;
  std::shared_ptr<live_report> report_;
  phase_waiting waiting_;
  scope streams_;

  std::atomic<std::uint32_t> generation_{0};  ///< counts the changes of configuration
  std::atomic<std::uint64_t> look_at_{0};     ///< when `tick` has something to do, in ticks
  std::atomic<bool> takes_turns_{false};      ///< some streams are suspended, and all are to come equally far

  // Under the grain lock.
  std::optional<configuration> pinned_;
  std::unique_ptr<grain::controller> controller_;  ///< none where the phase was pinned from the start
  configuration now_;
  int first_ = 0;
  int width_ = 0;
  int promised_teams_ = 0;
  int nested_ = 0;
  std::int64_t next_ = 0;
  std::int64_t finished_ = 0;
  int looks_without_ = 0;  ///< by a thread that waits, since a stream had a worker
  std::vector<stream_run*> running_;
  int extra_ = 0;               ///< of them
  std::vector<int> on_worker_;  ///< running streams that are in no other's place, by worker
  grain::suspended_streams<stream_run*> suspended_;
  std::vector<team*> teams_;   ///< one a slot; behind them the one of the workers without a stream, if any
  std::vector<team*> before_;  ///< those of the configuration before, while one follows the other
  const std::uint64_t began_;
  std::uint64_t set_at_ = 0;
  int off_loaded_ = 0;  ///< running streams that have off-loaded since then
  bool in_slice_ = false;
  std::uint64_t slice_began_ = 0;
  std::int64_t slice_units_ = 0;
  std::vector<grain::kernel_record> slice_from_;
  std::vector<phase_sample> samples_;  ///< all so far, each weighed with what is known of the kernels
};

}  // namespace maslin
