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

}  // namespace maslin::base
