#pragma once
// A trace of a program on one worker: one that is there, or one that is recorded now.

#include <optional>
#include <string>
#include <vector>

#include "cli/shared/scratch_folder.hpp"

struct one_worker_trace {
  std::string path;
  std::optional<double> cpu_share;  ///< of the time of a run that was recorded now, the part in which it had a CPU
};

/// Gives the trace that the words name: a trace, or that of a program with its arguments, which runs on one worker and
/// leaves its trace in `folder`. Throws `maslin::error` if it fails or never calls Maslin.
one_worker_trace trace_on_one_worker(const std::vector<std::string>& words, command::scratch_folder& folder);

struct trace_beside {
  std::string path;
  int copies = 0;
};

/// Gives the trace of a program that runs on one CPU while copies of it run on all others that this process may use,
/// again and again. Throws also where there is no other CPU, and for a trace.
trace_beside trace_beside_copies(const std::vector<std::string>& program, command::scratch_folder& folder);

/// Do the words name a trace, and no program?
bool names_trace(const std::vector<std::string>& words);
