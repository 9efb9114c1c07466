#pragma once
// How a recorded program would scale: replays on ever more workers of a described machine, and what stands in the way.

#include <string>
#include <vector>

#include "critical.hpp"
#include "recorded.hpp"

struct scaling {
  enum class limit { none, span, memory, dispatch, imbalance };
  struct point {
    int workers;
    double seconds;
    double ideal;  ///< the same, if the runtime itself took no time
    limit by;      ///< what most of the distance to work / workers is due to
  };
  double work = 0;           ///< seconds, on one worker
  double span = 0;           ///< on as many as there can be, if the runtime took no time
  double burdened_span = 0;  ///< the same with what the runtime takes
  double memory_bytes = 0;   ///< that tasks name and that no cache of the machine holds; 0 if all fits
  std::vector<point> points;
  std::vector<line_share> lines;  ///< what held up the last point
};

const char* to_string(scaling::limit by);

/// Replays on each number of workers. Throws `maslin::error`.
scaling scale(const recorded& program, const std::string& machine, const std::vector<int>& workers,
              const std::string& loops, bool trimmed);
