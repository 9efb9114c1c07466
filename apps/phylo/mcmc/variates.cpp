#include "phylo/mcmc/variates.hpp"

#include <cmath>

#include "phylo/model/gamma.hpp"

namespace phylo {

double normal(Random& random) {
  while (true) {
    const double x = 2 * random.uniform() - 1, y = 2 * random.uniform() - 1;
    const double square = x * x + y * y;
    if (square > 0 && square < 1) return x * std::sqrt(-2 * std::log(square) / square);
  }
}

double gamma_variate(Random& random, double shape) {
  if (shape < 1) {
    const double larger = gamma_variate(random, shape + 1);
    return larger * std::pow(open_uniform(random), 1 / shape);
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal(random);
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    // Not `<`: of a shape that is no number, or has no bound, none would ever be drawn.
    if (!(std::log(open_uniform(random)) >= 0.5 * x * x + d - d * v + d * std::log(v))) return d * v;
  }
}

void dirichlet(Random& random, const double* shapes, std::size_t count, double* out) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = gamma_variate(random, shapes[i]);
    sum += out[i];
  }
  for (std::size_t i = 0; i < count; ++i) out[i] /= sum;
}

double log_dirichlet(const double* x, const double* shapes, std::size_t count) {
  double total = 0, log_density = 0;
  for (std::size_t i = 0; i < count; ++i) {
    total += shapes[i];
    log_density += (shapes[i] - 1) * std::log(x[i]) - log_gamma(shapes[i]);
  }
  return log_density + log_gamma(total);
}

}  // namespace phylo
