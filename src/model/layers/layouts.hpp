#pragma once
// Which layouts there are, and what the model says of each.

#include <cstdint>
#include <functional>
#include <vector>

#include "model/layers/prediction.hpp"

namespace maslin::layers {

/// A layout and what a phase would take in it.
struct candidate {
  layout at;
  prediction takes;
};

/// Gives the layouts of a phase of so many streams: ranks on a node that divide its workers evenly, streams up to those
/// there are, and widths. Of counts above 16 four a doubling, and always the largest.
std::vector<layout> layouts_of(const machine& m, std::int64_t streams, ranks_are ranks);

/// Gives the candidates of a phase, the fastest first; of those that are as fast, what uses fewer workers. `looked_at`
/// is called for each of the layouts.
std::vector<candidate> ranked(const phase& p, const machine& m, const std::vector<layout>& all, const wishes& w,
                              const std::function<void()>& looked_at = {});

}  // namespace maslin::layers
