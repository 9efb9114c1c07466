#pragma once
// Throughput as S-MGPS measures it: W = C/T (multigrain-cell, 6.2). The paper counts off-loads; here each completed
// kernel counts with its mean one-worker time, because the mix of kernels drifts within a phase (DESIGN section 8).

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace maslin::grain {

/// What throughputs count: `phase_report::unit`.
namespace unit {
inline constexpr std::string_view work = "worker-seconds of work";
inline constexpr std::string_view off_loads = "off-loads";
inline constexpr std::string_view streams = "streams";
}  // namespace unit

/// What happened to one kernel in a stretch of time. Kernels run on the host count like any other, at width 1. A loop
/// that a stream runs itself is a kernel that completes its iterations.
struct kernel_record {
  std::uint64_t executions = 0;   ///< at any width
  std::uint64_t completed = 0;    ///< in them: one each, of a loop its iterations
  std::uint64_t untimed = 0;      ///< of these, too small to be timed: part of what their stream does itself
  std::uint64_t one_worker = 0;   ///< of these, at width 1, and timed
  double one_worker_seconds = 0;  ///< time that those took, summed
  double worker_seconds = 0;      ///< time × width of every execution, summed
  double stream_seconds = 0;      ///< time of every execution, summed
  double squares = 0;             ///< (time × width)² of every execution over what it completed, summed

  /// Gives the mean one-worker time in seconds: of the executions at width 1; if there were none, the mean
  /// worker-seconds (time × width), which the overhead of sharing makes too large rather than too small; 0 if it never
  /// ran.
  double mean() const;
  /// Gives how much of what completed was timed.
  double timed() const { return static_cast<double>(completed - untimed); }
  /// Gives how many executions were timed.
  double timed_executions() const {
    return completed > 0 ? static_cast<double>(executions) * timed() / static_cast<double>(completed) : 0;
  }
};

/// Adds `from` to `to`, kernel by kernel; `to` grows as needed.
void accumulate(std::vector<kernel_record>& to, std::span<const kernel_record> from);

/// The mean one-worker time of each kernel (by id), learned from executions.
class kernel_times {
 public:
  /// Learns from what a stretch recorded; `records[id]` is the kernel of that id.
  void add(std::span<const kernel_record> records);

  /// Gives the kernel's mean one-worker time in seconds, as `kernel_record::mean`.
  double mean(std::size_t kernel) const { return kernel < seen_.size() ? seen_[kernel].mean() : 0; }

  /// Gives what a kernel's record is worth in seconds: what it completed, each with the kernel's mean one-worker time.
  double work_of(std::size_t kernel, const kernel_record& record) const;
  /// Gives C in seconds: the sum over all kernels.
  double work(std::span<const kernel_record> records) const;

  /// Gives the mean one-worker time in seconds of all executions that it has learned from; 0 if there were none.
  double mean_execution() const;

  /// Gives the variance of what one execution of the kernel takes, relative to the square of its mean: as executions of
  /// one stretch differ among each other. 0 if no stretch had two.
  double spread(std::size_t kernel) const;

 private:
  /// How far executions of one stretch were from their mean.
  struct scatter {
    double squares = 0;  ///< relative, summed over executions
    double free = 0;     ///< executions without one of each stretch
  };
  std::vector<kernel_record> seen_;
  std::vector<scatter> scatters_;  ///< by kernel id
};

}  // namespace maslin::grain
