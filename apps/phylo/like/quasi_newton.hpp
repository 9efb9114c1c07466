#pragma once
// Maximizing a smooth function of a few parameters between bounds, with few calls of the function.

#include <functional>
#include <limits>
#include <vector>

#include "phylo/like/curvature.hpp"

namespace phylo {

struct Box {
  std::vector<double> low, high;
};

/// What is known of a function at a point: its slopes, and about how strongly it bends (minus the second derivatives);
/// `unknown` where they are to be measured.
struct Known {
  std::vector<double> slopes, bends;
};
inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
/// Gives it of the point at which the function was called last.
using KnownSlopes = std::function<Known(const std::vector<double>&)>;

/// Moves `x` to a maximum of `f` and gives the value there; `value` is f(x) at the start. BFGS: steps along the
/// approximate inverse of the second derivatives, halved by parabolas until they gain; slopes by small
/// differences (so parameters should be scaled to make 1 a large change). A parameter that pushes against its bound
/// stays there. What `known` tells need not be measured. Ends when a step gains less than `epsilon`. The last call of
/// `f` is at the resulting `x`.
double maximize(const std::function<double(const std::vector<double>&)>& f, std::vector<double>& x, double value,
                const Box& box, double epsilon, Curvature& curvature, const KnownSlopes& known = {});

}  // namespace phylo
