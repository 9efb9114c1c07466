#include "sweep/problem.hpp"

#include <cmath>

namespace sweep {

std::vector<angle> quadrature(int angles) {
  const auto direction = [](double mu, double eta, double weight) {
    return angle{mu, eta, std::sqrt((1.0 - mu * mu) - eta * eta), weight / 8};
  };
  if (angles == 3) {
    constexpr double low = .30163878, high = .90444905, weight = 1.0 / 3.0;
    return {direction(low, high, weight), direction(high, low, weight), direction(low, low, weight)};
  }
  constexpr double low = .23009194, middle = .68813432, high = .94557676, corner = .16944656, edge = .16388677;
  return {direction(low, high, corner), direction(middle, middle, edge), direction(low, middle, edge),
          direction(high, low, corner), direction(middle, low, edge),    direction(low, low, corner)};
}

problem::problem(const deck& of) : with(of), angles(quadrature(of.angles)) {
  // The middle third of each axis; where that has a mirror, the third of what would be the whole.
  for (std::size_t n = 0; n < 3; ++n) {
    const int third = of.cells[n] >= 3 ? (of.cells[n] + 1) / 3 : 0;
    source_first[n] = of.reflective[n] ? 0 : third;
    source_last[n] = of.reflective[n] ? third : of.cells[n] - third;
  }
}

material problem::at(int i, int j, int k) const {
  const std::array<int, 3> cell = {i, j, k};
  bool in_source = true;
  for (std::size_t n = 0; n < 3; ++n) in_source &= cell[n] >= source_first[n] && cell[n] < source_last[n];
  return {1.0, {.5, 3 * .2}, in_source ? 1.0 : 0.0};
}

}  // namespace sweep
