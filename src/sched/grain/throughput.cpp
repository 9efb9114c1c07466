#include "sched/grain/throughput.hpp"

namespace maslin::grain {

void accumulate(std::vector<kernel_record>& to, std::span<const kernel_record> from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t id = 0; id < from.size(); ++id) {
    to[id].completed += from[id].completed;
    to[id].one_worker += from[id].one_worker;
    to[id].one_worker_seconds += from[id].one_worker_seconds;
    to[id].worker_seconds += from[id].worker_seconds;
  }
}

double kernel_times::mean(std::size_t kernel) const {
  if (kernel >= seen_.size()) return 0;
  const kernel_record& k = seen_[kernel];
  if (k.one_worker > 0) return k.one_worker_seconds / static_cast<double>(k.one_worker);
  return k.completed > 0 ? k.worker_seconds / static_cast<double>(k.completed) : 0;
}

double kernel_times::work(std::span<const kernel_record> records) const {
  double seconds = 0;
  for (std::size_t id = 0; id < records.size(); ++id) seconds += static_cast<double>(records[id].completed) * mean(id);
  return seconds;
}

}  // namespace maslin::grain
