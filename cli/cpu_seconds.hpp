#pragma once
// CPU time, beside how long something takes.

#include <sys/resource.h>

#include <ctime>

inline double seconds_of_clock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Gives the CPU time that all threads of this process have taken so far, in seconds.
inline double process_cpu_seconds() { return seconds_of_clock(CLOCK_PROCESS_CPUTIME_ID); }

/// Gives that of the calling thread.
inline double thread_cpu_seconds() { return seconds_of_clock(CLOCK_THREAD_CPUTIME_ID); }

/// Gives that of all children of this process that have ended.
inline double cpu_seconds_of_children() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}
