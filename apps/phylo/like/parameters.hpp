#pragma once
// The free parameters of a model as numbers that an optimizer may move between bounds.

#include <vector>

#include "phylo/like/gradient.hpp"
#include "phylo/like/quasi_newton.hpp"
#include "phylo/model/model.hpp"

namespace phylo {

/// Gives the parameters that are to be optimized, on scales where 1 is a large change: logarithms of rates and of the
/// shape, of ratios of frequencies to the last one and of free categories likewise, and the log-odds of the invariant
/// proportion.
std::vector<double> free_parameters(const Model& model);

/// Their bounds, in the same order.
Box parameter_bounds(const Model& model);

/// Whether the model has so many free rates and frequencies that slopes of all of them at once cost less than
/// differences. Those of an ascertained model are not known.
bool has_many_rates(const Model& model);

/// Gives what slopes by the model's numbers are by its free parameters, in the same order.
Known known_slopes(const Model& model, const ModelSlopes& slopes);

/// Gives the model with its free parameters set to these.
Model with_parameters(const Model& model, const std::vector<double>& values);

}  // namespace phylo
