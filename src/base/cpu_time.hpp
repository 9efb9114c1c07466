#pragma once
// CPU time: what a process takes from a machine, beside how long it takes.

#include <ctime>

namespace maslin::base {

/// Gives the CPU time that all threads of this process have taken so far, in seconds. A system call.
inline double process_cpu_seconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Gives for how long a thread of this process has wanted a CPU so far and had none, in seconds; 0 where the system
/// does not say. Of a wait for one that has not ended yet it says nothing. Three system calls.
double seconds_without_cpu(int thread) noexcept;

}  // namespace maslin::base
