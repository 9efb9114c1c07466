#include "phylo/mcmc/variates.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace phylo {
namespace {

TEST(Variates, OfShapesThatAreNoNumbersOrHaveNoBoundAreNone) {
  Random random(1);
  for (const double shape : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(std::isfinite(gamma_variate(random, shape)));
    const std::array<double, 2> shapes = {1, shape};
    std::array<double, 2> parts{};
    dirichlet(random, shapes.data(), 2, parts.data());
    EXPECT_TRUE(std::isnan(parts[1]));
  }
}

}  // namespace
}  // namespace phylo
