#pragma once
// exec/virtual: the workers of a machine that is only described, in virtual time. README.md holds states, protocol and
// what is simple on purpose.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "exec/executor.hpp"
#include "exec/fiber/fiber.hpp"
#include "exec/phase/host.hpp"
#include "exec/threads/baseline.hpp"
#include "exec/threads/bits.hpp"
#include "exec/threads/queue.hpp"
#include "exec/threads/urgent.hpp"
#include "exec/virtual/events.hpp"
#include "maslin/machine.hpp"

namespace maslin {

class virtual_executor;
struct virtual_worker;
struct stream_run;

/// Where code lives: the loop of a worker with what it runs on top, or a thread's own stack.
struct virtual_fiber final : waiter {
  /// The calling thread's own stack; `worker`: whose control flow it is, null for a foreign thread.
  virtual_fiber(virtual_executor& e, virtual_worker* worker) : exec(e), is_thread(true), home(worker) {}
  virtual_fiber(virtual_executor& e, std::size_t stack_bytes, void (*body)(void*))
      : exec(e), machine(stack_bytes, body, this), is_thread(false) {}

  void sleep(base::short_lock& held, const awaited_end& what) override;
  void wake() noexcept override;

  virtual_executor& exec;
  fiber machine;
  const bool is_thread;
  virtual_worker* home = nullptr;
  virtual_fiber* next_ready = nullptr;  ///< at its home, or among the idle fibers
  bool awake = true;                    ///< of a thread that waits
};

/// The tasks of one worker. Its own end is the newest.
class task_stack {
 public:
  bool empty() const { return first_ == tasks_.size(); }
  void push(detail::task_node* task) { tasks_.push_back(task); }
  detail::task_node* pop();
  /// Moves the older half, rounded up, to `to`: the oldest becomes the newest there.
  void give_half(task_stack& to);

 private:
  std::vector<detail::task_node*> tasks_;
  std::size_t first_ = 0;
};

struct virtual_worker final : work_queue::watcher {
  virtual_worker(virtual_executor& e, int number) : exec(e), index(number) {}
  void nonempty(bool holds_work) override;

  virtual_executor& exec;
  const int index;
  std::atomic<team*> in_team{nullptr};
  picoseconds clock = 0;
  bool scheduled = false;                ///< there is an event for it
  virtual_fiber* running = nullptr;      ///< runs now, or goes on at its event
  virtual_fiber* first_ready = nullptr;  ///< fibers that may go on here, the earliest first
  virtual_fiber* last_ready = nullptr;
  task_stack tasks;
  work_queue loops{this};
  invitations invited;
};

class virtual_executor final : public executor, public phase_host {
 public:
  /// Throws `error` for a machine that it cannot stand for.
  virtual_executor(const machine::machine_spec& machine, int workers, schedule loops);
  ~virtual_executor() override;

  void ready(detail::task_node* task) noexcept override;
  bool run_member(scope&) override { return false; }
  waiter* caller() override;
  void help(const scope*) override {}
  void run_loop(context& caller, const detail::loop& l) override;
  void run_phase(context& caller, const detail::phase& p) override;
  void run_offload(context& caller, std::uint32_t kernel, void (*call)(void*), void* env) override;
  int width() const override;
  int workers() const override { return static_cast<int>(workers_.size()); }
  std::int64_t window() const override { return 4096; }
  int track() const noexcept override;

  int worker_count() const override { return workers(); }
  std::atomic<team*>& team_served_by(int worker) override { return at(worker).in_team; }
  void rouse_worker(int worker) override;
  std::uint64_t ticks() const override;
  double seconds_per_tick() const override { return 1e-12; }

 private:
  friend struct virtual_fiber;
  friend struct virtual_worker;
  class inside;
  class queues;

  virtual_worker& at(int i) const { return *workers_[static_cast<std::size_t>(i)]; }
  virtual_worker* self() const;
  team& team_of(const virtual_worker* w) const { return w ? *w->in_team.load(std::memory_order_relaxed) : *whole_; }

  // Time, with the lock.
  void account(virtual_worker& w) const;
  void sync(virtual_worker& w);
  void expect(virtual_worker& w, picoseconds when) noexcept;
  template <class Done>
  void drive(virtual_fiber& me, Done&& done);
  void go_on(virtual_worker& w);
  void leave(virtual_fiber& from);
  bool lend_seat(const virtual_fiber& to);
  void take_seat();
  void enqueue(virtual_fiber& f) noexcept;

  // Work, with the lock.
  void wake_one(const team& of) noexcept;
  static void loop_body(void* fiber);
  void work_loop(virtual_fiber& me);
  bool turn(virtual_worker& w);
  void execute(virtual_worker& w, const work& item);
  std::optional<work> take_share(virtual_worker& w, loop_run& run, bool in_centre);
  void run_blocks(loop_run& run, std::int64_t first, std::int64_t last);
  void answer(const invitation& to);
  bool climb(virtual_worker& w, const team& t);
  bool start_stream(virtual_worker& w, bool before_parking);
  void take_place(stream_run& s);
  void run_baseline(context& caller, const detail::loop& l, schedule policy);

  const std::string machine_name_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  const double picoseconds_per_tick_;
  const std::size_t stack_bytes_;
  schedule loops_;
  std::vector<std::unique_ptr<virtual_worker>> workers_;
  worker_bits has_loops_;
  worker_bits has_tasks_;
  worker_bits asleep_;
  team* whole_;
  urgent_tasks urgent_;

  std::mutex lock_;                    ///< held by the thread whose code is inside, or drives
  std::condition_variable_any moved_;  ///< there are events again, or a thread may go on
  event_queue events_;
  picoseconds now_ = 0;
  mutable std::uint64_t since_ = 0;    ///< until then the code that runs was accounted for, in ticks
  virtual_fiber* driver_ = nullptr;    ///< the thread on whose stack events are taken
  virtual_worker* current_ = nullptr;  ///< whose code runs
  std::deque<virtual_fiber> fibers_;
  virtual_fiber* idle_fibers_ = nullptr;
  std::unique_ptr<virtual_fiber> starter_;
};

}  // namespace maslin
