#pragma once
// The slopes of the log-likelihood by all exchange rates and frequencies at once, from one walk over the branches: what
// a model of amino acids with 189 free rates is fitted with.

#include <cstddef>
#include <vector>

#include "phylo/model/model.hpp"
#include "phylo/model/spectrum.hpp"

namespace phylo {

/// Derivatives of a log-likelihood by the numbers of its model, and what is expected to have happened on the tree.
struct ModelSlopes {
  std::vector<double> by_rate;       ///< by the model's rates, each for itself
  std::vector<double> by_frequency;  ///< each for itself: as if they need not sum to 1
  std::vector<double> changes;  ///< by rate: changes between the two states, counted or as the rate says: the larger
  std::vector<double> draws;    ///< by state: how often it was drawn, at the root or by a change
};

/// Adds up what branches say of the rate matrix Q. With Q = U diag(v) U^-1 the derivative of e^(Qt) is U (W x (U^-1 dQ
/// U)) U^-1, where W[k][l] = (e^(v[k] t) - e^(v[l] t)) / (v[k] - v[l]) is multiplied element by element (Kalbfleisch
/// and Lawless 1985). So all that a branch has to say is the sum over patterns of what arrives from its ends,
/// eigenvector by eigenvector.
class BranchProducts {
 public:
  /// Products come in matrices of so many `rows`, of which the model's states are the first ones.
  BranchProducts(const Model& model, const Spectrum& spectrum, int rows);

  /// Adds a branch of that length: [category][k][l], k of its upper end, l of its lower end; `turned`: the other way
  /// round. All branches must point away from one root: frequencies make a change and its reverse unequally probable.
  void add(double length, const double* products, bool turned);
  /// Adds the branch at whose upper end the root is.
  void add_root(double length, const double* products, bool turned);

  /// Gives the slopes. `invariant` says for each state what its frequency gains from sites that never change.
  ModelSlopes slopes(const std::vector<double>& invariant) const;

 private:
  const Model& model_;
  const Spectrum& spectrum_;
  std::size_t n_, rows_;
  std::vector<double> category_rates_;
  Matrix sum_;                ///< of W x products
  std::vector<double> root_;  ///< by state: sites at whose root it is expected
};

}  // namespace phylo
