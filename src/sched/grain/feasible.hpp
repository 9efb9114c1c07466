#pragma once
// The configurations that right-sizing chooses among.

#include <cstdint>
#include <vector>

#include "maslin/phase.hpp"

namespace maslin::grain {

/// Gives every (streams p, width w) with p × w ≤ workers, w ≤ widest and p ≤ streams: the search space of S-MGPS
/// (multigrain-cell, 6.2), by width, then by streams. Counts above 16 go in four steps a doubling. For 8 workers and
/// widest 5 these are 17.
std::vector<configuration> feasible(int workers, std::int64_t streams, int widest);

/// Gives how many workers the configuration keeps busy.
constexpr int busy(configuration c) { return c.streams * c.width + c.wider; }

/// Does `a` leave more to others than `b`: fewer workers, or as many in narrower teams?
bool uses_less(configuration a, configuration b);

}  // namespace maslin::grain
