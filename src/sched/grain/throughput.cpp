#include "sched/grain/throughput.hpp"

#include <algorithm>

namespace maslin::grain {

void accumulate(std::vector<kernel_record>& to, std::span<const kernel_record> from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t id = 0; id < from.size(); ++id) {
    to[id].executions += from[id].executions;
    to[id].completed += from[id].completed;
    to[id].untimed += from[id].untimed;
    to[id].one_worker += from[id].one_worker;
    to[id].one_worker_seconds += from[id].one_worker_seconds;
    to[id].worker_seconds += from[id].worker_seconds;
    to[id].stream_seconds += from[id].stream_seconds;
    to[id].squares += from[id].squares;
  }
}

double kernel_record::mean() const {
  if (one_worker > 0) return one_worker_seconds / static_cast<double>(one_worker);
  return completed > untimed ? worker_seconds / timed() : 0;
}

void kernel_times::add(std::span<const kernel_record> records) {
  accumulate(seen_, records);
  scatters_.resize(seen_.size());
  for (std::size_t id = 0; id < records.size(); ++id) {
    const kernel_record& k = records[id];
    const double executions = k.timed_executions();
    if (executions < 2 || k.worker_seconds <= 0) continue;
    const double relative = k.squares * k.timed() / (k.worker_seconds * k.worker_seconds) - 1;
    scatters_[id].squares += executions * std::max(0.0, relative);
    scatters_[id].free += executions - 1;
  }
}

double kernel_times::spread(std::size_t kernel) const {
  if (kernel >= scatters_.size() || scatters_[kernel].free <= 0) return 0;
  return scatters_[kernel].squares / scatters_[kernel].free;
}

double kernel_times::work_of(std::size_t kernel, const kernel_record& record) const {
  return static_cast<double>(record.completed) * mean(kernel);
}

double kernel_times::work(std::span<const kernel_record> records) const {
  double seconds = 0;
  for (std::size_t id = 0; id < records.size(); ++id) seconds += work_of(id, records[id]);
  return seconds;
}

double kernel_times::mean_execution() const {
  std::uint64_t executions = 0;
  for (const kernel_record& k : seen_) executions += k.executions;
  return executions > 0 ? work(seen_) / static_cast<double>(executions) : 0;
}

}  // namespace maslin::grain
