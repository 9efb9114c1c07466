#include "exec/phase/kernel_counts.hpp"

#include "task/kernels.hpp"

namespace maslin {

kernel_counts::kernel_counts(int workers)
    : workers_(workers),
      kernels_(kernel_count() + 1),
      columns_(kernels_ + loops),
      cells_(std::make_unique<cell[]>(static_cast<std::size_t>(workers) * columns_)),
      waited_(std::make_unique<wait_time[]>(static_cast<std::size_t>(workers))),
      mean_seconds_(std::make_unique<std::atomic<double>[]>(columns_)) {}

std::uint32_t kernel_counts::of_loop(const void* body, std::uint32_t line) const noexcept {
  const std::uintptr_t site = reinterpret_cast<std::uintptr_t>(body) ^ (std::uintptr_t{line} << 48);
  std::uint32_t number = 0;
  for (std::atomic<std::uintptr_t>& at : sites_) {
    // A site says nothing of other memory, so that no order is needed.
    std::uintptr_t found = at.load(std::memory_order_relaxed);
    if (found == 0 && at.compare_exchange_strong(found, site, std::memory_order_relaxed)) break;
    if (found == site) break;
    ++number;
  }
  return kernels_ + number;
}

void kernel_counts::count(int worker, std::uint32_t column, int width, std::uint64_t ticks, bool by_stream,
                          std::uint64_t completed) {
  cell& c = execution(worker, column);
  cell::add(c.completed, completed);
  cell::add(c.worker_ticks, ticks * static_cast<std::uint64_t>(width));
  if (by_stream) cell::add(c.stream_ticks, ticks);
  if (completed > 0) {
    const double worker_ticks = static_cast<double>(ticks) * width;
    cell::add(c.squared_ticks, worker_ticks * worker_ticks / static_cast<double>(completed));
  }
  if (width != 1) return;
  cell::add(c.one_worker, completed);
  cell::add(c.one_worker_ticks, ticks);
}

double kernel_counts::mean_seconds(std::uint32_t column) const {
  return mean_seconds_[column].load(std::memory_order_relaxed);
}

grain::kernel_record kernel_counts::counted_in(std::uint32_t column, double seconds_per_tick) const {
  const auto read = [](const auto& from) { return from.load(std::memory_order_relaxed); };
  grain::kernel_record all;
  for (int w = 0; w < workers_; ++w) {
    const cell& c = at(w, column);
    all.executions += read(c.executions);
    const std::uint64_t untimed = read(c.untimed);
    all.completed += read(c.completed) + untimed;
    all.untimed += untimed;
    all.one_worker += read(c.one_worker);
    all.one_worker_seconds += static_cast<double>(read(c.one_worker_ticks)) * seconds_per_tick;
    all.worker_seconds += static_cast<double>(read(c.worker_ticks)) * seconds_per_tick;
    all.stream_seconds += static_cast<double>(read(c.stream_ticks)) * seconds_per_tick;
    all.squares += read(c.squared_ticks) * seconds_per_tick * seconds_per_tick;
  }
  return all;
}

std::vector<grain::kernel_record> kernel_counts::counted(double seconds_per_tick) const {
  std::vector<grain::kernel_record> all(columns_in_use());
  for (std::uint32_t k = 0; k < all.size(); ++k) all[k] = counted_in(k, seconds_per_tick);
  return all;
}

std::uint64_t kernel_counts::waited() const {
  std::uint64_t ticks = 0;
  for (int w = 0; w < workers_; ++w)
    ticks += waited_[static_cast<std::size_t>(w)].ticks.load(std::memory_order_relaxed);
  return ticks;
}

double kernel_counts::work(double seconds_per_tick) const {
  double seconds = 0;
  const std::uint32_t columns = columns_in_use();
  for (std::uint32_t k = 0; k < columns; ++k) {
    const grain::kernel_record all = counted_in(k, seconds_per_tick);
    seconds += static_cast<double>(all.completed) * all.mean();
  }
  return seconds;
}

void kernel_counts::learn(std::span<const grain::kernel_record> counted) {
  grain::kernel_times times;
  times.add(counted);
  for (std::uint32_t k = 0; k < counted.size(); ++k) mean_seconds_[k].store(times.mean(k), std::memory_order_relaxed);
}

}  // namespace maslin
