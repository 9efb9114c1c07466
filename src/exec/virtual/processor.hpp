#pragma once
// What runs code on a described machine: workers and host contexts, and the fibers that run on them.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <vector>

#include "base/atomic.hpp"
#include "exec/core/invitations.hpp"
#include "exec/core/loop_queue.hpp"
#include "exec/fiber/fiber.hpp"
#include "exec/phase/phase_run.hpp"
#include "exec/virtual/events.hpp"
#include "maslin/float_mode.hpp"
#include "sched/grain/host_turn.hpp"
#include "task/scope.hpp"

namespace maslin {

class virtual_executor;
struct host_context;
struct processor;

/// Where code lives: the loop of a worker with what it runs on top, a stream on a host, or a thread's own stack.
struct virtual_fiber final : waiter {
  /// The calling thread's own stack; `where`: whose control flow it is, null for a foreign thread.
  virtual_fiber(virtual_executor& e, processor* where) : exec(e), is_thread(true), home(where) {}
  virtual_fiber(virtual_executor& e, std::size_t place, const fiber_stack& stack, void (*body)(void*))
      : exec(e), number(place), machine(stack, body, this), is_thread(false) {}

  void sleep(base::short_lock& held, const awaited_end& what) MASLIN_RELEASES(held) override;
  void wake() noexcept override;

  /// Below this less than half of the stack is left; not for a thread.
  std::uintptr_t half() const {
    return reinterpret_cast<std::uintptr_t>(machine.stack()->bottom) + machine.stack()->bytes / 2;
  }

  virtual_executor& exec;
  const std::size_t number = 0;  ///< in the order of their making; 0: a thread
  fiber machine;
  const bool is_thread;
  processor* home = nullptr;
  virtual_fiber* next = nullptr;  ///< among those that may go on at its home, or among the idle fibers
  picoseconds goes_on_at = 0;     ///< not earlier, at a worker: what it waited for has happened, or word of it arrives
  bool awake = true;              ///< a thread's, that drives: its processor is its own again, or it has none
  bool woken = false;             ///< what it waits for has happened
  bool asleep = false;            ///< it has left its processor to wait
  awaited_end waits_for;          ///< while it is asleep
  const context* suspended_in = nullptr;
  grain::host_thread on_host;        ///< while its home is a host context
  std::optional<stream_run> stream;  ///< while it runs on a host
};

/// Runs one fiber at a time. There is at most one event that counts for it.
struct processor {
  explicit processor(int place) : index(place) {}
  virtual ~processor() = default;
  processor(const processor&) = delete;
  processor& operator=(const processor&) = delete;

  /// Makes a fiber run that goes on now, and gives it; null if there is none, and then there is an event for when there
  /// will be.
  virtual virtual_fiber* choose() = 0;
  /// Does the fiber that runs here only wait?
  virtual bool is_spinning() const { return false; }
  /// The fiber may go on here at that time.
  virtual void enqueue(virtual_fiber& f, picoseconds when) = 0;

  const int index;  ///< in events: the workers first, then the host contexts
  picoseconds clock = 0;
  picoseconds came_at = -1;    ///< its clock when its turn came last
  picoseconds data_there = 0;  ///< when memory has moved what its code moves: that ends no earlier
  std::uint64_t expected = 0;  ///< the event that counts; 0: none
  picoseconds expected_at = 0;
  virtual_fiber* running = nullptr;  ///< runs now, or goes on at the event
};

/// The code of kernels that an accelerator has in its store (multigrain-cell, 5.2: code versioning).
enum class code_version : unsigned char { none, one_worker, team };

/// A kernel on its way to the first worker of a team.
struct kernel_run {
  void (*call)(void*);
  void* env;
  context* caller;
  std::uint32_t kernel;
  int width;
  stream_run* stream;              ///< that it counts for, or null
  std::uint64_t ticket = 0;        ///< with which it departs
  virtual_fiber* waits = nullptr;  ///< whose off-load it is
  picoseconds arrives = 0;
  std::exception_ptr thrown = nullptr;
  detail::float_mode mode = {};  ///< the caller's
};

/// The tasks of one worker. Its own end is the newest.
class task_stack {
 public:
  bool empty() const { return size() == 0; }
  std::size_t size() const { return tasks_.size() - first_; }
  bool push(detail::task_node* task) { return tasks_.push_back(task), true; }
  detail::task_node* pop();
  /// Gives the newest one that is not known; null where there is none.
  template <class IsKnown>
  detail::task_node* newest_but(IsKnown&& is_known) const {
    for (std::size_t i = tasks_.size(); i > first_; --i)
      if (!is_known(tasks_[i - 1])) return tasks_[i - 1];
    return nullptr;
  }
  bool holds(const detail::task_node* task) const {
    return std::find(tasks_.begin() + static_cast<std::ptrdiff_t>(first_), tasks_.end(), task) != tasks_.end();
  }
  /// Takes out one that it holds.
  void take(const detail::task_node* task);
  /// Moves the older half, rounded up, to `to`: the oldest becomes the newest there.
  void give_half(task_stack& to);

 private:
  std::vector<detail::task_node*> tasks_;
  std::size_t first_ = 0;
};

struct virtual_worker final : processor, work_queue::watcher {
  virtual_worker(virtual_executor& e, int place) : processor(place), exec(e) {}
  void nonempty(bool holds_work) override;
  virtual_fiber* choose() override;
  void enqueue(virtual_fiber& f, picoseconds when) override;
  /// May one of its fibers go on now?
  bool has_ready() const { return first_ready && first_ready->goes_on_at <= clock; }

  virtual_executor& exec;
  MASLIN_ATOMIC<team*> in_team{nullptr};
  virtual_fiber* first_ready = nullptr;  ///< fibers that may go on here, now or later, the earliest first
  virtual_fiber* last_ready = nullptr;
  std::deque<detail::task_node*> apart;  ///< tasks of ranks, which are begun here before anything else
  task_stack tasks;
  bool refills = true;      ///< it hands over what it creates (grain::refills)
  picoseconds gave_at = 0;  ///< when it gave a branch of a fork away last
  work_queue queue{this};   ///< loops
  invitations invited{index};
  std::optional<work> ends;  ///< it has run, and is done at this worker's next event: no fiber waits for that
  detail::task_node* goes_on_with = nullptr;  ///< what it has made ready first, and runs next
  std::vector<kernel_run*> kernels;           ///< in the order of their arrival
  picoseconds in_loops = 0;                   ///< how long the kernel that runs here was in loops that its team shares
  bool shares_loops = false;                  ///< has it run one?
  code_version code = code_version::none;
};

}  // namespace maslin
