#pragma once
// Recorded tasks: the graph of one iteration, kept. Their dependences were found once, so a replay only counts.
//
// A recorded task keeps its node from replay to replay. What is a list of edges in other tasks is an array here
// (`followers` points to its `recorded_task`); whoever is done puts its own counters back to where they began, and only
// the sinks, which nothing follows, leave the scope that a replay waits for. Where the tasks are small one worker runs
// them in the order in which they are kept; then nothing is counted.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graph/edges.hpp"
#include "graph/region.hpp"
#include "maslin/mutex.hpp"
#include "maslin/replay.hpp"
#include "task/context.hpp"

namespace maslin {

namespace graph {

/// What a reduction's task must set to the identity before each run.
struct recorded_value {
  void* value;
  const detail::reduction_kind* kind;
  std::size_t extent;
};

struct recorded_task {
  std::span<const std::uintptr_t> followers;  ///< nodes, with tags in two bits
  std::span<const recorded_value> values;
  std::int32_t blockers;  ///< how many tasks it follows
};

/// What is known of replays (sched/grain/replays.hpp).
struct replay_times {
  float in_order = 0;  ///< ticks, by its caller alone in program order; 0: not known
  float shared = 0;
  bool was_in_order = false;  ///< that was the better way
  int patience = 1;           ///< so many replays that way, then one the other way
  int since = 0;
};

}  // namespace graph

/// A recording's tasks.
struct recording::state {
  state() = default;
  ~state();
  state(const state&) = delete;
  state& operator=(const state&) = delete;

  /// Lets the records point to other data until the next call. Throws `error`.
  void bind(std::span<const rebinding> instead, location where);
  /// Gives the data that a replay with these rebindings uses, as accesses that write it.
  std::vector<detail::declared> accesses(std::span<const rebinding> instead) const;
  /// The tasks are created now, as local stores see it.
  void set_births() noexcept;
  /// Hands the tasks that wait for nothing to the sink; the others follow. All are done when `members` is quiet.
  void begin(void* stream, detail::float_mode mode, graph::ready_sink& sink) noexcept;

  std::vector<detail::task_node*> tasks;  ///< each behind those that it waits for, otherwise in program order
  std::vector<detail::task_node*> roots;
  std::vector<detail::task_node*> timed;  ///< some of them, whose bodies are timed in every replay
  std::uint64_t sinks = 0;
  std::vector<graph::recorded_task> parts;
  std::vector<std::uintptr_t> followers;
  std::vector<graph::recorded_value> values;
  std::vector<graph::region> homes;
  bool bound = false;
  graph::replay_times times;

  mutex turn;
  scope members{nullptr, scope::creators::many};
};

namespace graph {

/// Takes the tasks of a context that is being recorded.
class recorder final : public ready_sink {
 public:
  recorder();
  ~recorder();
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;

  /// The context whose tasks are recorded.
  context& creator() { return creator_; }
  /// Records a task; takes the callable in any case. Throws std::bad_alloc or `error`; then there is no such task.
  void add(const detail::task_storage& storage, const detail::task_description& what);
  /// No more tasks come. Throws std::bad_alloc.
  std::unique_ptr<recording::state> finish();

  void ready(detail::task_node* task) noexcept override;

 private:
  struct reduction {
    detail::task_node* task;
    recorded_value value;
  };

  std::unique_ptr<recording::state> made_;
  context creator_;
  detail::task_node* roots_ = nullptr;  ///< chained by `stream`, the latest first
  std::vector<reduction> reductions_;
};

/// The node that a follower stands for, without its tags.
inline detail::task_node* node_of(std::uintptr_t follower) {
  return reinterpret_cast<detail::task_node*>(follower & ~std::uintptr_t{3});
}
inline recorded_task& part_of(detail::task_node& task) {
  return *reinterpret_cast<recorded_task*>(task.followers.load(std::memory_order_relaxed));
}

/// Sets a recorded task's reduction values to the identity.
void begin_values(detail::task_node& task) noexcept;
/// A recorded task failed, in a replay that runs in program order: so does what needs its data.
void fail_followers(detail::task_node& task) noexcept;
/// A recorded task is done: what follows it has one blocker less. Gives whether nothing does.
bool end_recorded(detail::task_node& task, ready_sink& sink) noexcept;

}  // namespace graph
}  // namespace maslin
