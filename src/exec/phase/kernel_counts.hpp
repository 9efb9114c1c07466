#pragma once
// What the kernels of a phase have cost so far: counted by the workers as they go, read by right-sizing.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "sched/grain/throughput.hpp"

namespace maslin {

class kernel_counts {
 public:
  /// Room for the kernels known now; one that registers later is counted in the last column, with others of its kind.
  /// Throws std::bad_alloc.
  explicit kernel_counts(int workers);

  /// Gives the column of a kernel.
  std::uint32_t of_kernel(std::uint32_t kernel) const { return std::min(kernel, kernels_ - 1); }
  /// Gives the column of a loop that a stream runs itself, by its call site. Sites are numbered in the order in which
  /// the phase comes to them, not by where the program lies in memory; the last column counts all those from the 32nd
  /// on.
  std::uint32_t of_loop(const void* body, std::uint32_t line) const noexcept;

  /// On that worker: an execution at that width that completed so much: 1, or a loop's iterations.
  void count(int worker, std::uint32_t column, int width, std::uint64_t ticks, bool by_stream, std::uint64_t completed);
  /// The same of one that was too small to be timed.
  void count_untimed(int worker, std::uint32_t column, std::uint64_t completed) {
    cell::add(execution(worker, column).untimed, completed);
  }
  /// A stream on that worker has waited for so long: for its tasks, or for a phase of its own.
  void count_wait(int worker, std::uint64_t ticks) {
    cell::add(waited_[static_cast<std::size_t>(worker)].ticks, ticks);
  }
  /// Gives how long streams have waited so far, in ticks, summed over them.
  std::uint64_t waited() const;
  /// Any thread: the mean one-worker time of what a column counts, as last learned; 0: not known yet.
  double mean_seconds(std::uint32_t column) const;

  /// Gives what was counted so far, by column; without the loops' while none was counted. Throws std::bad_alloc.
  std::vector<grain::kernel_record> counted(double seconds_per_tick) const;
  /// Gives what was completed so far, in seconds of one worker.
  double work(double seconds_per_tick) const;
  /// Takes the means from what was counted. For one thread at a time; throws std::bad_alloc.
  void learn(std::span<const grain::kernel_record> counted);

 private:
  /// What one worker did with one kernel. Written by that worker alone.
  struct cell {
    std::atomic<std::uint64_t> executions{0};
    std::atomic<std::uint64_t> completed{0};  ///< and timed
    std::atomic<std::uint64_t> untimed{0};    ///< completed
    std::atomic<std::uint64_t> one_worker{0};
    std::atomic<std::uint64_t> one_worker_ticks{0};
    std::atomic<std::uint64_t> worker_ticks{0};
    std::atomic<std::uint64_t> stream_ticks{0};
    std::atomic<double> squared_ticks{0};  ///< of an execution, as worker_ticks, over what it completed

    template <class T>
    static void add(std::atomic<T>& to, std::type_identity_t<T> what) {
      to.store(to.load(std::memory_order_relaxed) + what, std::memory_order_relaxed);
    }
  };

  struct alignas(64) wait_time {
    std::atomic<std::uint64_t> ticks{0};
  };

  cell& at(int worker, std::uint32_t column) const {
    return cells_[static_cast<std::size_t>(worker) * columns_ + column];
  }

  cell& execution(int worker, std::uint32_t column) {
    if (column >= kernels_ && !any_loop_.load(std::memory_order_relaxed))
      any_loop_.store(true, std::memory_order_relaxed);
    cell& c = at(worker, column);
    cell::add(c.executions, 1);
    return c;
  }

  std::uint32_t columns_in_use() const { return any_loop_.load(std::memory_order_relaxed) ? columns_ : kernels_; }
  grain::kernel_record counted_in(std::uint32_t column, double seconds_per_tick) const;

  static constexpr std::uint32_t loops = 32;
  mutable std::atomic<std::uintptr_t> sites_[loops - 1] = {};  ///< of the loops, by number; 0: not taken yet

  int workers_;
  std::uint32_t kernels_;  ///< behind them, the loops
  std::uint32_t columns_;
  std::atomic<bool> any_loop_{false};
  std::unique_ptr<cell[]> cells_;                        ///< a row a worker
  std::unique_ptr<wait_time[]> waited_;                  ///< by worker
  std::unique_ptr<std::atomic<double>[]> mean_seconds_;  ///< by column
};

}  // namespace maslin
