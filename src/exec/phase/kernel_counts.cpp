#include "exec/phase/kernel_counts.hpp"

#include <algorithm>

#include "task/kernels.hpp"

namespace maslin {

kernel_counts::kernel_counts(int workers)
    : workers_(workers),
      kernels_(kernel_count() + 1),
      cells_(std::make_unique<cell[]>(static_cast<std::size_t>(workers) * kernels_)),
      mean_seconds_(std::make_unique<std::atomic<double>[]>(kernels_)) {}

kernel_counts::cell& kernel_counts::at(int worker, std::uint32_t kernel) const {
  return cells_[static_cast<std::size_t>(worker) * kernels_ + std::min(kernel, kernels_ - 1)];
}

void kernel_counts::count(int worker, std::uint32_t kernel, int width, std::uint64_t ticks) {
  cell& c = at(worker, kernel);
  cell::add(c.completed, 1);
  cell::add(c.worker_ticks, ticks * static_cast<std::uint64_t>(width));
  if (width != 1) return;
  cell::add(c.one_worker, 1);
  cell::add(c.one_worker_ticks, ticks);
}

double kernel_counts::mean_seconds(std::uint32_t kernel) const {
  return mean_seconds_[std::min(kernel, kernels_ - 1)].load(std::memory_order_relaxed);
}

std::vector<grain::kernel_record> kernel_counts::counted(double seconds_per_tick) const {
  auto read = [](const std::atomic<std::uint64_t>& from) { return from.load(std::memory_order_relaxed); };
  std::vector<grain::kernel_record> all(kernels_);
  for (int w = 0; w < workers_; ++w) {
    for (std::uint32_t k = 0; k < kernels_; ++k) {
      const cell& c = at(w, k);
      all[k].completed += read(c.completed);
      all[k].one_worker += read(c.one_worker);
      all[k].one_worker_seconds += static_cast<double>(read(c.one_worker_ticks)) * seconds_per_tick;
      all[k].worker_seconds += static_cast<double>(read(c.worker_ticks)) * seconds_per_tick;
    }
  }
  return all;
}

void kernel_counts::learn(std::span<const grain::kernel_record> counted) {
  grain::kernel_times times;
  times.add(counted);
  for (std::uint32_t k = 0; k < kernels_; ++k) mean_seconds_[k].store(times.mean(k), std::memory_order_relaxed);
}

}  // namespace maslin
