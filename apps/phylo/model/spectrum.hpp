#pragma once
// The rate matrix taken apart: everything that a branch length needs to become a matrix of probabilities.

#include <vector>

#include "phylo/model/model.hpp"

namespace phylo {

using Matrix = std::vector<double>;  ///< row by row, as many rows as states

/// Q = right * diag(values) * left with left * right = 1. values[0] is 0, the others are negative.
struct Spectrum {
  std::vector<double> values;
  Matrix right;  ///< [i][k]; the column k = 0 is all ones
  Matrix left;   ///< [k][j]; the row k = 0 is the frequencies
};

/// Gives the eigen-decomposition of the model's rate matrix, scaled to one expected substitution per unit of time. It
/// is made from the symmetric matrix D^1/2 Q D^-1/2 (D the frequencies), by Jacobi's rotations.
Spectrum decompose(const Model& model);

/// Gives those of a mixture's matrices, one for each category, or the one that all categories have.
std::vector<Spectrum> spectra(const Model& model);

/// Gives the model's rate matrix itself, scaled likewise.
Matrix rate_matrix(const Model& model);

/// Gives P(t): [i][j] is the probability that i has become j after time t >= 0.
Matrix transition_matrix(const Spectrum& spectrum, double t);

}  // namespace phylo
