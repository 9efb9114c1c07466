#pragma once
// A part of an alignment's patterns, for an engine that computes them while engines of other ranks compute the rest.

#include <functional>
#include <span>
#include <vector>

#include "phylo/io/patterns.hpp"

namespace phylo {

/// Blocks of the engine's loops that follow each other.
struct Segment {
  int number = 0;  ///< from 0
  int of = 1;      ///< so many segments
  /// Gives the sum of all blocks of all segments, in index order, from the values of this one's blocks.
  std::function<double(std::span<const double> of_blocks)> sum;

  bool is_last() const { return number + 1 == of; }
};

/// Gives the first pattern of the segment of that number; of one behind the last, how many patterns there are.
int first_pattern(const Patterns& whole, int number, int segments);

/// Gives how many blocks of patterns each segment has; some have none if there are more segments than blocks. The
/// constant columns of an ascertained model are a further block of the last one.
std::vector<int> blocks_of_segments(const Patterns& whole, int segments);

/// Gives 0 + the first value + the second one and so on, as loops combine their blocks.
double sum_in_order(std::span<const double> of_blocks);

}  // namespace phylo
