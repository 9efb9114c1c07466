#pragma once
// exec/virtual: the workers and hosts of a machine that is only described, in virtual time. README.md holds states,
// protocol and what is simple on purpose.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exec/core/urgent.hpp"
#include "exec/executor.hpp"
#include "exec/forks/forks.hpp"
#include "exec/phase/host.hpp"
#include "exec/stall.hpp"
#include "exec/virtual/bit_tree.hpp"
#include "exec/virtual/calling_thread.hpp"
#include "exec/virtual/hosts.hpp"
#include "exec/virtual/local_stores.hpp"
#include "exec/virtual/processor.hpp"
#include "exec/virtual/timing.hpp"
#include "maslin/trace.hpp"
#include "task/uncancelled.hpp"

namespace maslin {

class described_links;

class virtual_executor final : public executor, public phase_host {
 public:
  virtual_executor(const machine::machine_spec& machine, int workers, run_policies policies);
  ~virtual_executor() override;
  void end() noexcept override;

  void ready(detail::task_node* task) noexcept override;
  bool start_apart(detail::task_node* task, int index, int count) override;
  /// The tasks of ranks are divided among the workers of the caller's team as in replays of ranks: each has one, as far
  /// as there are enough.
  int worker_apart(int index, int count) const;
  void run_members(scope&, std::int64_t, std::uint64_t) override {}
  waiter* caller() override;
  void help(const scope*) override {}
  void let_others_run() override;
  void run_loop(context& caller, const detail::loop& l) override;
  void run_phase(context& caller, const detail::phase& p) override;
  void run_offload(context& caller, std::uint32_t kernel, void (*call)(void*), void* env) override;
  bool pay(double seconds) override;
  void moves(std::int64_t bytes) override;
  bool is_slow_to_move() const override { return stores_ ? stores_->are_slow_to_move() : times_.memory_byte > 0; }
  message_links* links() override;
  void catch_up() override;
  void call_in_store(detail::task_node& task) override;
  double seconds() const override { return static_cast<double>(ticks()) * 1e-12; }
  void run_forks(void (*call)(void*), void* env, location where) override;
  void give_branch(detail::fork_list& list) noexcept override;
  int width() const override;
  int workers() const override { return static_cast<int>(workers_.size()); }
  grain::task_size size_of(detail::task_function body, const location& where, std::size_t accesses,
                           std::uint64_t created) const noexcept override;
  void learn(detail::task_function body, const location& where, std::uint64_t took,
             bool leaves_tasks) noexcept override;
  std::int64_t window() override;
  bool has_stack_room() const noexcept override;
  int track() const noexcept override;
  int hold_track() noexcept override;
  void leave_track() noexcept override;
  bool is_foreign_thread() const noexcept override { return !here(); }

  int worker_count() const override { return workers(); }
  MASLIN_ATOMIC<team*>& team_served_by(int worker) override { return at(worker).in_team; }
  void notify_worker(int worker) override;
  std::uint64_t ticks() const override;
  double seconds_per_tick() const override { return 1e-12; }
  double handing_over() const override { return static_cast<double>(2 * times_.signal + times_.wake) * 1e-12; }
  std::optional<grain::wait_sums> waits(int, int) const override { return std::nullopt; }
  std::optional<double> cpu_seconds() const override { return std::nullopt; }
  bool counts_own_code() const override { return !hosts_; }
  /// Runs are deterministic unless a file is named.
  std::unique_ptr<learned_phases> open_learned() const override {
    return std::make_unique<learned_phases>(machine_name_, learned_file(""));
  }

  // For core/queues.hpp, with the lock.
  using worker_type = virtual_worker;
  virtual_worker& at(int i) const { return *workers_[static_cast<std::size_t>(i)]; }
  bit_tree& has_tasks() { return has_tasks_; }
  bit_tree& has_loops() { return has_loops_; }
  static int shares_of(const team&, int width) { return width; }
  static int last_of(const team&, team::span members) { return members.first + members.width; }
  void wake_one(team::span of) noexcept;
  /// A worker looks into another's queues.
  void looks_at(virtual_worker& own, const virtual_worker& at) noexcept;
  /// Moves half of the tasks of `from` to `own`; false where there were none.
  bool steal_tasks(virtual_worker& own, virtual_worker& from);
  void found_nothing(const virtual_worker& at) noexcept { has_tasks_.clear(at.index); }
  void stole(const virtual_worker&, const virtual_worker&) noexcept {}

  // For core/streams.hpp.
  using stream_code = timed_code;
  struct phase_call {
    explicit phase_call(const virtual_executor&) noexcept {}
  };
  class grain_guard;
  static bool try_grain_lock() MASLIN_TRIES_TO_ACQUIRE(grain_held) MASLIN_UNCHECKED { return true; }
  void come_to_offload(context&, stream_run& s);
  static bool has_no_worker(const virtual_worker*) noexcept { return false; }
  static void begins_phase() {}
  void trace_stream(trace::event_kind what, const stream_run& s) const;
  static bool ended_outside(const stream_run&, const error_list&) { return false; }
  bool loops_are_hosts() const { return hosts_.has_value(); }
  static bool passes(const detail::loop&) noexcept { return false; }
  void share_loop(context& caller, const detail::loop& l);
  void share_as_host(context& caller, const detail::loop& l);
  static void loop_took(const virtual_worker&, const detail::loop&, int, std::uint64_t) noexcept {}
  static std::nullptr_t site_of(const stream_run*, void (*)(void*), std::uint32_t) { return nullptr; }
  static bool passes(std::nullptr_t, std::uint64_t) { return false; }
  static constexpr double kernel_handing_over_seconds = 0;
  bool sends_kernels() const { return hosts_ && !self() && here(); }
  void send_kernel(context& here, stream_run* s, std::uint32_t kernel, int width, void (*call)(void*), void* env) {
    const uncancelled during(here);
    hosts_->send(here, s, kernel, width, call, env);
  }
  void trace_kernel(trace::event_kind what, std::uint32_t name, int width);
  static void ran_kernel(const virtual_worker*) noexcept {}
  static void kernel_took(const virtual_worker&, std::nullptr_t, int, std::uint64_t) noexcept {}

  // For core/step.hpp, with the lock.
  struct any_call {
    explicit any_call(const virtual_executor&) noexcept {}
  };
  urgent_tasks& urgent() { return urgent_; }
  void enqueue_in_centre(detail::task_node* task) noexcept;
  static void comes_from_outside() noexcept {}
  void run_tasks(virtual_worker& w, detail::task_node* task);
  void run_part(virtual_worker* w, const loop_part& part);
  bool run_kernel(virtual_worker& w) { return hosts_ && hosts_->run_kernel(w); }
  static bool wants_stream(const virtual_worker&, const team& t) {
    return t.wants_stream.load(std::memory_order_relaxed);
  }
  bool start_stream(virtual_worker& w);
  static void begins_other_work(const virtual_worker&) noexcept {}
  static void looks_into_queues(const virtual_worker&) noexcept {}
  static picoseconds now(const virtual_worker& w) noexcept { return w.clock; }
  static picoseconds heartbeat() noexcept { return static_cast<picoseconds>(heartbeat_seconds * 1e12); }
  static constexpr int forks_between_looks = 0;
  bool may_give(const virtual_worker& w) const noexcept;
  team& calling_team(const virtual_worker*) const { return calling_team(current_context()); }

  // For core/loops.hpp. `w` is null for a foreign thread, which has no clock: it runs no blocks where that can be
  // helped.
  class monitor_guard;
  using exclusive = monitor_guard;
  class tracing;
  struct loop_call {
    explicit loop_call(const virtual_executor&) noexcept {}
  };
  struct during_loop {
    during_loop(const virtual_executor&, const virtual_worker*, const context&) noexcept {}
  };
  team& whole() { return *whole_; }
  virtual_worker* calling_worker() const { return self(); }
  team& calling_team(const virtual_worker*, const context& c) const { return calling_team(c); }
  static void want_worker_0() noexcept {}
  static loop_part begin_alone(const virtual_worker*, loop_run& run) { return {&run, 0, run.what.blocks()}; }
  loop_part run_until_changed(virtual_worker& w, loop_run& run, std::int64_t first);
  static deal deals_out(const virtual_worker*, team::span, const context&, const detail::loop&) { return {}; }
  static void times(const loop_run&) {}
  struct timed_blocks {
    timed_blocks(virtual_executor&, loop_run&) {}
  };
  static bool may_take_shares(const virtual_worker* w) { return w; }
  static bool does_parts_of_others(const virtual_worker* w) { return w; }  // a host has no part
  std::int64_t run_share(virtual_worker* w, const loop_part& part);
  void run_blocks(virtual_worker* w, loop_run& run, std::int64_t first, std::int64_t last);
  void end_of_moves();
  static void finishes_soon(const loop_run&, const virtual_worker&) noexcept {}
  static void learn(const loop_run&) noexcept {}

  /// Has the calling thread a clock here?
  bool is_known_here() const { return here() != nullptr; }
  /// Gives the calling thread's time for a trace: a process that begins a runtime anew goes on where the last one
  /// ended.
  std::uint64_t nanoseconds() const { return nanoseconds(ticks()); }
  /// The same of another time.
  std::uint64_t nanoseconds(std::uint64_t at) const { return began_nanoseconds_ + at / 1000; }

 private:
  friend struct virtual_fiber;
  friend struct virtual_worker;
  friend struct host_context;
  friend class hosts;
  friend class local_stores;
  friend class described_links;

  processor& processor_at(int number) const;
  int links_number() const { return workers() + (hosts_ ? hosts_->count() : 0); }
  /// Whose code calls: null for a foreign thread.
  processor* here() const;
  virtual_worker* self() const;
  team& team_of(const virtual_worker* w) const { return w ? *w->in_team.load(std::memory_order_relaxed) : *whole_; }
  /// Gives the team whose workers serve the calling code: its worker's, or its stream's where streams run on hosts.
  team& calling_team(const context& c) const;

  // What `monitor_guard` does (clocks.cpp). `enter` gives how the thread was before.
  struct entry {
    bool owned;  ///< it was inside
    bool ran;    ///< code of the program
  };
  entry enter(bool sees_others);
  void leave(entry before);
  void come_inside(std::uint64_t now);
  static void wait_for_memory(processor& p) { p.clock = std::max(p.clock, p.data_there); }
  void await_moved(processor& p);

  // Time, with the lock (clocks.cpp, virtual.cpp).
  void take_time() noexcept override;
  picoseconds code_took(const processor& p, std::uint64_t until) const;
  picoseconds between(const processor& one, const processor& other) const;
  void sync(processor& p);
  void expect(processor& p, picoseconds when, bool goes_on = false) noexcept;
  /// Has everything happened that happens before that time?
  bool is_past(picoseconds when);
  bool somebody_goes_on_at(picoseconds when) const;
  bool is_stale(const event& e) const { return processor_at(e.processor).expected != e.order; }
  template <class Done>
  void drive(virtual_fiber& me, Done&& done);
  void wait_for_threads();
  void print_state() const;
  void go_on(processor& p);
  void leave(virtual_fiber& from);
  virtual_fiber& take_fiber(virtual_fiber*& idle, void (*body)(void*));
  static void set_idle(virtual_fiber*& idle, virtual_fiber& f);
  void make_way(virtual_fiber& me);
  bool resume_stranded();
  bool lend_starters_processor(const virtual_fiber& to);
  void take_back_processor(picoseconds when);

  grain::site_time time_of_tasks(detail::task_function body, unsigned line) const noexcept;

  // Work, with the lock (work.cpp, loops.cpp).
  void signal(processor& to) noexcept;
  picoseconds signalled(const processor& to) noexcept;
  static void loop_body(void* fiber);
  void work_loop(virtual_fiber& me);
  bool begin_rank(virtual_worker& w);
  void rest(virtual_fiber& me);
  void ends(virtual_worker& w, const work& item);
  void end(virtual_worker& w);
  void complete_at(virtual_worker& w, detail::task_node* task) noexcept;
  detail::task_node* expected_next(virtual_worker& w, const std::function<bool(const detail::task_node*)>& is_known);

  // Streams, with the lock (phases.cpp).
  void resume_stream(virtual_worker& w, const stream_run& s);
  void begin_stream(virtual_worker& w, phase_run& phase, std::int64_t index);
  void run_stream(stream_run& s);
  void take_place(stream_run& s);

  const std::string machine_name_;
  const std::string machine_file_;
  const std::string description_;  ///< the same, also where the program goes to another folder
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  const timing times_;
  fiber_stacks stacks_;
  schedule loops_;
  const bool quiet_;  ///< says nothing at the end
  const patience patience_ = patience_from_environment();
  std::vector<std::unique_ptr<virtual_worker>> workers_;
  std::optional<hosts> hosts_;              ///< none where the workers run the program's control flow
  std::unique_ptr<local_stores> stores_;    ///< null where there are none
  std::unique_ptr<described_links> links_;  ///< null until there are ranks, and where none are described
  bit_tree has_loops_;
  bit_tree has_tasks_;
  bit_tree asleep_;
  team* whole_;
  urgent_tasks urgent_;
  const bool runs_small_at_once_;
  std::map<std::pair<detail::task_function, unsigned>, grain::site_time> task_times_;  ///< by the body and its line
  const std::uint64_t began_nanoseconds_;

  std::mutex lock_;                    ///< held by the thread whose code is inside, or drives
  std::condition_variable_any moved_;  ///< there are events again, or a thread may go on
  event_queue events_;
  std::vector<picoseconds> memory_free_;  ///< by instance of memory: when it has moved all that it was asked for
  int threads_asleep_ = 0;                ///< of the program, in calls
  bool told_ = false;                     ///< since nothing happens any more, it was said who waits
  picoseconds now_ = 0;
  virtual_fiber* driver_ = nullptr;   ///< the thread on whose stack events are taken
  processor* current_ = nullptr;      ///< whose code runs
  entry track_holder_{};              ///< how who holds a track was before
  std::deque<virtual_fiber> fibers_;  ///< workers' loops and streams on hosts
  virtual_fiber* idle_fibers_ = nullptr;
  std::unique_ptr<virtual_fiber> starter_;
  outside_time outside_;             ///< of the program's own thread
  picoseconds lent_at_ = 0;          ///< its processor's clock when that was lent
  bool starter_goes_first_ = false;  ///< its time has come, and it has not gone on yet: nobody else drives
};

}  // namespace maslin
