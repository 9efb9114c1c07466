#include "phylo/model/gamma.hpp"

#include <boost/math/special_functions/gamma.hpp>

namespace phylo {

namespace {

namespace policies = boost::math::policies;
// Doubles are precise enough; by itself Boost computes in long double, which takes several times as long.
constexpr policies::policy<policies::promote_double<false>> in_double;

}  // namespace

double log_gamma(double x) { return boost::math::lgamma(x, in_double); }

double gamma_probability(double shape, double x) { return boost::math::gamma_p(shape, x, in_double); }

double gamma_quantile(double shape, double probability) {
  return boost::math::gamma_p_inv(shape, probability, in_double);
}

std::vector<double> discrete_gamma(double shape, int categories, bool medians) {
  std::vector<double> rates(static_cast<std::size_t>(categories), 1.0);
  if (medians) {
    double sum = 0;
    for (int i = 0; i < categories; ++i)
      sum += rates[static_cast<std::size_t>(i)] = gamma_quantile(shape, (i + 0.5) / categories);
    for (double& rate : rates) rate *= categories / sum;
    return rates;
  }
  // The mean of x over (a, b) of a gamma density of shape s is that of the density of shape s + 1, times s.
  double below = 0;
  for (int i = 0; i < categories; ++i) {
    const double upto =
        i + 1 == categories ? 1 : gamma_probability(shape + 1, gamma_quantile(shape, double(i + 1) / categories));
    rates[static_cast<std::size_t>(i)] = categories * (upto - below);
    below = upto;
  }
  return rates;
}

}  // namespace phylo
