#pragma once
// exec/threads: the workers of this machine's CPU cores. README.md holds states, protocol, races and proof.

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "exec/core/urgent.hpp"
#include "exec/executor.hpp"
#include "exec/foreign/limits.hpp"
#include "exec/phase/host.hpp"
#include "exec/threads/bits.hpp"
#include "exec/threads/call_sites.hpp"
#include "exec/threads/seat.hpp"
#include "exec/threads/sharing.hpp"
#include "exec/threads/sleep.hpp"
#include "exec/threads/worker.hpp"
#include "maslin/trace.hpp"
#include "sched/grain/edtlp.hpp"
#include "task/uncancelled.hpp"

namespace maslin {

struct stream_run;

/// How long nothing may end before the watchdog speaks.
struct patience {
  double idle_seconds = 0;    ///< while all workers are idle and something waits; 0: there is no watchdog
  double busy_seconds = 120;  ///< while a worker is busy
};
/// Gives MASLIN_WATCHDOG. Throws `error`.
patience patience_from_environment();
patience parse_patience(std::string_view text);

class threads_executor final : public executor, public phase_host {
 public:
  /// `as`: its place on a shared node, or null.
  threads_executor(int workers, schedule loops, std::unique_ptr<node::membership> as = nullptr);
  void end() noexcept override;

  void ready(detail::task_node* task) noexcept override;
  bool run_member(scope& s) override;
  waiter* caller() override;
  void help(const scope* covered) override;
  void run_loop(context& caller, const detail::loop& l) override;
  void run_phase(context& caller, const detail::phase& p) override;
  void run_offload(context& caller, std::uint32_t kernel, void (*call)(void*), void* env) override;
  bool is_too_small(detail::task_function body, const location& where, std::size_t accesses,
                    std::uint64_t created) const noexcept override;
  double lost_by_handing_over(detail::task_function body, const location& where) const noexcept override;
  bool are_too_small(std::span<detail::task_node* const> tasks) const noexcept override;
  bool runs_in_order(double mean_ticks) const noexcept override;
  void learn(detail::task_function body, const location& where, std::uint64_t ticks,
             bool leaves_tasks) noexcept override;
  void learn_graph(detail::task_function body, const location& where, bool adding,
                   std::uint64_t ticks) noexcept override;
  void run_forks(void (*call)(void*), void* env, location where) override;
  void run_seated(void (*call)(void*), void* env) override;
  void give_branch(detail::fork_list& list) noexcept override;
  int width() const override;
  int track() const noexcept override;
  int hold_track() noexcept override;
  void leave_track() noexcept override;
  void lend() override;
  void reclaim() override;
  bool is_stranger() const noexcept override { return !self() && !is_starter(); }
  int worker_count() const override { return workers(); }
  std::atomic<team*>& team_served_by(int worker) override { return at(worker).in_team; }
  void rouse_worker(int worker) override { rouse(at(worker)); }
  std::uint64_t ticks() const override { return base::ticks(); }
  double seconds_per_tick() const override { return base::seconds_per_tick(); }
  double handing_over() const override { return handing_over_seconds; }
  std::optional<grain::wait_sums> waits(int first, int width) const override;
  grain::auto_wait learned_wait() const override { return {spin_.wake_up(), spin_.is_oversubscribed()}; }
  std::optional<double> cpu_seconds() const override { return base::process_cpu_seconds(); }
  std::unique_ptr<learned_phases> open_learned() const override;
  int workers() const override { return static_cast<int>(workers_.size()); }
  std::int64_t window() override { return 4096; }

  /// What sharing a loop costs here at least (bench/micro/loop_fork_join); what gains less stays with its caller.
  static constexpr double handing_over_seconds = 1e-6;
  /// What handing a task over costs its creator and its worker together (bench/peers, tasks-deferred), beside what the
  /// graph takes for its accesses, which each call site learns; what is shorter is run by its creator.
  static constexpr double handing_task_over_seconds = 1e-7;
  static constexpr std::uint64_t forever = ~std::uint64_t{0};

  // For the files of this room.

  const worker& at(int index) const { return *workers_[static_cast<std::size_t>(index)]; }
  worker& at(int index) { return *workers_[static_cast<std::size_t>(index)]; }

  // For core/streams.hpp.
  class phase_call {
   public:
    explicit phase_call(threads_executor& exec);

   private:
    const starting_thread::visit visit_;
  };
  struct grain_guard : std::unique_lock<base::short_lock> {
    explicit grain_guard(threads_executor& exec) : unique_lock(exec.grain_lock_) {}
  };
  struct grain_attempt : std::unique_lock<base::short_lock> {
    explicit grain_attempt(threads_executor& exec) : unique_lock(exec.grain_lock_, std::try_to_lock) {}
  };
  /// The end of one piece of the stream's work and the beginning of the next, perhaps without a worker (`back_to`).
  void come_to_offload(context& in, stream_run& s);
  static bool has_no_worker(const worker* w) noexcept { return !w; }
  void begins_phase();
  void note_stream(trace::event_kind what, const stream_run& s) const;
  bool ended_outside(stream_run& s, error_list& errors);
  static constexpr bool loops_are_hosts() { return false; }
  bool passes(const detail::loop& l) const noexcept;
  void share_loop(context& caller, const detail::loop& l);
  void loop_took(worker& w, const detail::loop& l, int width, std::uint64_t ticks) noexcept;
  call_site* site_of(const stream_run* s, void (*call)(void*), std::uint32_t kernel);
  /// Are so many of that site known to be too small to be shared, and need not be timed this time?
  bool passes(const call_site* site, std::uint64_t count) const noexcept;
  static constexpr double kernel_handing_over_seconds = handing_over_seconds;
  static constexpr bool sends_kernels() { return false; }
  static void send_kernel(const context&, const stream_run*, std::uint32_t, int, void (*)(void*), void*) {}
  void note_kernel(trace::event_kind what, std::uint32_t name, int width) const;
  static void ran_kernel(worker* w) {
    if (w) w->count_turn();
  }
  void kernel_took(worker& w, call_site* site, int width, std::uint64_t ticks) noexcept;

  // For core/queues.hpp.
  using worker_type = worker;
  void looks_at(worker&, const worker&) noexcept {}
  /// Moves half of the tasks of `from` to `own`; false where there were none.
  bool steal_tasks(worker& own, worker& from);
  void found_nothing(const worker&) noexcept {}
  void stole(const worker& own, worker& from) noexcept;

  // For core/turn.hpp.
  using any_call = starting_thread::visit;
  urgent_tasks& urgent() { return urgent_; }
  void enqueue_in_centre(detail::task_node* task) noexcept;
  void comes_from_outside() noexcept { want_stand_in(); }
  void run_tasks(worker& w, detail::task_node* task);
  void run_part(worker* w, const loop_part& part);
  static bool run_kernel(const worker&) { return false; }
  /// Should the worker ask its phase for a stream?
  static bool wants_stream(const worker& w, const team& t) {
    return t.wants_stream.load(std::memory_order_seq_cst) && t.first() == w.index;
  }
  bool start_stream(worker& w, bool before_parking = false);
  void begins_other_work(worker& w) { pass_wake_up_on(w); }
  static void looks_into_queues(worker& w) noexcept { w.was_woken = false; }
  static std::uint64_t now(const worker&) noexcept { return base::ticks(); }
  std::uint64_t heartbeat() const noexcept { return heartbeat_ticks_; }
  static constexpr int forks_between_looks = 32;  ///< while it is too early the clock is not read at each fork
  bool may_give(worker& w) noexcept;
  team& calling_team(const worker* w) const { return team_of(w); }

  // For core/loops.hpp. `w` is null for a foreign thread.
  struct exclusive {
    explicit exclusive(const threads_executor&) noexcept {}
  };
  using noting = exclusive;
  class loop_call {
   public:
    explicit loop_call(threads_executor& exec);

   private:
    const starting_thread::visit visit_;
  };
  /// A stream's worker and its team run blocks of a loop: not before the last is done may libraries that the stream
  /// calls use the team again.
  class during_loop {
   public:
    during_loop(threads_executor&, worker* w, const context& caller);
    ~during_loop();
    during_loop(const during_loop&) = delete;
    during_loop& operator=(const during_loop&) = delete;

   private:
    worker* const on_;
    const context* const before_;
    const uncancelled uncancelled_;
  };
  worker* calling_worker() const noexcept { return self(); }
  team& calling_team(const worker* w, const context&) const { return team_of(w); }
  void want_worker_0() noexcept { want_stand_in(); }
  loop_part begin_alone(worker* w, loop_run& run);
  bool may_take_shares(worker* w) const;
  static constexpr bool may_be_blocked = true;
  std::int64_t run_share(worker* w, loop_part part);
  /// Runs blocks in order, to the end or until about `ticks` have passed, or, where it `may_stop`, until the worker is
  /// not granted any more; gives the first that it did not run. Looks up after every block, or so many.
  std::int64_t run_blocks(worker* w, loop_run& run, std::int64_t first, std::int64_t last,
                          std::uint64_t ticks = forever, bool may_stop = false, std::int64_t at_a_time = 1);
  /// Stays awake for what others still do of a loop as long as the policy has it.
  void finishes_soon(loop_run& run, worker& w);
  void learn(const loop_run& run) const noexcept;

  worker_bits& has_loops() { return has_loops_; }
  worker_bits& has_tasks() { return has_tasks_; }

  /// Wakes one of these that sleeps, if there is one.
  void wake_one(team::span workers);
  /// The worker is about to do something else than what is queued. Where it may have been woken for that, another is.
  void pass_wake_up_on(worker& w);
  /// Worker `w` has nothing to do: asks the others of its team for a branch.
  void ask(const worker& w, const team& t) noexcept;
  /// What `from` gave away or has begun with is taken; there may be others who want something.
  void ask_again(worker& from) noexcept;
  /// Makes sure that a worker takes another look around: it wakes if it sleeps.
  void rouse(worker& w);

  /// Suspends the running fiber of worker `w`, lets another run there, and calls `after(argument)` once nothing runs on
  /// the suspended one's stack. False when there is no other fiber to be had: then nothing happened.
  bool leave_fiber(worker& w, void (*after)(void*), void* argument);
  /// Continues `next` in place of the running fiber, which is inside the worker's loop with nothing on top.
  void replace_fiber(worker& w, task_fiber& next);

  // foreign.cpp
  foreign::process_limit& process_limit() { return process_limit_; }
  /// Only `worker` runs anything of the team that matters to libraries: code that was granted so many threads.
  void claim_alone(const team& t, int worker, int threads) noexcept;
  /// Looks for libraries with threads of their own, unless the caller is a worker; `again`: at most a thousand times a
  /// second.
  void look_for_libraries();
  void look_again_for_libraries();
  /// The starter comes back from a call that may be all that the program makes: looks again at some of these.
  void count_call();
  /// Says in the trace, on that track, which there are, and to the user which have one limit for the process; each
  /// once.
  void tell_of_libraries(int track);
  /// The caller goes on after something that its team shared, in the same context, or with another width: what
  /// libraries may use is looked at again.
  void shared_no_more() noexcept override;

  /// Between two pieces of what runs on the calling worker and goes on there: leaves a CPU that was taken.
  void leave_taken_cpu() const noexcept {
    if (sharing_) sharing_->goes_on(*self());
  }

  // stranger.cpp
  /// A foreign thread has waited for that scope through so many looks: does one thing of what it waits for, if that
  /// lies about. Gives whether it did.
  bool help_outside(const scope& covered, int looks);

  // Teams, under the grain lock.
  base::short_lock& grain_lock() { return grain_lock_; }
  team& whole() { return *whole_; }
  /// Gives the team in which the caller's work is shared: its worker's; the whole for a foreign thread, null.
  team& team_of(const worker* w) const { return w ? *w->in_team.load(std::memory_order_acquire) : *whole_; }
  /// Into how many shares a team's loop is cut: its workers, and those that may come yet.
  int shares_of(const team& t, int width) const {
    return sharing_ && t.grows ? std::max(width, sharing_->possible()) : width;
  }
  /// The end of the workers in whose queues a team's work may lie.
  int last_of(const team& t, team::span members) const { return t.grows ? workers() : members.first + members.width; }
  /// Starts the worker's thread, if it has none yet; false where the system has no more. Under the grain lock.
  bool start_worker(worker& w) noexcept;
  bool sleeps(int index) const { return asleep_.sleeps(index); }
  bool seat_is_empty() const { return seat_.held_by() == seat::nobody; }
  bool stopping() const { return stopping_.load(std::memory_order_seq_cst); }

 private:
  friend struct task_fiber;
  friend class starting_thread;
  class expectation;
  class hungry_worker;

  // stranger.cpp
  static bool runs_outside(const work& item);
  void resume_outside(stream_run& s);
  void end_outside(phase_run& phase, std::int64_t stream, error_list&& errors);
  template <class Predicate>
  std::optional<work> take_from_stuck(worker& from, Predicate&& suits);
  bool run_member_outside(const scope& s);
  void execute_outside(const work& item);
  bool stream_outside(const scope& covered);

  // seat.cpp
  void mark_starter(bool here);
  bool is_starter() const;
  bool sit_down();
  void stand_up();
  /// Has a stand-in look whether worker 0 is needed while its thread is outside.
  void want_stand_in() noexcept;
  void end_stand_in();
  void stand_in_body();
  bool worker_0_is_needed();
  /// Is worker 0 the only one that takes work?
  bool is_only_one() const;
  /// Is there something queued that only worker `w` could do, the others being in other teams or not there?
  bool has_work_alone(const worker& w) const;

  // fibers.cpp
  void enter_loop(worker& w);
  task_fiber* take_ready(worker& w);
  bool has_spare_fiber(worker& w);
  void share_idle_fibers(worker& w);
  void refuse(const work& item) noexcept;
  template <class Predicate>
  std::optional<work> take_task_if(worker& w, worker& from, Predicate&& suits);

  // threads.cpp
  void thread_body(worker& w);
  void work_loop();
  void turn(worker& w);
  void idle(worker& w, team& t);
  /// Do the waits of this team tell a phase how to wait?
  bool learns_waits(const team& t) const { return learns_waits_ && t.parent.load(std::memory_order_relaxed); }
  void stand_aside(worker& w, team& t);
  void hand_over(worker& w);
  double in_graph(const call_site& site, int width) const noexcept;
  bool has_room(const worker* w) const noexcept;
  static grain::tasks_at_hand at_hand(worker& w, std::uint64_t created, int width) noexcept {
    const std::uint32_t all = w.tasks.size();
    return {all, created, w.refills = grain::refills(w.refills, all, width)};
  }
  bool is_too_small(const call_site& site, worker* w, std::size_t accesses, std::uint64_t created) const noexcept;
  bool anything_for(worker& w, team& t);
  bool is_held_up_by(const worker& w, const team& t) const;

  // loops.cpp
  /// So many of that site took so long, on one worker or on all together.
  void learn_length(call_site& site, std::uint64_t count, std::uint64_t ticks) const noexcept;
  bool leave_to_others(worker& w, const loop_part& rest) noexcept;
  template <class Ready>
  spinning::awake stay_awake(worker& w, const team& t, Ready&& ready);
  void answer(worker* w, const invitation& to);

  // foreign.cpp
  /// The starter goes on in the program's own code, outside its seat.
  void back_in_program() noexcept;
  void forget_libraries() noexcept;

  // watchdog.cpp
  template <class Visit>
  void for_each_fiber(Visit&& visit);
  std::vector<task_fiber*> all_fibers();
  /// Does the worker sleep, or stand empty?
  bool is_idle(int index) const { return sleeps(index) || (index == 0 && seat_.held_by() == seat::nobody); }
  void watch(const std::stop_token& stop);
  void print_state(double seconds);

  const patience patience_;
  schedule loops_;  ///< the run's policy
  spinning spin_;
  const bool learns_waits_;  ///< the user named no policy for waiting
  call_sites sites_;
  const double handing_over_ticks_;
  const double handing_task_over_ticks_;
  const std::uint64_t heartbeat_ticks_;
  std::atomic<bool> forks_used_{false};
  std::atomic<int> hungry_{0};       ///< workers that have nothing to do; counted once forks are used
  const std::uint64_t clock_ticks_;  ///< between two readings of the clock
  const bool at_once_;               ///< may a creator run its small tasks?
  // Null unless it shares its node. Beside what nobody writes: every worker reads it at every turn.
  const std::unique_ptr<sharing> sharing_;
  // V, the bit vector: whose local queue holds work. The loops' bits are exact; a task's bit is set by its worker
  // before anybody looks for it, and taken down when that worker finds its queue empty.
  worker_bits has_loops_;
  worker_bits has_tasks_;
  sleepers asleep_;
  urgent_tasks urgent_;
  std::vector<std::unique_ptr<worker>> workers_;
  std::atomic<bool> stopping_{false};

  base::short_lock grain_lock_;
  team* whole_;

  const bool limits_libraries_;
  std::atomic<bool> has_libraries_{false};
  std::atomic<std::uint64_t> look_again_at_{0};  ///< in ticks
  std::atomic<int> libraries_traced_{0};
  unsigned calls_ = 0;  ///< the starter's; its own
  foreign::process_limit process_limit_;

  base::short_lock help_lock_;
  std::vector<detail::task_node*> set_aside_;  // under help_lock_: room for a whole queue

  base::short_lock fibers_lock_;
  fiber_stacks stacks_;            // under fibers_lock_
  std::deque<task_fiber> fibers_;  // under fibers_lock_; freed at the end
  idle_fibers shared_fibers_;      // under fibers_lock_: what workers have too many of

  seat seat_;
  starting_thread starter_{*this};
  stand_in_call stand_in_call_;
  std::thread stand_in_;
  std::optional<task_fiber> stand_in_stack_;

  std::jthread watchdog_;
};

}  // namespace maslin
