#pragma once
// Log-likelihoods the plain way: what tests and benchmarks hold the engine against. Nothing here is shared with it but
// the model's numbers.

#include <cmath>
#include <cstdint>
#include <vector>

#include "phylo/io/patterns.hpp"
#include "phylo/model/model.hpp"
#include "phylo/model/spectrum.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo::reference {

using Partial = std::vector<long double>;

/// Felsenstein's pruning for one pattern at one rate, seen from the node of `h`. long double reaches down to 1e-4932.
inline Partial partial(const Patterns& patterns, const Spectrum& spectrum, const Tree& tree, HalfEdge h, int pattern,
                       double rate) {
  const std::size_t n = spectrum.values.size();
  Partial p(n, 1);
  if (tree.is_tip(h)) {
    const std::uint32_t set = patterns.alphabet->sets[patterns.row(h)[pattern]];
    for (std::size_t i = 0; i < n; ++i) p[i] = set >> i & 1;
    return p;
  }
  for (HalfEdge side = tree.next(h); side != h; side = tree.next(side)) {
    const Partial child = partial(patterns, spectrum, tree, tree.back(side), pattern, rate);
    const Matrix across = transition_matrix(spectrum, tree.length(side) * rate);
    for (std::size_t i = 0; i < n; ++i) {
      long double sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum += across[n * i + j] * child[j];
      p[i] *= sum;
    }
  }
  return p;
}

/// Likelihood of the invariant class for one pattern, without its weight.
inline double invariant_likelihood(const Patterns& patterns, const Model& model, int pattern) {
  std::uint32_t common = patterns.alphabet->all();
  for (int taxon = 0; taxon < patterns.taxa; ++taxon) common &= patterns.alphabet->sets[patterns.row(taxon)[pattern]];
  double sum = 0;
  for (std::size_t i = 0; i < model.frequencies.size(); ++i)
    if (common >> i & 1) sum += model.frequencies[i];
  return sum;
}

inline double log_likelihood(const Patterns& patterns, const Model& model, const Tree& tree, HalfEdge root);

/// What an ascertained model makes of sites that were left out, from its definition.
inline double ascertainment(const Patterns& patterns, const Model& model, const Tree& tree, HalfEdge root) {
  Model plain = model;
  plain.ascertainment = Ascertainment::complete;
  double constant = 0, sites = 0, of_each = 0;
  for (const std::uint32_t weight : patterns.weights) sites += weight;
  for (int state = 0; state < model.states(); ++state) {
    Patterns one = patterns;
    one.count = 1;
    one.weights = {1};
    one.codes.assign(static_cast<std::size_t>(one.taxa), patterns.alphabet->find_set(1U << state));
    const double likelihood = log_likelihood(one, plain, tree, root);
    constant += std::exp(likelihood);
    if (model.ascertainment == Ascertainment::stamatakis)
      of_each += model.constant_sites[static_cast<std::size_t>(state)] * likelihood;
  }
  if (model.ascertainment == Ascertainment::stamatakis) return of_each;
  if (model.ascertainment == Ascertainment::felsenstein) return model.constant_sites.front() * std::log(constant);
  return -sites * std::log(1 - constant);
}

inline double log_likelihood(const Patterns& patterns, const Model& model, const Tree& tree, HalfEdge root) {
  const std::vector<Spectrum> all = spectra(model);
  const std::size_t n = all.front().values.size();
  const std::vector<double> rates = category_rates(model), shares = category_shares(model);
  const double varying = model.with_invariant ? 1 - model.invariant : 1;
  long double lnl = 0;
  for (int pattern = 0; pattern < patterns.count; ++pattern) {
    long double likelihood =
        model.with_invariant ? model.invariant * invariant_likelihood(patterns, model, pattern) : 0;
    for (std::size_t r = 0; r < rates.size(); ++r) {
      const Spectrum& spectrum = all[all.size() == 1 ? 0 : r];
      const Partial near = partial(patterns, spectrum, tree, root, pattern, rates[r]);
      const Partial far = partial(patterns, spectrum, tree, tree.back(root), pattern, rates[r]);
      const Matrix across = transition_matrix(spectrum, tree.length(root) * rates[r]);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          likelihood += varying * shares[r] * spectrum.left[i] * near[i] * across[n * i + j] * far[j];
    }
    lnl += patterns.weights[static_cast<std::size_t>(pattern)] * std::log(likelihood);
  }
  if (model.ascertained()) lnl += ascertainment(patterns, model, tree, root);
  return static_cast<double>(lnl);
}

}  // namespace phylo::reference
