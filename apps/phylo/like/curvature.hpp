#pragma once
// What `maximize` remembers of a function.

#include <vector>

namespace phylo {

/// What is known of a function's curvature around its maximum. Kept from one maximization to the next, it spares the
/// calls that finding it out takes; an empty one is filled.
struct Curvature {
  std::vector<double> inverse;  ///< of minus the second derivatives, row by row
};

}  // namespace phylo
