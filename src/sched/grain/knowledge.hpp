#pragma once
// What was learned of a phase, for its next run: in this process, or in another on the same machine.

#include <cstdint>
#include <vector>

#include "maslin/phase.hpp"

namespace maslin::grain {

struct knowledge {
  struct known {
    configuration under;
    double throughput = 0;  ///< W
  };
  double kernel_seconds = 0;  ///< mean one-worker time of what was completed: the size of the input
  std::vector<known> best;    ///< from the best; the first is what was chosen
};

}  // namespace maslin::grain
