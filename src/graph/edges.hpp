#pragma once
// Edges between tasks, and what happens along them when a task is done; `exec` runs the bodies. README.md holds states,
// protocol and proof.
//
// `task_node::followers` is one word: the list of edges out of the task, latest first, and two flags in its low bits.

#include <atomic>
#include <cstdint>

#include "task/node.hpp"

namespace maslin::graph {

// An edge's `to` is the node of the task that waits, with two flags.
inline constexpr std::uintptr_t edge_needs = 1;     ///< for its data, so a failure passes on
inline constexpr std::uintptr_t edge_is_block = 2;  ///< the edge is memory of its own
inline bool is_needed(const detail::edge& e) { return e.to & edge_needs; }
inline bool is_block(const detail::edge& e) { return e.to & edge_is_block; }
inline detail::task_node* target(const detail::edge& e) {
  return reinterpret_cast<detail::task_node*>(e.to & ~(edge_needs | edge_is_block));
}

/// Who takes tasks that have become ready: the executor.
struct ready_sink {
  virtual void ready(detail::task_node* task) noexcept = 0;

 protected:
  ~ready_sink() = default;
};

inline constexpr std::uintptr_t forgotten = 1;  ///< no datum names the task any more
inline constexpr std::uintptr_t done = 2;       ///< the task is done: its list has been taken
inline constexpr std::uintptr_t flags = 3;

/// The edges out of a task that is not done, the latest first.
inline detail::edge* edges_of(const detail::task_node& task) {
  return reinterpret_cast<detail::edge*>(task.followers.load(std::memory_order_acquire) & ~flags);
}
inline bool is_done(const detail::task_node& task) noexcept {
  // Acquire: what a done task did is visible to the creator, who may run a follower at once.
  return task.followers.load(std::memory_order_acquire) & done;
}

/// Makes `to` wait for `from`, with an edge in memory that lives as long as `to`. `needs`: it reads what `from` writes.
/// Gives false when `from` is done; then nothing was added, but if it failed and is needed, `to` is cancelled. Only for
/// the creator of both.
bool link(detail::task_node& from, detail::edge& with, detail::task_node& to, bool needs, bool edge_is_block) noexcept;

/// Gives the scope whose wait says why a failed task left its data void: its own, or for a task of the graph's own,
/// that of the failed task which wrote the data; null once that wait is over.
inline const scope* failed_for(detail::task_node& task) {
  if (!task.is_internal || task.is_recorded) return task.in;
  return reinterpret_cast<const scope*>(std::atomic_ref(task.place).load(std::memory_order_relaxed));
}
inline void set_failed_for(detail::task_node& task, const scope* why) {
  std::atomic_ref(task.place).store(reinterpret_cast<std::uintptr_t>(why), std::memory_order_relaxed);
}

/// What `task` would read, or has written, is void; the wait for `why` says what was thrown.
inline void cancel(detail::task_node& task, const scope* why) noexcept {
  // Two that failed may do this at once; either will do.
  if (task.is_internal && !task.is_recorded) set_failed_for(task, why);
  // Release: who sees that it failed sees for which scope.
  task.cancelled.store(true, std::memory_order_release);
}

/// A datum names the task, or no longer. Only for its creator.
inline void name(detail::task_node& task) noexcept { ++task.named; }
void unname(detail::task_node& task) noexcept;

/// Nothing blocks the task: hands it to the sink once it has its turns.
void start(detail::task_node& task, ready_sink& sink) noexcept;
/// While a task waits for a turn it has no edges, so the first one's memory links the queue; under the version's lock.
inline detail::task_node* next_in_queue(detail::task_node* task) {
  return reinterpret_cast<detail::task_node*>(task->records()->link.to);
}
/// Gives back the turns of a task that is done.
void return_turns(detail::task_node& task, ready_sink& sink) noexcept;
/// Frees a node and its callable's memory.
void destroy(detail::task_node* task) noexcept;

/// One blocker less (or `count` less); hands the task to the sink when that was the last and it has its turns.
void unblock(detail::task_node& task, std::int32_t count, ready_sink& sink) noexcept;

/// The task and its descendants are done: it leaves its scope, as does every ancestor that was only waiting for it, and
/// what waited for them becomes ready.
void finish(detail::task_node* task, ready_sink& sink) noexcept;
/// The body has run, or will not: the task is done as soon as all its descendants are. Any thread may say so, once.
inline void complete(detail::task_node* task, ready_sink& sink) noexcept {
  if (task->children.close()) finish(task, sink);
}

}  // namespace maslin::graph
