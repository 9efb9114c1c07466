#pragma once
// The free parameters of a model as numbers that an optimizer may move between bounds.

#include <vector>

#include "phylo/like/quasi_newton.hpp"
#include "phylo/model/model.hpp"

namespace phylo {

/// Gives the parameters that are to be optimized, on scales where 1 is a large change: logarithms of rates and of the
/// shape, of ratios of frequencies to the last one and of free categories likewise, and the log-odds of the invariant
/// proportion.
std::vector<double> free_parameters(const Model& model);

/// Their bounds, in the same order.
Box parameter_bounds(const Model& model);

/// Gives the model with its free parameters set to these.
Model with_parameters(const Model& model, const std::vector<double>& values);

}  // namespace phylo
