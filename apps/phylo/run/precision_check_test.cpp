#include "phylo/run/precision_check.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "phylo/io/error.hpp"

namespace {

using phylo::PrecisionCheck;

TEST(PrecisionCheck, KeepsTheLargestErrorThatIsTolerated) {
  PrecisionCheck check;
  for (const double error : {0.001, phylo::tolerated_error, 0.0}) check.add(5000, error);
  EXPECT_EQ(check.times, 3);
  EXPECT_EQ(check.largest_error, phylo::tolerated_error);
}

TEST(PrecisionCheck, RefusesChainsThatPartFromDoublePrecision) {
  for (const double error : {0.051, 3.0, std::numeric_limits<double>::quiet_NaN()}) {
    PrecisionCheck check;
    try {
      check.add(10000, error);
      ADD_FAILURE() << error;
    } catch (const phylo::input_error& e) {
      EXPECT_NE(std::string(e.what()).find("--precision single: at generation 10000 the log-likelihood of a chain is"),
                std::string::npos)
          << e.what();
    }
  }
}

}  // namespace
