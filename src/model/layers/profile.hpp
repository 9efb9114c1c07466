#pragma once
// What one sequential run says of a program (ps3-cluster, 4.2): for each run of a phase, its streams, and what each
// computes on a host, in kernels one after the other (Ts), and in loops that a team can share (Tp).

#include <cstdint>
#include <string>
#include <vector>

#include "model/layers/loop_time.hpp"

namespace maslin::layers {

/// Loops of one stream that have equally many blocks.
struct alike_loops {
  std::int64_t count = 0;
  std::int64_t blocks = 1;
  double seconds = 0;   ///< of all of them, on one worker
  double bytes_in = 0;  ///< that all of them read and write, where their blocks are tasks that name data
  double bytes_out = 0;
  double bytes_moved = 0;  ///< that all of them say they move (`ms::memory_traffic`), where they name none
};

struct stream {
  std::int64_t kernels = 0;            ///< off-loads
  double host = 0;                     ///< seconds outside kernels and loops
  double serial = 0;                   ///< seconds in kernels, outside loops
  std::vector<alike_loops> in_kernel;  ///< loops and tasks of kernels
  bool kernels_have_tasks = false;     ///< some of those are tasks, or streams of a phase inside a kernel
  std::vector<alike_loops> own;        ///< those outside kernels
  double host_squares = 0;             ///< sum of the squares of the seconds before each kernel
  double kernel_squares = 0;           ///< and of each kernel

  double parallel() const {
    double sum = 0;
    for (const auto* all : {&in_kernel, &own})
      for (const alike_loops& l : *all) sum += l.seconds;
    return sum;
  }
  double seconds() const { return host + serial + parallel(); }
};

/// One run of a phase: what lies between two collective operations.
struct phase_run {
  std::vector<stream> streams;
};

/// How much longer it takes for each other worker that computes at the time, as a part of what it takes where none
/// does: cores share more than memory. The form is α(p)'s.
struct neighbours {
  double code = 0;  ///< of streams and kernels, outside of loops
  double loops = 0;
};

struct phase {
  std::string name;
  std::vector<phase_run> runs;
  neighbours slowed_by = {};
};

struct profile {
  std::vector<phase> phases;
  double alone = 0;                   ///< seconds of the program's own, outside of phases and loops
  std::vector<alike_loops> between;   ///< loops and tasks outside of phases
  neighbours between_slowed_by = {};  ///< of which only loops have any
};

/// Messages of a program between two runs of a phase, as its user says: no trace has them.
struct messages {
  std::int64_t count = 0;  ///< a run of a phase
  double bytes = 0;        ///< each
};

}  // namespace maslin::layers
