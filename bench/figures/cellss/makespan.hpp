#pragma once
// How long an application takes on described workers with local stores under bundles (the paper's figure 12), in time
// that passes from event to event: transfers delay tasks, and tasks transfers.
//
//     host: prepares bundles ──▶ worker: stage-in ──▶ kernel ──▶ stage-out ──▶ call-back ──▶ host
//                                           └──────── bus ───────────┘
//
// The host does one thing at a time: it builds a bundle, or takes a call-back. While a worker runs a bundle, its next
// one is prepared. The main thread creates tasks beside it.

#include <cstdint>
#include <vector>

#include "application.hpp"
#include "sched/place/bundles.hpp"

namespace cellss {

/// What a worker does to shorten a bundle's time (section 5.3).
struct techniques {
  bool minimal_stage_out = false;  ///< what a later task of the bundle overwrites stays in the store
  bool early_call_back = false;    ///< after a task with several successors, and not with the bundle's end
  bool cache = false;
  bool double_buffering = false;  ///< the next task's data come, and the last one's go, while a kernel runs
};

/// The machine. Times are in nanoseconds.
struct described_machine {
  int workers = 1;
  double bus_bytes_per_ns = 25.6;
  double schedule_ns = 1000;  ///< of the host, for each task of a bundle
  double signal_ns = 500;     ///< of the host, for a call-back
  double create_ns = 0;       ///< of the main thread, for a task; 0: four are created at once for each that is done
  double unrolled = 0.1;      ///< so much of the graph is there when the first task runs
  double spread = 0;          ///< a kernel takes its time times 1 - spread to 1 + spread, drawn evenly
  std::uint64_t cache_bytes = std::uint64_t{128} << 10;
  std::vector<double> kernel_ns;  ///< by the application's kernels
};

struct time_line {
  double ns = 0;
  double kernel_ns = 0;     ///< of all workers together
  double host_ns = 0;       ///< that the host was busy
  std::uint64_t bytes = 0;  ///< on the bus
  std::uint64_t call_backs = 0;
  std::uint64_t tasks = 0;
};

/// The same each time. Throws `std::logic_error` if a task ran before its data, or not at all.
time_line run_in_time(const application& app, const described_machine& machine, const techniques& on,
                      const maslin::place::bundle_settings& how = {});

/// Gives how long each kernel takes at so many floating-point operations a nanosecond, for blocks of `block` x `block`:
/// matmul and choleskyC. Throws `std::invalid_argument` for other applications.
std::vector<double> kernel_times(const application& app, int block, double flops_per_ns);

}  // namespace cellss
