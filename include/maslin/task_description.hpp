#pragma once
// What a new task tells the executor, and the executor's part in its beginning and its end.

#include <cstddef>
#include <cstdint>

#include "maslin/access.hpp"
#include "maslin/api.hpp"
#include "maslin/frame.hpp"
#include "maslin/location.hpp"

namespace maslin {

class group;

namespace detail {

struct task_node;
struct version;

/// An access as the graph sees it: `columns` runs of `bytes`, one every `stride` bytes.
struct declared {
  void* data;
  std::size_t bytes;
  std::size_t columns;
  std::size_t stride;
  access_mode mode;
  bool renames;                   ///< an out of data that may lie elsewhere; in task_facts any access to such data
  const reduction_kind* reduces;  ///< of a reduction
};

/// In the list of who waits for a task. `to`: the waiting task's node; bit 0: for its data, so that a failure passes
/// on; bit 1: the edge is a block of its own.
struct edge {
  edge* next;
  std::uintptr_t to;
};

/// What a task keeps of an access: where its body finds the data, and the first edge that made it wait.
struct access_record {
  void* data;
  version* of;  ///< null: the program's own memory
  edge link;
};
/// Gives the distance between columns where the data lies now, in bytes; `declared_stride` in the program's own memory.
MASLIN_API std::size_t stride_of(const access_record& record, std::size_t declared_stride);

/// Room for one task: the executor's part, a record for each access, and the callable.
struct task_storage {
  void* node;
  access_record* records;
  void* callable;
  std::uint32_t bytes;
};
MASLIN_API task_storage allocate_task(std::size_t bytes, std::size_t alignment, std::size_t accesses);
MASLIN_API void discard_task(const task_storage& storage) noexcept;

/// What a task does with its callable: a cancelled one only destroys it, a recorded one calls it many times. With
/// `describe` the callable's place is taken by a task_facts.
enum class body_use : unsigned char { destroy = 1, call = 2, call_and_destroy = 3, describe = 4 };

/// What a task tells of itself, for messages and checks.
struct task_facts {
  void* callable;
  declared* accesses;          ///< room for all; gets what they declare and where the data lies now
  std::size_t described = 0;   ///< how many it got
  const char* body = nullptr;  ///< the body's type, in the compiler's words (`name_of`)
};

struct task_description {
  task_function run;
  group* in;
  location where;
  int priority;
  const declared* accesses;
  std::size_t access_count;
  bool may_reduce = true;  ///< false: no access is a reduction
};
/// Makes the task a child of the caller (or a member of a group) and lets it run when its data is there.
MASLIN_API void submit_task(const task_storage& storage, const task_description& what);

/// A task that its creator runs before it goes on, on its own stack.
struct task_frame : branch_frame {
  const task_description* what;
  std::uint64_t place;               ///< in program order
  std::uint64_t began;               ///< in ticks; 0: it is not timed
  alignas(4) std::byte rounding[4];  ///< room for its creator's rounding mode
  bool is_in_place;                  ///< its group's creator counts it (maslin/in_place.hpp)
};

/// How a new task starts. Its creator runs it before it goes on if the task waits for nothing and is too small to be
/// handed over, or very many are in flight.
enum class start : unsigned char {
  handed_over,
  at_once,       ///< by `run_at_once`
  tiny_at_once,  ///< the same, and its body takes less than handing it over
  begun          ///< at once, and its frame is open: by a call, then `end_at_once`
};
/// `frame`: null where the task cannot begin here.
MASLIN_API start start_task(const task_description& what, task_frame* frame) noexcept;
/// Calls `callable`, as a task that was created now. `records` has room for its accesses.
MASLIN_API void run_at_once(const task_description& what, void* callable, access_record* records, bool tiny);
/// The body has returned.
MASLIN_API void end_at_once(task_frame& frame) noexcept;
/// In a handler: the body has thrown.
MASLIN_API void fail_at_once(task_frame& frame) noexcept;

}  // namespace detail

}  // namespace maslin
