#pragma once
// The clock of workers' local stores. Which copies may serve again, and why: exec/store/README.md.

#include <atomic>
#include <cstdint>

#include "task/node.hpp"

namespace maslin::graph {

/// Counts the ends of tasks that have worked where there are local stores. Relaxed: that T's end happens before U's
/// creation is all that matters, and then U's creation reads T's tick or a later one.
inline constinit std::atomic<std::uint64_t> store_clock{0};

inline std::uint64_t tick_of_stores() noexcept { return store_clock.fetch_add(1, std::memory_order_relaxed) + 1; }

/// The task is created now: nothing that its creation writes comes later.
inline void set_birth(detail::task_node& task) noexcept {
  if (task.has_birth) [[unlikely]]
    task.birth() = store_clock.load(std::memory_order_relaxed);
}

}  // namespace maslin::graph
