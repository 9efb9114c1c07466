#pragma once
// Four problems that fork and join all the way down, and their answers; each runtime solves them in its own words. What
// is computed between forks is in problems.cpp, which one compiler compiles for all: some runtimes want another one.

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace bench::forks {

/// Each call forks one of its two halves.
inline constexpr int fib_of = 30;
inline constexpr long fib_answer = 832'040;

/// A tree in which each node forks ten children, down to a million leaves; the sum of the leaves' numbers.
inline constexpr long skynet_leaves = 1'000'000;
inline constexpr long skynet_children = 10;
inline constexpr long skynet_answer = skynet_leaves * (skynet_leaves - 1) / 2;

/// In how many ways queens stand on a board without attacking each other; each row forks one call a free column.
inline constexpr int queens = 12;
inline constexpr long queens_answer = 14'200;

struct board {
  struct some_columns {
    std::array<signed char, queens> columns{};
    int count = 0;

    const signed char* begin() const { return columns.data(); }
    const signed char* end() const { return begin() + count; }
  };
  std::array<signed char, queens> columns{};  ///< of the rows above

  some_columns free_in(int row) const;
  board with(int row, int column) const {
    board next = *this;
    next.columns[static_cast<std::size_t>(row)] = static_cast<signed char>(column);
    return next;
  }
};

/// c += a b in quarters: four products, then the other four; the leaves are loops.
inline constexpr int matrix_rows = 1024;
inline constexpr int leaf_rows = 32;

void multiply_leaf(const double* a, const double* b, double* c, int n);

/// Where a quarter of a matrix of n rows begins.
inline std::ptrdiff_t quarter(int n, int row, int column) { return (row * matrix_rows + column) * (n / 2); }

/// Small whole numbers, so that every order of additions gives the same product.
struct product {
  std::vector<double> a, b, c;

  product() : a(size()), b(size()), c(size()) {
    for (std::size_t i = 0; i < size(); ++i) {
      a[i] = static_cast<double>(i * 7 % 11) - 5;
      b[i] = static_cast<double>(i * 3 % 13) - 6;
    }
  }
  static constexpr std::size_t size() { return static_cast<std::size_t>(matrix_rows) * matrix_rows; }

  void reset() { std::fill(c.begin(), c.end(), 0.0); }
  /// Whether c x = a (b x) for a vector that tells all columns apart.
  bool right() const {
    const auto times = [](const std::vector<double>& m, const std::vector<double>& x) {
      std::vector<double> y(matrix_rows);
      for (std::size_t i = 0; i < matrix_rows; ++i)
        for (std::size_t j = 0; j < matrix_rows; ++j) y[i] += m[i * matrix_rows + j] * x[j];
      return y;
    };
    std::vector<double> x(matrix_rows);
    for (std::size_t j = 0; j < matrix_rows; ++j) x[j] = static_cast<double>(j + 1);
    return times(c, x) == times(a, times(b, x));
  }
};

}  // namespace bench::forks
