#pragma once
// Which workers of a described machine share which instance of its main memory, or of a cache.

#include <algorithm>

#include "maslin/machine.hpp"

namespace maslin::memory {

/// Gives main memory if the description says how fast it is; otherwise null.
inline const machine::memory_spec* main_memory(const machine::machine_spec& machine) {
  const auto found = std::ranges::find_if(
      machine.memory, [](const auto& level) { return level.level == "memory" && level.bandwidth_gb_per_s; });
  return found == machine.memory.end() ? nullptr : &*found;
}

/// How a machine's workers use the instances of one level. Neighbours share one, and none reaches from node to node.
class instances {
 public:
  instances() = default;
  instances(const machine::memory_spec& level, const machine::machine_spec& machine)
      : shared_by_(level.shared_by), node_(machine.workers.count), workers_(node_ * machine.nodes) {}

  /// Gives the number of the one that a worker uses. Workers that are not described use the last one.
  int of_worker(int worker) const {
    worker = std::min(worker, workers_ - 1);
    const int of_a_node = (node_ + shared_by_ - 1) / shared_by_;
    return worker / node_ * of_a_node + worker % node_ / shared_by_;
  }
  /// Gives how many so many workers use, the first of the machine.
  int of_first(int workers) const { return of_worker(workers - 1) + 1; }
  int count() const { return of_first(workers_); }

  /// Gives one worker more than the last of those that share the worker's instance.
  int end(int worker) const {
    const int of_node = worker / node_ * node_;
    return std::min(of_node + (worker - of_node) / shared_by_ * shared_by_ + shared_by_, of_node + node_);
  }

 private:
  int shared_by_ = 1;
  int node_ = 1;
  int workers_ = 1;
};

}  // namespace maslin::memory
