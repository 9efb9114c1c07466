#pragma once
// How a recorded program would scale: replays on ever more workers of a described machine, and what stands in the way.

#include <cstdint>
#include <string>
#include <vector>

#include "critical.hpp"
#include "maslin/machine.hpp"
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
  double burdened_span = 0;  ///< the least with what the runtime takes, on these or any power of two of workers
  double memory_bytes = 0;   ///< that bodies move to and from memory, as far as is known
  std::vector<point> points;
  std::vector<line_share> lines;    ///< what held up the last point
  std::vector<std::string> unsaid;  ///< keys of the description that are counted as nothing
};

const char* to_string(scaling::limit by);

/// Gives the keys that a replay on a machine of CPU cores asks for and that its description does not have. A speed
/// counts as 1, the time of a signal (dispatch.handover_us, latencies of links) as nothing.
std::vector<std::string> unsaid_of(const maslin::machine::machine_spec& machine);

/// Replays on each number of workers, in order. Bodies move to and from memory what the recording says (traffic.hpp).
/// Throws `maslin::error`.
scaling scale(const recorded& program, const std::string& machine, const std::vector<int>& workers,
              const std::string& loops, bool trimmed);
