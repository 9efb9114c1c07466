#pragma once
// The clock of workers' local stores, and what they hear. Which copies may serve again, which reach memory when, and
// why: exec/store/README.md.

#include <atomic>
#include <cstdint>

#include "graph/region.hpp"
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

/// Page protection (exec/pages) hears of tasks of which `has_birth` is set, unless null: before the task can run. Its
/// accesses are as the program declared them. Acquire: pairs with where it is set.
inline constinit std::atomic<void (*)(detail::task_node&, const detail::declared*, const context& creator) noexcept>
    task_is_created{nullptr};

/// Local stores may have copies that memory has not got. They hear of these, unless null. Acquire: pairs with where
/// they are set.
inline constinit std::atomic<void (*)(const region&) noexcept> version_ends{nullptr};  ///< its memory is freed next
inline constinit std::atomic<void (*)() noexcept> program_looks{nullptr};  ///< it has waited, and may look at any data

inline bool hear_program() noexcept { return program_looks.load(std::memory_order_relaxed) != nullptr; }
inline void tell_program_looks() noexcept {
  if (const auto hears = program_looks.load(std::memory_order_acquire)) [[unlikely]]
    hears();
}

}  // namespace maslin::graph
