#pragma once
// Which source lines a run's time went to: at every moment the time is divided among the workers that compute, so what
// runs alone counts whole (Du Bois et al., Criticality Stacks, ISCA 2013).

#include <string>
#include <vector>

#include "maslin/trace.hpp"

struct line_share {
  std::string line;   ///< of a task or loop, or the name of a kernel or phase; empty: the program itself
  std::string after;  ///< of the program itself: the line of its last call before; empty: before its first
  double share;       ///< of the run's time
};

/// Gives the lines of a trace, those with the largest share first.
std::vector<line_share> critical_lines(const maslin::trace::file& trace);
