#pragma once
// A version of a datum that lies elsewhere than where the program declared it (renaming), or a datum whose tasks take
// turns (`concurrent`). Counted: its tasks use it, and the domain while it is the current one.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "graph/region.hpp"
#include "task/node.hpp"

namespace maslin {

struct detail::version {
  version(void* at, std::size_t column_stride, std::size_t own_bytes) noexcept
      : data(at), stride(column_stride), bytes(own_bytes) {}

  void* data;
  std::size_t stride;  ///< between columns, as they lie here; 0 where there is one
  std::size_t bytes;   ///< of its own memory; 0: it is the program's
  MASLIN_ATOMIC<std::int32_t> users{1};

  // Turns. Who uses the version without need of one takes it, too: that delays, and changes nothing.
  bool has_turns() const noexcept { return turns.load(std::memory_order_relaxed); }
  /// Where a first concurrent access finds tasks of the version under way, these may take a turn or return one that
  /// they have not taken: nobody contends before they are done, for the concurrent tasks wait for them.
  void let_take_turns() noexcept { turns.store(true, std::memory_order_relaxed); }
  MASLIN_ATOMIC<bool> turns{false};
  base::short_lock lock;
  task_node* waiting MASLIN_GUARDED_BY(lock) = nullptr;  ///< the tasks that wait for their turn, the first one first
  task_node* last_waiting MASLIN_GUARDED_BY(lock) = nullptr;
  bool taken MASLIN_GUARDED_BY(lock) = false;
};

namespace graph {

/// Gives memory of its own to a version of `of`, the columns one behind the other; the caller is its user. Null when
/// the memory is not to be had or would exceed what renaming may take in all.
detail::version* make_version(const region& of) noexcept;
/// Gives memory for a task's value in a reduction; the caller is its user. Throws std::bad_alloc.
detail::version* make_value(const region& of);
/// Gives a version that is the program's own memory, for turns. Throws std::bad_alloc.
detail::version* make_turns(const region& of);

inline void use(detail::version& v) noexcept { v.users.fetch_add(1, std::memory_order_relaxed); }
/// One user less; the last one frees it.
void release(detail::version& v) noexcept;

inline region region_of(const detail::version& v) noexcept {
  region all;
  all.start = reinterpret_cast<std::uintptr_t>(v.data);
  all.bytes = v.bytes;
  return all;
}

/// Versions may take so many bytes in all.
void set_renaming_limit(std::size_t bytes) noexcept;

/// Copies what a version holds to memory that is laid out as the region is.
void copy_home(const region& layout, void* to, const void* from);

}  // namespace graph
}  // namespace maslin
