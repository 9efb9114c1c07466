#pragma once
// Whether a recording of small tasks is replayed by its caller alone, in program order, or shared: by what replays
// took.

#include <algorithm>

#include "graph/recording.hpp"

namespace maslin::grain {

/// Had the next replay better be its caller's alone? `bodies`: what all bodies together are expected to take, in ticks;
/// 0: not known, or so much that it is shared in any case. The first replay is shared; now and then the other way is
/// tried, for it may be the better one by now.
inline bool replays_in_order(graph::replay_times& known, double bodies) noexcept {
  if (bodies <= 0 || known.shared == 0) return false;
  const double alone = known.in_order > 0 ? std::min<double>(known.in_order, bodies) : bodies;
  const bool in_order = alone < known.shared;
  constexpr int patient_at_first = 8;
  constexpr int most_patient = 1024;
  if (in_order != known.was_in_order) {
    known.was_in_order = in_order;
    known.patience = patient_at_first;
    known.since = 0;
  }
  if (++known.since < known.patience) return in_order;
  known.since = 0;
  known.patience = std::min(2 * known.patience, most_patient);
  return !in_order;
}

/// A replay took so long. One that others have disturbed does not count for more than twice what is usual.
inline void learn_replay(graph::replay_times& known, bool in_order, double ticks) noexcept {
  constexpr float memory = 4;
  float& mean = in_order ? known.in_order : known.shared;
  const auto now = static_cast<float>(ticks);
  mean = mean == 0 ? now : mean + (std::min(now, 2 * mean) - mean) / memory;
}

}  // namespace maslin::grain
