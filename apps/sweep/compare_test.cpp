#include "sweep/compare.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "sweep/reference.hpp"

namespace sweep {
namespace {

class comparing : public testing::Test {
 protected:
  static deck small() {
    deck d;
    d.cells = {6, 5, 4};
    d.epsi = -2;
    return d;
  }
  std::string told() const { return compare(of_, found_, expected_).wrong; }

  const problem of_{small()};
  const solution expected_ = solve_serially(of_);
  solution found_ = expected_;
};

TEST_F(comparing, finds_nothing_where_nothing_differs) {
  EXPECT_EQ(told(), "");
  EXPECT_TRUE(compare(of_, found_, expected_).holds());
}

TEST_F(comparing, names_the_flux_that_differs_most) {
  found_.flux[0][7] *= 1 + 1e-15;
  found_.flux[2][37] += 1e-3;  // 37 = 1 + 6 * (1 + 5 * 1)
  const comparison c = compare(of_, found_, expected_);
  EXPECT_EQ(c.different, 2);
  EXPECT_TRUE(c.wrong.starts_with("moment 2 of cell 1, 1, 1 is ")) << c.wrong;
}

TEST_F(comparing, takes_what_is_no_number_for_different) {
  found_.flux[1][3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(told().starts_with("moment 1 of cell 3, 0, 0 is nan; expected ")) << told();
}

TEST_F(comparing, sees_zeros_of_another_sign) {
  found_.flux[3][0] = 0.0;
  solution other = found_;
  other.flux[3][0] = -0.0;
  EXPECT_FALSE(compare(of_, found_, other).holds());
}

TEST_F(comparing, finds_fixups_errors_and_iterations_that_differ) {
  const char* const expected = "errors or fixups of the iterations are not those of the serial form";
  ++found_.iterations[1].fixups;
  EXPECT_EQ(told(), expected);
  found_ = expected_;
  found_.iterations[0].error *= 1 + 1e-15;
  EXPECT_EQ(told(), expected);
  found_ = expected_;
  found_.iterations.pop_back();
  EXPECT_EQ(told(), expected);
}

TEST_F(comparing, finds_a_balance_that_differs) {
  found_.leaving.i(7, 5, 2, 3) *= 1 + 1e-10;
  EXPECT_EQ(told(), "the balance is not that of the serial form");
}

}  // namespace
}  // namespace sweep
