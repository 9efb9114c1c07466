#pragma once
// How long an application takes where Maslin's engine runs its tasks, on the machine that MASLIN_MACHINE describes.

#include <string>
#include <vector>

#include "application.hpp"

namespace cellss {

struct engine_line {
  double ns = 0;
  int workers = 0;
  std::string report;  ///< of the run, JSON: what the local stores did
};

/// `kernel_ns`: by the application's kernels; declared, so that the run is the same each time. Throws
/// `std::invalid_argument` for a task with more than three accesses, and where no machine is described.
engine_line run_on_engine(const application& app, const std::vector<double>& kernel_ns);

}  // namespace cellss
