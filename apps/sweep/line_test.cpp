#include "sweep/line.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "sweep/cell.hpp"

namespace sweep {
namespace {

struct named {
  const char* name;
  const line_kernels* kernels;
};

std::vector<named> kernels_that_run_here() {
  std::vector<named> all = {{"baseline", &baseline_lines}};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) all.push_back({"avx2", &avx2_lines});
  if (&choose_lines() == &avx512_lines) all.push_back({"avx512", &avx512_lines});
#endif
  return all;
}

/// A line whose source comes and goes, so that fluxes become negative and are fixed.
class fixture {
 public:
  fixture(int cells, int angles, int moments, int octant)
      : of_(deck{}), towards_(of_, octant, 0, angles), cells_(cells), angles_(angles), moments_(moments) {
    const auto n = static_cast<std::size_t>(cells), lanes = static_cast<std::size_t>(lanes_of(angles));
    widths_.assign(n, 2 / .4);
    total_.assign(n, 1.25);
    for (std::size_t m = 0; m < 4; ++m) {
      source_[m].resize(n);
      flux_[m].assign(n, .5);
      for (std::size_t c = 0; c < n; ++c)
        source_[m][c] = m == 0 ? static_cast<double>(c / 3 % 2) : .02 * static_cast<double>(c % 5);
    }
    for (auto& one : current_) one.assign(n, -.25);
    i_.assign(static_cast<std::size_t>(angles), .01);
    for (std::size_t c = 0; c < n; ++c) {
      j_.insert(j_.end(), lanes, c % 7 == 2 ? 1.0 : 0.0);
      k_.insert(k_.end(), lanes, .1);
    }
  }

  std::int64_t sweep(line_kernel kernel) {
    line l{cells_, widths_.data(), 2 / .3, 2 / .2, total_.data(), {}, {}, {}, i_.data(), j_.data(), k_.data()};
    for (std::size_t m = 0; m < static_cast<std::size_t>(moments_); ++m) {
      l.source[m] = source_[m].data();
      l.flux[m] = flux_[m].data();
    }
    for (std::size_t n = 0; n < 3; ++n) l.current[n] = current_[n].data();
    return kernel(l, towards_);
  }

  /// The same, cell by cell.
  std::int64_t sweep_cells(bool fixups) {
    const int lanes = lanes_of(angles_);
    std::int64_t fixed = 0;
    for (int m = 0; m < angles_; ++m)
      for (int step = 0; step < cells_; ++step) {
        const auto c = static_cast<std::size_t>(towards_.towards.i > 0 ? step : cells_ - 1 - step);
        const auto lane = c * static_cast<std::size_t>(lanes) + static_cast<std::size_t>(m);
        double source = source_[0][c];
        for (std::size_t n = 1; n < static_cast<std::size_t>(moments_); ++n)
          source += towards_.harmonic[n][m] * source_[n][c];
        const cell_flux f = solve_cell({source, total_[c], towards_.mu[m] * widths_[c], towards_.eta[m] * (2 / .3),
                                        towards_.xi[m] * (2 / .2), i_[static_cast<std::size_t>(m)], j_[lane], k_[lane]},
                                       fixups);
        fixed += f.fixed ? 1 : 0;
        i_[static_cast<std::size_t>(m)] = f.i;
        j_[lane] = f.j;
        k_[lane] = f.k;
        for (std::size_t n = 0; n < static_cast<std::size_t>(moments_); ++n)
          flux_[n][c] += towards_.weight[n][m] * f.mean;
        current_[0][c] += towards_.along[0][m] * f.i;
        current_[1][c] += towards_.along[1][m] * f.j;
        current_[2][c] += towards_.along[2][m] * f.k;
      }
    return fixed;
  }

  /// Everything that was written, without the lanes that are left over.
  std::vector<double> results() const {
    std::vector<double> all = i_;
    for (const auto& one : flux_) all.insert(all.end(), one.begin(), one.end());
    for (const auto& one : current_) all.insert(all.end(), one.begin(), one.end());
    for (std::size_t n = 0; n < j_.size(); ++n)
      if (static_cast<int>(n) % lanes_of(angles_) < angles_) {
        all.push_back(j_[n]);
        all.push_back(k_[n]);
      }
    return all;
  }

  double& total_of_cell(std::size_t c) { return total_[c]; }

 private:
  problem of_;
  directions towards_;
  int cells_, angles_, moments_;
  std::vector<double> widths_, total_, source_[4], flux_[4], current_[3], i_, j_, k_;
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

template <class Do>
void each_case(const Do& act) {
  for (const named& one : kernels_that_run_here())
    for (const int angles : {1, 2, 3, 6})
      for (const int moments : {1, 4})
        for (const bool fixups : {false, true})
          for (const int cells : {1, 5, 8, 50, 64, 131})
            for (const int octant : {0, 6}) {
              SCOPED_TRACE(testing::Message() << one.name << ", " << angles << " angles, " << moments << " moments, "
                                              << cells << " cells, octant " << octant << (fixups ? ", fixups" : ""));
              act(one.kernels->of(angles, moments, fixups), cells, angles, moments, octant, fixups);
            }
}

TEST(line, gives_the_bits_of_its_cells_one_by_one_with_all_instructions) {
  std::int64_t fixed_in_all = 0;
  each_case([&](line_kernel kernel, int cells, int angles, int moments, int octant, bool fixups) {
    fixture at_once(cells, angles, moments, octant), one_by_one = at_once;
    const std::int64_t fixed = at_once.sweep(kernel);
    EXPECT_EQ(fixed, one_by_one.sweep_cells(fixups));
    EXPECT_TRUE(same_bits(at_once.results(), one_by_one.results()));
    fixed_in_all += fixed;
  });
  EXPECT_GT(fixed_in_all, 100);
}

TEST(line, gives_other_bits_if_a_cell_is_made_of_something_else) {
  each_case([&](line_kernel kernel, int cells, int angles, int moments, int octant, bool) {
    fixture right(cells, angles, moments, octant), wrong = right;
    wrong.total_of_cell(static_cast<std::size_t>(cells) / 2) *= 1 + 1e-13;
    right.sweep(kernel);
    wrong.sweep(kernel);
    EXPECT_FALSE(same_bits(right.results(), wrong.results()));
  });
}

TEST(cell, lets_nothing_negative_out_when_fixed_and_stays_in_balance) {
  int fixed = 0;
  for (int n = 0; n < 5000; ++n) {
    const auto number = [n](int which) { return std::fmod(1 + n * (0.618 + which * 0.137), 1.0); };
    const cell_equation e{number(0) * .1,    .5 + number(1),        1 + 9 * number(2), 1 + 9 * number(3),
                          1 + 9 * number(4), number(5) * number(6), number(7),         number(8) * number(9)};
    const cell_flux f = solve_cell(e, true);
    EXPECT_GE(std::min({f.i, f.j, f.k}), 0);
    const double leaves = e.ci * (f.i - e.i) + e.cj * (f.j - e.j) + e.ck * (f.k - e.k);
    EXPECT_NEAR(e.total * f.mean + leaves / 2, e.source, 1e-13);
    fixed += f.fixed ? 1 : 0;
  }
  EXPECT_GT(fixed, 1000);
  EXPECT_LT(fixed, 5000);
}

}  // namespace
}  // namespace sweep
