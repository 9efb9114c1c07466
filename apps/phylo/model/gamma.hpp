#pragma once
// The gamma distribution, as far as rates over sites need it.

#include <vector>

namespace phylo {

/// Gives ln Gamma(x) for x > 0. Streams may call it at the same time.
double log_gamma(double x);

/// Gives P(shape, x), the regularized lower incomplete gamma function: the probability that a gamma variable of that
/// shape and scale 1 is at most x. shape > 0, x >= 0.
double gamma_probability(double shape, double x);

/// Gives the x with P(shape, x) = probability, for probabilities in [0, 1).
double gamma_quantile(double shape, double probability);

/// Gives the mean rates of `categories` equally probable parts of the gamma distribution with that shape and mean 1,
/// ascending (Yang 1994, equation 10); with `medians`, their medians, times what makes the mean of these 1 (the same,
/// page 308). Their mean is 1.
std::vector<double> discrete_gamma(double shape, int categories, bool medians = false);

}  // namespace phylo
