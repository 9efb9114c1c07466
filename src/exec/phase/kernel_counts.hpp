#pragma once
// What the kernels of a phase have cost so far: counted by the workers as they go, read by right-sizing.

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sched/grain/throughput.hpp"

namespace maslin {

class kernel_counts {
 public:
  /// Room for the kernels known now; one that registers later is counted in the last column, with others of its kind.
  /// Throws std::bad_alloc.
  explicit kernel_counts(int workers);

  /// On that worker: an execution at that width.
  void count(int worker, std::uint32_t kernel, int width, std::uint64_t ticks);
  /// Any thread: the kernel's mean one-worker time as last learned; 0: not known yet.
  double mean_seconds(std::uint32_t kernel) const;

  /// Gives what was counted so far, by kernel id. Throws std::bad_alloc.
  std::vector<grain::kernel_record> counted(double seconds_per_tick) const;
  /// Takes the means from what was counted. Under the grain lock; throws std::bad_alloc.
  void learn(std::span<const grain::kernel_record> counted);

 private:
  /// What one worker did with one kernel. Written by that worker alone.
  struct cell {
    std::atomic<std::uint64_t> completed{0};
    std::atomic<std::uint64_t> one_worker{0};
    std::atomic<std::uint64_t> one_worker_ticks{0};
    std::atomic<std::uint64_t> worker_ticks{0};

    static void add(std::atomic<std::uint64_t>& to, std::uint64_t what) {
      to.store(to.load(std::memory_order_relaxed) + what, std::memory_order_relaxed);
    }
  };

  cell& at(int worker, std::uint32_t kernel) const;

  int workers_;
  std::uint32_t kernels_;
  std::unique_ptr<cell[]> cells_;                        ///< a row a worker; a column a kernel
  std::unique_ptr<std::atomic<double>[]> mean_seconds_;  ///< by kernel
};

}  // namespace maslin
