#pragma once
// A phase while it runs: its streams and the teams they run on; `right_sizing` says how many of which width. It lives
// on its caller's stack. Everything that is not atomic is under the executor's grain lock, which is taken when a stream
// begins, ends, is suspended or resumed, and when a slice ends; an off-load in a configuration that stands takes none.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/atomic.hpp"
#include "exec/phase/grain_lock.hpp"
#include "exec/phase/host.hpp"
#include "exec/phase/phase_waiting.hpp"
#include "exec/phase/right_sizing.hpp"
#include "exec/reports.hpp"
#include "maslin/float_mode.hpp"
#include "maslin/trace.hpp"
#include "sched/grain/edtlp.hpp"
#include "task/context.hpp"
#include "task/scope.hpp"

namespace maslin {

class fiber;

/// A stream while it runs or is suspended. Lives on its own fiber.
struct stream_run {
  stream_run(phase_run& of, std::int64_t number) : phase(of), index(number) {}

  phase_run& phase;
  std::int64_t index;
  std::uint32_t seen = 0;                     ///< the phase's generation when it last looked
  int worker = 0;                             ///< on which it runs; `outside`: on a thread that is no worker
  bool off_loaded = false;                    ///< since the configuration was set
  bool extra = false;                         ///< resumed although there was no room, until its next off-load
  MASLIN_ATOMIC<std::uint64_t> off_loads{0};  ///< so far; written by the stream alone
  std::uint64_t turn_ends = 0;  ///< in ticks: from then on it gives way to a suspended stream that has come less far
  waiter* fiber = nullptr;      ///< while it is suspended: the executor's fiber
  /// Since when, in ticks, it waits for its tasks, or for a phase of its own.
  MASLIN_ATOMIC<std::uint64_t> waits_since{not_now};
  static constexpr std::uint64_t not_now = ~std::uint64_t{0};
  static constexpr int outside = -1;
  /// Null unless a thread that is no worker has gone on with it: what that thread goes on with at the stream's end.
  MASLIN_ATOMIC<maslin::fiber*> back_to{nullptr};
};

class phase_run {
 public:
  /// Without the grain lock, since it takes long. `workers`: that it will have, as far as is known; `inner`: inside a
  /// stream of another phase. Nearly everything that a phase cannot do without is allocated here; a measurement that
  /// finds no memory later is the end of sampling. Throws std::bad_alloc.
  phase_run(phase_host& exec, const detail::phase& what, int workers, bool inner, scope& caller);
  ~phase_run();
  /// Before it begins, without the grain lock: makes the teams that it may need on so many workers. Throws
  /// std::bad_alloc.
  void promise_teams(int workers);

  // Any stream of this phase, without the lock.
  bool stale(const stream_run& s) const { return s.seen != generation_.load(std::memory_order_relaxed); }
  /// Has each stream that is left a place in the configuration?
  bool ends() const { return ends_.load(std::memory_order_relaxed); }
  right_sizing& sizing() { return sizing_; }
  /// The stream itself: it has off-loaded once more.
  void off_loaded(stream_run& s) const {
    s.off_loads.store(s.off_loads.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void off_loaded(stream_run& s, std::uint64_t now) const {
    off_loaded(s);
    if (now >= s.turn_ends && takes_turns_.load(std::memory_order_relaxed))
      s.seen = generation_.load(std::memory_order_relaxed) - 1;
  }
  std::uint64_t ticks() const { return exec_.ticks(); }
  /// The stream itself: it has waited since then.
  void waited(const stream_run& s, std::uint64_t since) {
    const std::uint64_t now = exec_.ticks();
    if (now > since && s.worker != stream_run::outside) sizing_.waited(s.worker, now - since);
  }
  bool due(std::uint64_t now) const { return sizing_.due(now) || waiting_.due(now); }
  scope& streams() { return streams_; }
  std::uint32_t name() const { return name_; }
  const detail::phase& what() const { return what_; }
  /// The caller's, under which its streams run.
  detail::float_mode mode() const { return mode_; }
  const std::shared_ptr<live_report>& report() const { return report_; }
  // When the phase is over: nobody else knows it then.
  /// Keeps what was learned for its next run.
  void keep_learned() noexcept MASLIN_UNCHECKED { sizing_.keep(allotted_); }
  /// Has the trace hold what the configuration was decided by, as the report does.
  void record_sizing() const noexcept;

  // Under the grain lock.
  configuration current() const MASLIN_REQUIRES(grain_held) { return now_; }
  /// Can one more phase have a worker of that team? A worker serves one phase at a time.
  static bool has_room(const team& t) MASLIN_REQUIRES(grain_held);
  /// Divides a team's workers among its phases, now or as soon as those of them that hold still do no more; a worker
  /// behind the team's last serves the team itself.
  static void divide(team& t, phase_host& exec) MASLIN_REQUIRES(grain_held);
  /// Gives the workers that the next phase of that team would have.
  static int next_share(const team& t) MASLIN_REQUIRES(grain_held) {
    return t.width() / (static_cast<int>(t.phases.size()) + 1);
  }
  /// Gives how many workers a phase of that team may ever have.
  static int most_workers(const team& t, const phase_host& exec) { return t.grows ? exec.worker_count() : t.width(); }
  /// Takes a share of the team's workers, for whom it has promised its teams; throws `error` for a pin that does not
  /// fit, and then took none.
  void begin(team& divided) MASLIN_REQUIRES(grain_held);
  /// Gives the workers back. To be called when the last stream has finished.
  void end() noexcept MASLIN_REQUIRES(grain_held);
  /// Gives the stream that `worker`, the first of a team, runs next: a suspended one, or a new one whose index is
  /// in `begun`; neither when there is none or no room.
  stream_run* next_stream(int worker, bool before_parking, std::optional<std::int64_t>& begun)
      MASLIN_REQUIRES(grain_held);
  void started(stream_run& s, int worker) MASLIN_REQUIRES(grain_held);
  /// Is the stream in its place, on the first worker of a team? Otherwise it was taken off and must be suspended.
  bool stays(stream_run& s, int worker) MASLIN_REQUIRES(grain_held);
  void stayed_after_all(stream_run& s, int worker) MASLIN_REQUIRES(grain_held);
  /// Takes a finished stream off; true when it was the last. Otherwise its worker decides what there is to decide, and
  /// then `make_up_for` it.
  bool finished(stream_run& s) MASLIN_REQUIRES(grain_held);
  void make_up_for_finished() MASLIN_REQUIRES(grain_held);
  /// A thread that waits for the phase looks. Where none of its streams had a worker through so many looks, gives one
  /// that the thread runs to its end without a place: a suspended one, or a new one whose index is in `begun`.
  stream_run* next_outside(std::optional<std::int64_t>& begun) MASLIN_REQUIRES(grain_held);
  /// That one has finished, as `finished`.
  bool finished_outside() MASLIN_REQUIRES(grain_held);
  /// Looks whether a slice begins or ends now, or an epoch of off-loads.
  void tick() MASLIN_REQUIRES(grain_held);
  /// A policy has decided (`right_sizing::decide`): runs under that from now on.
  void end_decision() noexcept MASLIN_REQUIRES(grain_held);
  /// Looks how its workers have waited, and has them wait otherwise if that is better.
  void look_at_waits() noexcept MASLIN_REQUIRES(grain_held);
  /// Gives the team that the stream runs on; null when it is about to be suspended.
  team* team_of(const stream_run& s) const MASLIN_REQUIRES(grain_held);
  /// A phase inside one of the streams holds this one's configuration and workers still.
  void hold_still(bool hold) MASLIN_REQUIRES(grain_held);

 private:
  /// Those of two configurations, while one follows the other.
  static int teams_for(int workers) { return 2 * (workers + 1); }
  /// Gives the stream slot whose team begins with that worker, if there is one.
  std::optional<int> slot_led_by(int worker) const MASLIN_REQUIRES(grain_held);
  static bool may_divide(const team& t) MASLIN_REQUIRES(grain_held);
  void allot(int first, int width) noexcept MASLIN_REQUIRES(grain_held);
  void apply(configuration c) noexcept MASLIN_REQUIRES(grain_held);
  void follow() MASLIN_REQUIRES(grain_held);
  void begins_another(std::optional<std::int64_t>& begun) noexcept MASLIN_REQUIRES(grain_held);
  void update_stream_requests() MASLIN_REQUIRES(grain_held);
  void record_configuration(std::uint64_t now) noexcept MASLIN_REQUIRES(grain_held);
  std::int64_t left() const MASLIN_REQUIRES(grain_held) { return what_.streams - finished_; }
  /// Gives how many streams have a place. Others may run beside them (`extra_`).
  int running() const MASLIN_REQUIRES(grain_held) { return static_cast<int>(running_.size()) - extra_; }
  std::uint64_t waits_until(std::uint64_t now) const MASLIN_REQUIRES(grain_held);
  /// Gives how many running streams have not off-loaded since they began.
  int silent() const MASLIN_REQUIRES(grain_held);
  bool has_extra(int worker) const MASLIN_REQUIRES(grain_held);
  /// Must the stream leave its place to another one?
  bool gives_way(const stream_run& s, std::uint64_t now) const MASLIN_REQUIRES(grain_held);
  void take_off(stream_run& s) MASLIN_REQUIRES(grain_held);

  phase_host& exec_;
  const detail::phase& what_;
  const detail::float_mode mode_;
  team* divided_ = nullptr;
  int promised_teams_ = 0;
  std::uint32_t name_;  ///< in the trace
  std::shared_ptr<live_report> report_;
  phase_waiting waiting_;
  right_sizing sizing_;
  scope streams_;

  MASLIN_ATOMIC<std::uint32_t> generation_{0};  ///< counts the changes of configuration
  MASLIN_ATOMIC<bool> ends_{false};             ///< no stream that is left is without a place
  MASLIN_ATOMIC<bool> takes_turns_{false};      ///< some streams are suspended, and all are to come equally far

  // Under the grain lock.
  configuration now_ MASLIN_GUARDED_BY(grain_held);
  int first_ MASLIN_GUARDED_BY(grain_held) = 0;
  int width_ MASLIN_GUARDED_BY(grain_held) = 0;
  int allotted_ MASLIN_GUARDED_BY(grain_held) = 0;  ///< the width at the end
  int nested_ MASLIN_GUARDED_BY(grain_held) = 0;
  std::int64_t next_ MASLIN_GUARDED_BY(grain_held) = 0;
  std::int64_t finished_ MASLIN_GUARDED_BY(grain_held) = 0;
  int looks_without_ MASLIN_GUARDED_BY(grain_held) = 0;  ///< by a thread that waits, since a stream had a worker
  std::vector<stream_run*> running_ MASLIN_GUARDED_BY(grain_held);
  int extra_ MASLIN_GUARDED_BY(grain_held) = 0;  ///< of them
  std::vector<int> on_worker_
      MASLIN_GUARDED_BY(grain_held);  ///< running streams that are in no other's place, by worker
  grain::suspended_streams<stream_run*> suspended_ MASLIN_GUARDED_BY(grain_held);
  std::vector<team*> teams_
      MASLIN_GUARDED_BY(grain_held);  ///< one a slot; behind them the one of the workers without a stream, if any
  std::vector<team*> before_
      MASLIN_GUARDED_BY(grain_held);  ///< those of the configuration before, while one follows the other
  int off_loaded_ MASLIN_GUARDED_BY(grain_held) =
      0;  ///< running streams that have off-loaded since the configuration was set
  const std::uint64_t began_;
};

/// While it lives, the code that runs in that context, if it is a stream's own, waits. What a kernel waits for is part
/// of the kernel.
class stream_waits {
 public:
  explicit stream_waits(const context& c)
      : stream_(c.owns_stream && !c.in_offload ? static_cast<stream_run*>(c.stream) : nullptr),
        since_(stream_ ? stream_->phase.ticks() : 0) {
    if (stream_) stream_->waits_since.store(since_, std::memory_order_relaxed);
  }
  ~stream_waits() {
    if (!stream_) return;
    stream_->waits_since.store(stream_run::not_now, std::memory_order_relaxed);
    stream_->phase.waited(*stream_, since_);
  }
  stream_waits(const stream_waits&) = delete;
  stream_waits& operator=(const stream_waits&) = delete;

 private:
  stream_run* stream_;
  std::uint64_t since_;
};

}  // namespace maslin
