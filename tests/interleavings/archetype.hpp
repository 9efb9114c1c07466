#pragma once
// The smallest machine under the engine: it has what src/exec/core/machine.hpp asks for and nothing else. Its workers
// are the explorer's threads, time stands still, and every loop and kernel is worth sharing.
//
// Queues, sleeping and waking are those of src/exec/threads; so are a worker's idle turn and how a fiber is left, as
// far as the engine needs them.

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "exec/core/grain_lock.hpp"
#include "exec/core/machine.hpp"
#include "exec/fiber/fiber.hpp"
#include "exec/phase/phase_run.hpp"
#include "exec/threads/bits.hpp"
#include "exec/threads/deque.hpp"
#include "exec/threads/sleep.hpp"
#include "task/os_waiter.hpp"

namespace maslin {

class archetype;
struct archetype_worker;

/// Carries a worker's loop, and on top of it whatever that runs.
struct loop_fiber final : waiter {
  /// The calling thread's own stack.
  loop_fiber();
  loop_fiber(archetype& exec, const fiber_stack& on);

  void sleep(base::short_lock& held, const awaited_end&) override;
  void wake() noexcept override;

  fiber machine;
  detail::fork_list forks;
  archetype_worker* home = nullptr;  ///< where it was suspended and will resume
  loop_fiber* next_ready = nullptr;  ///< in the inbox
};

struct archetype_worker final : work_queue::watcher {
  archetype_worker(archetype& e, int number);
  void nonempty(bool holds_work) override;

  archetype& exec;
  const int index;
  MASLIN_ATOMIC<team*> in_team;
  bounded_deque<detail::task_node, 4> tasks;
  work_queue queue{this};
  invitations invited{index};
  MASLIN_ATOMIC<loop_fiber*> inbox{nullptr};

  // The worker's own.
  std::optional<loop_fiber> own_stack;
  loop_fiber* running = nullptr;
  std::vector<loop_fiber*> idle;  ///< suspended inside the worker's loop, with nothing on top
  int gave_at = -1;
  bool was_woken = false;  ///< and has not looked into the queues since
};

class archetype final : public executor, public phase_host {
 public:
  /// What it does wrong, for the explorer to find.
  enum mistake {
    none,
    looks_before_it_sleeps,         ///< and not again once it has said so
    keeps_wake_ups,                 ///< does something else than what it may have been woken for, and wakes nobody
    stays_in_its_team,              ///< sleeps without a look whether it has been moved to another
    drops_invitations,              ///< takes one before it sleeps, and does not answer it
    does_not_take_from_whole_team,  ///< sleeps without a look into the centre of the whole team
    forgets_suspended_streams,      ///< sleeps beside a stream that it could resume
  };

  explicit archetype(int workers, mistake seeded = none, placement policy = placement::dbs);
  ~archetype() override;

  /// A worker's thread; it does that first.
  void work(int worker, const std::function<void()>& first);
  /// Runs code of a thread that is no worker.
  void from_outside(const std::function<void()>& body);
  /// What each thread has of its own.
  static std::vector<std::span<std::byte>> thread_locals();

  // executor
  void ready(detail::task_node* task) noexcept override;
  void run_members(scope& s, std::int64_t rest, std::uint64_t end) override;
  waiter* caller() override;
  void help(const scope*) override { explorer::fail("a caller cannot be suspended"); }
  void let_others_run() override { explorer::give_way(); }
  void run_loop(context& caller, const detail::loop& l) override;
  void run_phase(context& caller, const detail::phase& p) override;
  void run_offload(context& caller, std::uint32_t kernel, void (*call)(void*), void* env) override;
  void run_forks(void (*call)(void*), void* env, location where) override;
  void give_branch(detail::fork_list& list) noexcept override;
  int width() const override { return calling_team(calling_worker()).width(); }
  int workers() const override { return static_cast<int>(workers_.size()); }
  std::int64_t window() override { return 4; }

  // phase_host
  int worker_count() const override { return workers(); }
  MASLIN_ATOMIC<team*>& team_served_by(int worker) override { return at(worker).in_team; }
  void notify_worker(int worker) override { asleep_.notify(worker); }
  int track() const noexcept override { return -1; }
  std::uint64_t ticks() const override { return 0; }
  double seconds_per_tick() const override { return 1e-9; }
  double handing_over() const override { return 0; }
  std::optional<grain::wait_sums> waits(int, int) const override { return std::nullopt; }
  std::optional<double> cpu_seconds() const override { return std::nullopt; }
  std::unique_ptr<learned_phases> open_learned() const override {
    return std::make_unique<learned_phases>("", learned_file(""));
  }

  // For the engine (src/exec/core/machine.hpp).
  struct nothing_to_do {
    explicit nothing_to_do(const archetype&) noexcept {}
  };

  using worker_type = archetype_worker;
  archetype_worker& at(int i) const { return *workers_[static_cast<std::size_t>(i)]; }
  team& whole() { return *whole_; }
  worker_bits& has_tasks() { return has_tasks_; }
  worker_bits& has_loops() { return has_loops_; }
  static int shares_of(const team&, int width) { return width; }
  static int last_of(const team&, team::span members) { return members.first + members.width; }
  void wake_one(team::span of) { asleep_.wake_one(of.first, of.first + of.width); }
  static void looks_at(const archetype_worker&, const archetype_worker&) noexcept {}
  bool steal_tasks(archetype_worker& own, archetype_worker& from);
  static void found_nothing(const archetype_worker&) noexcept {}
  static void stole(const archetype_worker&, const archetype_worker&) noexcept {}

  using exclusive = nothing_to_do;
  using tracing = nothing_to_do;
  using loop_call = nothing_to_do;
  struct during_loop {
    during_loop(const archetype&, const archetype_worker*, const context&) noexcept {}
  };
  archetype_worker* calling_worker() const noexcept {
    return static_cast<archetype_worker*>(detail::address_of_thread_state().worker);
  }
  team& calling_team(const archetype_worker* w) const { return w ? *w->in_team.load() : *whole_; }
  team& calling_team(const archetype_worker* w, const context&) const { return calling_team(w); }
  static void want_worker_0() noexcept {}
  static loop_part begin_alone(const archetype_worker*, loop_run& run) { return {&run, 0, run.what.blocks()}; }
  /// From now on loops are dealt out, and so many blocks pay for being taken from another.
  void deals_out_by(std::int64_t grain) { dealt_grain_ = grain; }
  deal deals_out(const archetype_worker* w, team::span, const context&, const detail::loop&) const {
    return {w ? dealt_grain_ : 0, false};
  }
  static void times(const loop_run&) noexcept {}
  struct timed_blocks {
    timed_blocks(archetype&, loop_run&) noexcept {}
  };
  loop_part run_until_changed(archetype_worker& w, loop_run& run, std::int64_t first);
  static bool may_take_shares(const archetype_worker*) { return true; }
  static bool does_parts_of_others(const archetype_worker*) { return true; }
  std::int64_t run_share(archetype_worker* w, const loop_part& part);
  void run_blocks(archetype_worker* w, loop_run& run, std::int64_t first, std::int64_t last);
  static void finishes_soon(const loop_run&, const archetype_worker&) noexcept {}
  static void learn(const loop_run&) noexcept {}

  using any_call = nothing_to_do;
  urgent_tasks& urgent() { return urgent_; }
  void enqueue_in_centre(detail::task_node* task) noexcept;
  static void comes_from_outside() noexcept {}
  void run_tasks(archetype_worker& w, detail::task_node* task);
  void run_part(archetype_worker* w, const loop_part& part);
  static bool run_kernel(const archetype_worker&) { return false; }
  static bool wants_stream(const archetype_worker& w, const team& t) {
    return t.wants_stream.load() && t.first() == w.index;
  }
  bool start_stream(archetype_worker& w, bool before_parking = false);
  void begins_other_work(archetype_worker& w);
  static void looks_into_queues(archetype_worker& w) noexcept { w.was_woken = false; }
  static int now(const archetype_worker&) noexcept { return 0; }
  static int heartbeat() noexcept { return 0; }
  static constexpr int forks_between_looks = 0;
  bool may_give(const archetype_worker& w) const;

  using stream_code = nothing_to_do;
  using phase_call = nothing_to_do;
  core::grain_lock& grain_lock() { return grain_lock_; }
  bool try_grain_lock() MASLIN_TRIES_TO_ACQUIRE(grain_held) { return grain_lock_.try_lock(); }
  using grain_guard = core::grain_guard<archetype>;
  void come_to_offload(const context& in, stream_run& s);
  static bool has_no_worker(const archetype_worker* w) noexcept { return !w; }
  static void begins_phase() noexcept {}
  static void trace_stream(trace::event_kind, const stream_run&) noexcept {}
  static bool ended_outside(const stream_run&, const error_list&) { return false; }
  static bool loops_are_hosts() { return false; }
  static bool passes(const detail::loop&) { return false; }
  void share_loop(context& caller, const detail::loop& l);
  static void loop_took(const archetype_worker&, const detail::loop&, int, std::uint64_t) noexcept {}
  static std::nullptr_t site_of(const stream_run*, void (*)(void*), std::uint32_t) { return nullptr; }
  static bool passes(std::nullptr_t, std::uint64_t) { return false; }
  static constexpr double kernel_handing_over_seconds = 0;
  static bool sends_kernels() { return false; }
  static void send_kernel(const context&, const stream_run*, std::uint32_t, int, void (*)(void*), void*) {}
  static void trace_kernel(trace::event_kind, std::uint32_t, int) noexcept {}
  static void ran_kernel(const archetype_worker*) noexcept {}
  static void kernel_took(const archetype_worker&, std::nullptr_t, int, std::uint64_t) noexcept {}

 private:
  friend struct loop_fiber;
  friend struct archetype_worker;

  void work_loop();
  void idle(archetype_worker& w, team& t);
  bool anything_for(archetype_worker& w, team& t);
  loop_fiber* take_ready(archetype_worker& w);
  loop_fiber& new_fiber();
  void switch_to(archetype_worker& w, loop_fiber& next, void (*after)(void*), void* argument);
  void leave_fiber(archetype_worker& w, void (*after)(void*), void* argument);
  void replace_fiber(archetype_worker& w, loop_fiber& next);

  const mistake mistake_;
  std::int64_t dealt_grain_ = 0;
  worker_bits has_loops_;
  worker_bits has_tasks_;
  sleepers asleep_;
  urgent_tasks urgent_;
  team* whole_;
  std::vector<std::unique_ptr<archetype_worker>> workers_;
  core::grain_lock grain_lock_;
  std::deque<loop_fiber> fibers_;
  std::deque<os_waiter> outsiders_;
};

}  // namespace maslin
