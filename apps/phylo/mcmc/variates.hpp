#pragma once
// Random variables by algorithms that are stated here. The standard leaves those of std::gamma_distribution and others
// to each library, and Boost has changed its own between versions; a chain has to be the same with all of them.

#include <cstddef>

#include "phylo/search/random.hpp"

namespace phylo {

/// Gives a uniform variable in (0, 1].
inline double open_uniform(Random& random) { return 1 - random.uniform(); }

/// Gives a normal variable of mean 0 and variance 1 (Marsaglia's polar method, of whose pair one is used).
double normal(Random& random);

/// Gives a gamma variable of that shape > 0 and scale 1 (Marsaglia and Tsang 2000). It may be 0 for a small shape.
double gamma_variate(Random& random, double shape);

/// Writes a Dirichlet variable of these shapes to `out`, which may be the same array; its sum is 1.
void dirichlet(Random& random, const double* shapes, std::size_t count, double* out);

/// Gives the logarithm of the Dirichlet density of `x`.
double log_dirichlet(const double* x, const double* shapes, std::size_t count);

}  // namespace phylo
