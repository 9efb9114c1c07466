#pragma once
// Data from which sites that are the same in all taxa were left out. Each state has a column that all taxa share,
// behind the patterns. One block of the loops holds these columns, of likelihoods L_s with the sum S, and what it adds
// to the log-likelihood of N sites is this: -N ln(1 - S), so that likelihoods are those of a site given that it varies
// (Lewis 2001); or w ln S where w sites were left out (Felsenstein 1992); or sum over s of w_s ln L_s (Leaché et al.
// 2015).

#include <array>
#include <span>

#include "phylo/like/state.hpp"

namespace phylo {

/// Gives what the part gains, from the logarithms of the constant columns' likelihoods.
double gain_of_constant(const PartState& part, std::span<const double> logarithms);

/// The same. `log_likelihood` is that of the constant columns, by their weights, which are 0 otherwise.
template <class LogLikelihood>
double ascertainment(PartState& part, LogLikelihood&& log_likelihood) {
  std::array<double, most_states> logarithms;
  const auto states = static_cast<std::size_t>(part.model.states());
  for (std::size_t state = 0; state < states; ++state) {
    double& weight = part.weights[part.first_constant() + state];
    weight = 1;
    logarithms[state] = log_likelihood();
    weight = 0;
  }
  return gain_of_constant(part, {logarithms.data(), states});
}

/// Gives the derivatives of what the part gains by the length of a branch, whose table and factors stand.
Slopes ascertainment_slopes(const PartState& part, const Sumtable& branch);

/// Spreads what the part gains over the sites of its `logarithms`, which are known of the constant columns, too.
void ascertain_logarithms(PartState& part);

}  // namespace phylo
