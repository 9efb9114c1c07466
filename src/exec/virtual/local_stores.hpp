#pragma once
// The local stores of a described machine's workers: what tasks' copies take there. Nothing is copied, and bodies work
// on memory; which copies are made is decided by exec/store, and how long they take by model/dma. README.md says when.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "exec/store/local_store.hpp"
#include "exec/store/stores.hpp"
#include "exec/virtual/processor.hpp"
#include "maslin/machine.hpp"
#include "maslin/trace.hpp"
#include "model/dma/shared_bus.hpp"

namespace maslin {

/// What a worker's copy engine was asked for.
struct asked_copies {
  std::uint64_t in = 0;  ///< bytes
  std::uint64_t out = 0;
  struct run {
    std::uintptr_t begin, end;
  };
  std::vector<run> to;  ///< where `out` goes in memory
};

/// That engine, for store::local_store: counts.
class counting_engine {
 public:
  explicit counting_engine(asked_copies& to) : to_(to) {}
  void get(void*, const void*, std::size_t bytes, store::tag) noexcept { to_.in += bytes; }
  void get_from_peer(void*, const void*, std::size_t bytes, store::tag) noexcept { to_.in += bytes; }
  void put(void* to, const void*, std::size_t bytes, store::tag) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(to);
    to_.out += bytes;
    to_.to.push_back({begin, begin + bytes});
  }
  void wait(store::tag) noexcept {}

 private:
  asked_copies& to_;
};
static_assert(store::platform<counting_engine>);

class local_stores {
 public:
  /// Gives those of the machine if it has some, by its description or by MASLIN_STORE; otherwise null.
  static std::unique_ptr<local_stores> of(virtual_executor& exec, const machine::machine_spec& machine, int workers,
                                          int first_number);
  ~local_stores();
  local_stores(const local_stores&) = delete;
  local_stores& operator=(const local_stores&) = delete;

  // All but `told` with the executor's lock.

  /// Copies come to their ends at events of these, one a node.
  int first_number() const { return first_number_; }
  processor& bus_at(int number) const;

  /// The worker begins a task: it waits until the task's data are in its store, and begins to fetch those of its next
  /// ones.
  void stage_in(virtual_worker& w, detail::task_node& task);
  /// Calls the body of a task with accesses, and waits for the tasks that it has created.
  void call(detail::task_node& task);
  /// The worker has run the task: gives whether that is done; otherwise it is completed when memory has what it wrote.
  bool stage_out(virtual_worker& w, detail::task_node& task);

  /// Has the worker a next task?
  bool has_next(const virtual_worker& w) const;
  /// Takes it from the worker's queue; null where there is none.
  detail::task_node* take_next(virtual_worker& w);
  /// Another one has taken tasks from the worker's queue.
  void robbed(const virtual_worker& w);

  /// Does it take time to move anything?
  bool are_slow_to_move() const { return is_slow_; }
  /// The worker's code, in that context, says that it moves so many bytes: the worker's engine does so while the worker
  /// computes. It has room for two pieces of work (double buffering): the worker waits until what it had said before
  /// the last time has been moved. What a task's data bring in is not moved again.
  void move(virtual_worker& w, const context& in, std::int64_t bytes);
  /// The worker waits until all that its code has said has been moved.
  void await_moved(virtual_worker& w);

  /// The program has waited, and may look at any data: the caller waits until memory has them.
  void show_everything();
  void forget(const graph::region& freed) noexcept;
  store::counts told() const;

 private:
  struct staged_task;
  using staged = std::shared_ptr<staged_task>;
  struct worker_store;
  struct late_put;
  struct node_bus;

  local_stores(virtual_executor& exec, const machine::machine_spec& machine, int workers, int first_number,
               std::size_t bytes);
  worker_store& of(const virtual_worker& w);
  void begin_to_fetch_next(virtual_worker& w);
  staged begin(virtual_worker& w, detail::task_node& task);
  bool fits(const staged_task& s) const;
  bool take(staged_task& s);
  void fetch(const staged& s, picoseconds now);
  void get(const staged& s, picoseconds now);
  void arrived(staged_task& s);
  std::shared_ptr<late_put> put(int worker, picoseconds now);
  void give(staged_task& s);
  void leave(staged_task& s);
  std::uint64_t end_task(std::span<const store::use> uses) noexcept;
  bool is_in_task_with_data(const context& c) const;
  void copy(int worker, const detail::task_node* task, const trace::transfer_of& what, picoseconds now,
            std::function<void()> ended);
  void transfer(int worker, std::uint64_t bytes, picoseconds start, std::function<void()> ended);
  void record(int worker, std::uint64_t task, const trace::transfer_of& what, picoseconds start);
  template <class Done>
  void wait(virtual_worker& w, Done&& done);
  void tell(virtual_worker& w) noexcept;

  virtual_executor& exec_;
  const int first_number_;
  const int node_;  ///< workers of one
  const std::size_t bytes_;
  const picoseconds latency_;
  const store::keeping keeps_;
  const store::writing writes_;
  const std::uint64_t ahead_;  ///< 0: a worker also waits for what it puts
  const bool is_slow_;
  std::vector<std::unique_ptr<node_bus>> buses_;
  mutable std::mutex making_;  ///< of a store: `told` is asked by any thread
  std::vector<std::unique_ptr<worker_store>> each_;
  std::unordered_map<const detail::task_node*, staged> begun_;  ///< tasks that workers run, or are about to
  std::vector<std::shared_ptr<late_put>> late_puts_;            ///< that go on
  std::atomic<std::uint64_t> early_{0};                         ///< tasks that began with what was fetched before
  std::atomic<picoseconds> waited_{0};
};

}  // namespace maslin
