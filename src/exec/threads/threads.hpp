#pragma once
// exec/threads: the workers of this machine's CPU cores. README.md holds states, protocol, races and proof.

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "exec/core/grain_lock.hpp"
#include "exec/core/urgent.hpp"
#include "exec/executor.hpp"
#include "exec/phase/host.hpp"
#include "exec/threads/bits.hpp"
#include "exec/threads/branch_requests.hpp"
#include "exec/threads/departure.hpp"
#include "exec/threads/fiber_pool.hpp"
#include "exec/threads/library_threads.hpp"
#include "exec/threads/sharing.hpp"
#include "exec/threads/sleep.hpp"
#include "exec/threads/small_work.hpp"
#include "exec/threads/watchdog.hpp"
#include "exec/threads/worker.hpp"
#include "exec/threads/worker_0.hpp"
#include "maslin/trace.hpp"

namespace maslin {

struct stream_run;

class threads_executor final : public executor, public phase_host {
 public:
  /// `as`: its place on a shared node, or null.
  threads_executor(int workers, run_policies policies, std::unique_ptr<node::membership> as = nullptr);
  void end() noexcept override;

  void ready(detail::task_node* task) noexcept override;
  bool start_apart(detail::task_node* task, int index, int count) override;
  void run_members(scope& s, std::int64_t rest, std::uint64_t end) override;
  void set_next_aside(void (*fetch)(void*, detail::task_node&), void* env) noexcept override;
  waiter* caller() override;
  void help(const scope* covered) override;
  void let_others_run() override;
  bool has_stack_room() const noexcept override { return has_room(self()); }
  void run_loop(context& caller, const detail::loop& l) override;
  void run_phase(context& caller, const detail::phase& p) override;
  void run_offload(context& caller, std::uint32_t kernel, void (*call)(void*), void* env) override;
  grain::task_size size_of(detail::task_function body, const location& where, std::size_t accesses,
                           std::uint64_t created) const noexcept override;
  double lost_by_handing_over(detail::task_function body, const location& where) const noexcept override;
  double mean_of_small(std::span<detail::task_node* const> tasks) const noexcept override;
  void learn(detail::task_function body, const location& where, std::uint64_t ticks,
             bool leaves_tasks) noexcept override;
  void learn_graph(detail::task_function body, const location& where, bool adding,
                   std::uint64_t ticks) noexcept override;
  void run_forks(void (*call)(void*), void* env, location where) override;
  void run_with_forks(void (*call)(void*), void* env) override;
  void give_branch(detail::fork_list& list) noexcept override;
  void let_keep(detail::fork_list& list, detail::task_function body, const location& where) noexcept override;
  int width() const override;
  int track() const noexcept override;
  int hold_track() noexcept override;
  void leave_track() noexcept override;
  void lend() override;
  void reclaim() override;
  bool is_foreign_thread() const noexcept override { return !self() && !worker_0_.is_starter(); }
  int worker_count() const override { return workers(); }
  MASLIN_ATOMIC<team*>& team_served_by(int worker) override { return at(worker).in_team; }
  void notify_worker(int worker) override { notify(at(worker)); }
  std::uint64_t ticks() const override { return base::ticks(); }
  double seconds_per_tick() const override { return base::seconds_per_tick(); }
  double handing_over() const override { return small_work::handing_over_seconds; }
  std::optional<grain::wait_sums> waits(int first, int width) const override;
  grain::auto_wait learned_wait() const override { return {spin_.wake_up(), spin_.is_oversubscribed()}; }
  std::optional<double> cpu_seconds() const override { return base::process_cpu_seconds(); }
  double seconds_without_cpu(int first, int width) const override;
  bool calls_libraries() const override { return libraries_.any(); }
  std::unique_ptr<learned_phases> open_learned() const override;
  int workers() const override { return static_cast<int>(workers_.size()); }
  std::int64_t window() override { return 4096; }

  static constexpr std::uint64_t forever = ~std::uint64_t{0};

  // For the files of this room.

  const worker& at(int index) const { return *workers_[static_cast<std::size_t>(index)]; }
  worker& at(int index) { return *workers_[static_cast<std::size_t>(index)]; }

  // For core/streams.hpp.
  struct stream_code {
    explicit stream_code(const threads_executor&) noexcept {}
  };
  class phase_call;
  using grain_guard = core::grain_guard<threads_executor>;
  /// The end of one piece of the stream's work and the beginning of the next, perhaps without a worker (`back_to`).
  void come_to_offload(context& in, stream_run& s);
  static bool has_no_worker(const worker* w) noexcept { return !w; }
  void begins_phase();
  void trace_stream(trace::event_kind what, const stream_run& s) const;
  bool ended_outside(stream_run& s, error_list& errors);
  static constexpr bool loops_are_hosts() { return false; }
  bool passes(const detail::loop& l) const noexcept;
  void share_loop(context& caller, const detail::loop& l);
  void loop_took(worker& w, const detail::loop& l, int width, std::uint64_t ticks) noexcept;
  call_site* site_of(const stream_run* s, void (*call)(void*), std::uint32_t kernel);
  bool passes(const call_site* site, std::uint64_t count) const noexcept { return small_.passes(site, count); }
  static constexpr double kernel_handing_over_seconds = small_work::handing_over_seconds;
  static constexpr bool sends_kernels() { return false; }
  static void send_kernel(const context&, const stream_run*, std::uint32_t, int, void (*)(void*), void*) {}
  void trace_kernel(trace::event_kind what, std::uint32_t name, int width) const;
  static void ran_kernel(worker* w) {
    if (w) w->count_step();
  }
  void kernel_took(worker& w, call_site* site, int width, std::uint64_t ticks) noexcept;

  // For core/queues.hpp.
  using worker_type = worker;
  void looks_at(worker&, const worker&) noexcept {}
  /// Moves half of the tasks of `from` to `own`; false where there were none.
  bool steal_tasks(worker& own, worker& from);
  void found_nothing(const worker&) noexcept {}
  void stole(const worker& own, worker& from) noexcept;

  // For core/step.hpp.
  using any_call = starting_thread::visit;
  urgent_tasks& urgent() { return urgent_; }
  void enqueue_in_centre(detail::task_node* task) noexcept;
  void comes_from_outside() noexcept { worker_0_.want_substitute(); }
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
  bool may_give(worker& w) noexcept { return branches_.may_give(w); }
  team& calling_team(const worker* w) const { return team_of(w); }

  // For core/loops.hpp. `w` is null for a foreign thread.
  struct exclusive {
    explicit exclusive(const threads_executor&) noexcept {}
  };
  using tracing = exclusive;
  class loop_call;
  class during_loop;
  worker* calling_worker() const noexcept { return self(); }
  team& calling_team(const worker* w, const context&) const { return team_of(w); }
  void want_worker_0() noexcept { worker_0_.want_substitute(); }
  deal deals_out(const worker* w, team::span members, const context& caller, const detail::loop& l) const noexcept;
  void times(loop_run& run) noexcept;
  class timed_blocks;
  loop_part begin_alone(worker* w, loop_run& run);
  std::uint64_t alone_for(worker& w, double whole, int width);
  loop_part run_until_changed(worker& w, loop_run& run, std::int64_t first);
  bool may_take_shares(worker* w) const;
  static constexpr bool does_parts_of_others(const worker*) { return true; }
  std::int64_t run_share(worker* w, loop_part part);
  /// Runs blocks in order, to the end or until about `ticks` have passed, or, where it `may_stop`, until the worker is
  /// not granted any more; gives the first that it did not run. Looks up after every block, or so many.
  std::int64_t run_blocks(worker* w, loop_run& run, std::int64_t first, std::int64_t last,
                          std::uint64_t ticks = forever, bool may_stop = false, std::int64_t at_a_time = 1);
  /// Stays awake for what others still do of a loop as long as the policy has it.
  void finishes_soon(loop_run& run, worker& w);
  void learn(const loop_run& run) noexcept;

  worker_bits& has_loops() { return has_loops_; }
  worker_bits& has_tasks() { return has_tasks_; }

  /// Wakes one of these that sleeps, if there is one.
  void wake_one(team::span workers);
  /// The worker is about to do something else than what is queued. Where it may have been woken for that, another is.
  void pass_wake_up_on(worker& w);
  /// Makes sure that a worker takes another look around: it wakes if it sleeps.
  void notify(worker& w);

  /// Suspends the running fiber of worker `w`, lets another run there, and calls `after(argument)` once nothing runs on
  /// the suspended one's stack. False when there is no other fiber to be had: then nothing happened.
  bool leave_fiber(worker& w, void (*after)(void*), void* argument);
  /// Continues `next` in place of the running fiber, which is inside the worker's loop with nothing on top.
  void replace_fiber(worker& w, task_fiber& next);

  library_threads& libraries() { return libraries_; }
  void after_sharing() noexcept override { libraries_.after_sharing(); }

  /// Between two pieces of what runs on the calling worker and goes on there: leaves a CPU that was taken.
  void leave_taken_cpu() const noexcept {
    if (sharing_) sharing_->goes_on(*self());
  }

  // foreign_waiter.cpp
  /// A foreign thread has waited for that scope through so many looks: does one thing of what it waits for, if that
  /// lies about. Gives whether it did.
  bool help_outside(const scope& covered, int looks);
  bool is_at_work_for_caller(int looks);
  static bool has_moved_on(worker& w);

  // Teams, under the grain lock.
  core::grain_lock& grain_lock() { return grain_lock_; }
  bool try_grain_lock() noexcept MASLIN_TRIES_TO_ACQUIRE(grain_held) { return grain_lock_.try_lock(); }
  team& whole() { return *whole_; }
  /// Gives the team in which the caller's work is shared: its worker's; the whole for a foreign thread, null.
  team& team_of(const worker* w) const { return w ? *w->in_team.load(std::memory_order_acquire) : *whole_; }
  /// Into how many shares a team's loop is cut: its workers, and those that may come yet.
  int shares_of(const team& t, int width) const {
    return sharing_ && t.grows ? std::max(width, sharing_->possible()) : width;
  }
  int shares_of_caller() const {
    const team& t = team_of(self());
    return shares_of(t, t.width());
  }
  /// The end of the workers in whose queues a team's work may lie.
  int last_of(const team& t, team::span members) const { return t.grows ? workers() : members.first + members.width; }
  /// Starts the worker's thread, if it has none yet; false where the system has no more. Under the grain lock.
  bool start_worker(worker& w) noexcept;
  /// That take work.
  int active_workers() const { return sharing_ ? sharing_->active() : workers(); }
  bool sleeps(int index) const { return asleep_.sleeps(index); }
  /// Does a task or a loop wait for a worker in a queue?
  bool has_queued_work() const;
  bool any_sleeps(team::span of) const { return asleep_.any_sleeps(of.first, of.first + of.width); }
  fiber_pool& fibers() { return fibers_; }
  bool worker_0_is_absent() const { return worker_0_.held_by() == worker_0_role::nobody; }
  worker_0_thread& worker_0() { return worker_0_; }
  bool stopping() const { return stopping_.load(std::memory_order_seq_cst); }

 private:
  friend struct task_fiber;
  friend class starting_thread;
  friend class worker_0_thread;
  class expectation;

  // foreign_waiter.cpp
  void resume_outside(stream_run& s);
  void end_outside(phase_run& phase, std::int64_t stream, error_list&& errors);
  template <class Predicate>
  std::optional<work> take_from_stuck(worker& from, Predicate&& suits);
  template <bool Apart>
  bool run_member(worker& w, scope& s);
  bool run_member_outside(const scope& s);
  bool stream_outside(const scope& covered);

  // fibers.cpp
  /// `next` goes on, and the running fiber when all have that may go on here.
  void go_behind(worker& w, task_fiber& next);
  void enter_loop(worker& w);
  task_fiber* take_ready(worker& w);
  /// Those that were woken become ready, in the order in which they were.
  static void empty_inbox(worker& w);
  static void append_ready(worker& w, task_fiber* first);
  bool has_spare_fiber(worker& w) { return !w.idle.empty() || fibers_.refill(w.idle); }
  void refuse(const work& item) noexcept;
  template <class Predicate>
  std::optional<work> take_task_if(worker& w, worker& from, Predicate&& suits);

  // threads.cpp
  /// Throws what `base::start_thread` throws.
  void start_thread(worker& w);
  void thread_body(worker& w);
  void work_loop();
  void step(worker& w);
  bool has_room(const worker* w) const noexcept;
  template <bool Apart>
  void run_chain(worker& w, detail::task_node* task);
  void ran_near(worker& w, const location& measured) noexcept;
  void tell_of_aside(worker& w) noexcept;
  detail::task_node* next_of_bundle(worker& w, detail::task_node* made_ready) noexcept;
  grain::task_size size_elsewhere(const call_site& site, worker* w, std::size_t accesses,
                                  std::uint64_t created) const noexcept;

  // idle.cpp
  void idle(worker& w, team& t);
  /// Do the waits of this team tell a phase how to wait?
  bool learns_waits(const team& t) const { return learns_waits_ && t.parent.load(std::memory_order_relaxed); }
  void stand_aside(worker& w, team& t);
  void park(worker& w);
  template <class IsNeeded, class Sleep>
  void sleep_unless(worker& w, IsNeeded&& is_needed, Sleep&& sleep);
  void wake_all();
  /// Where the thread that plays the worker left its own code.
  task_fiber& stack_of_thread(worker& w) {
    return w.index == 0 && worker_0_.held_by() == worker_0_role::substitute ? worker_0_.substitute_stack()
                                                                            : *w.own_stack;
  }
  void hand_over(worker& w);
  bool anything_for(worker& w, team& t);
  bool is_held_up_by(const worker& w, const team& t) const;
  template <class Ready>
  spinning::awake stay_awake(worker& w, const team& t, Ready&& ready);

  // loops.cpp
  bool leave_to_others(worker& w, const loop_part& rest) noexcept;
  void answer(worker* w, const invitation& to);

  schedule loops_;  ///< the run's policy
  spinning spin_;
  const bool sets_aside_;    ///< its workers have local stores, which fetch early
  const bool learns_waits_;  ///< the user named no policy for waiting
  small_work small_;
  const std::uint64_t heartbeat_ticks_;
  branch_requests branches_{*this};
  // Null unless it shares its node. Beside what nobody writes: every worker reads it at every step.
  const std::unique_ptr<sharing> sharing_;
  // V, the bit vector: whose local queue holds work. The loops' bits are exact; a task's bit is set by its worker
  // before anybody looks for it, and taken down when that worker finds its queue empty.
  worker_bits has_loops_;
  worker_bits has_tasks_;
  sleepers asleep_;
  urgent_tasks urgent_;
  /// Is more to be known of a new task without data than what its worker's queue holds?
  const bool looks_elsewhere_ = sharing_ || urgent_.holds_all();
  std::unique_ptr<place_choice> place_choice_;  ///< null unless it chooses between dbs and locality
  std::vector<std::unique_ptr<worker>> workers_;
  std::atomic<bool> stopping_{false};
  departure departure_;

  core::grain_lock grain_lock_;
  team* whole_;

  library_threads libraries_;

  fiber_pool fibers_;

  worker_0_thread worker_0_{*this};

  watchdog watchdog_;
};

}  // namespace maslin
