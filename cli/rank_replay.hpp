#pragma once
// Recorded ranks on the links of a described machine: what other links would change.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "exec/ranks/eager.hpp"
#include "rank_trace.hpp"

struct rank_wishes {
  std::string machine;          ///< path of the description
  int workers = 0;              ///< 0: all that the machine has
  std::string place = "block";  ///< block, cyclic, traffic
  std::string placement;        ///< where to write each rank's node, for maslin-mpirun; empty: nowhere
  /// Messages of up to so many are sent before they are received.
  std::int64_t eager_bytes = maslin::eager_bytes_in_a_process;
};

/// What the ranks take there, in seconds.
struct rank_times {
  std::string machine;     ///< its name
  double seconds = 0;      ///< as described
  double twice_bandwidth;  ///< with links of twice the bandwidth
  double half_startup;     ///< with links that begin in half the time
  double no_links;         ///< messages take no time
};

/// Throws `maslin::error` for a machine that cannot be described, or has not so many workers.
rank_times times_of(const recorded_ranks& ranks, const rank_wishes& how);

nlohmann::json as_json(const recorded_ranks& ranks, const rank_wishes& how, const rank_times& times);
void print(const recorded_ranks& ranks, const rank_times& times);
