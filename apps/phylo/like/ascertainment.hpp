#pragma once
// Data from which sites that are the same in all taxa were left out: the likelihood of a site is that given that it is
// not (Lewis 2001). Each state has a column that all taxa share, behind the patterns; with S the sum of these columns'
// likelihoods, N sites gain -N ln(1 - S). One block of the loops holds these columns, and what it adds to the sum is
// this.

#include <algorithm>
#include <cmath>
#include <limits>

#include "phylo/like/state.hpp"

namespace phylo {

/// Gives 1 - S, kept above 0: where branches are so short, nothing but constant sites can be expected.
inline double chance_of_variation(double constant) {
  return std::max(1 - constant, std::numeric_limits<double>::epsilon());
}

/// Gives what the part's sites gain. `log_likelihood` is that of the constant columns, by their weights, which are 0
/// otherwise.
template <class LogLikelihood>
double ascertainment(PartState& part, LogLikelihood&& log_likelihood) {
  double constant = 0;
  for (std::size_t state = 0; state < static_cast<std::size_t>(part.model.states()); ++state) {
    double& weight = part.weights[part.first_constant() + state];
    weight = 1;
    constant += std::exp(log_likelihood());
    weight = 0;
  }
  return -part.sites_counted * std::log(chance_of_variation(constant));
}

/// Gives the derivatives of what the part's sites gain by the length of a branch, whose table and factors stand.
Slopes ascertainment_slopes(const PartState& part, const Sumtable& branch);

/// Takes the part's `logarithms`, of constant columns too, to those given that a site varies.
void ascertain_logarithms(PartState& part);

}  // namespace phylo
