#pragma once
// How answers are compared.

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "linalg/program.hpp"

namespace linalg {

/// Finds the element that is furthest off.
class comparison {
 public:
  /// Takes an element into account; its error is relative to `scale`.
  void add(std::size_t row, std::size_t column, double found, double expected, double scale) {
    double error = std::fabs(found - expected) / scale;
    if (std::isnan(error)) error = INFINITY;
    if (seen_ && !(error > error_)) return;
    seen_ = true;
    error_ = error, row_ = row, column_ = column, found_ = found, expected_ = expected;
  }
  check result(std::string what, double bound) const { return with_error(std::move(what), error_, bound); }
  /// The same where the error is that of the whole, such as a norm.
  check with_error(std::string what, double error, double bound) const;

 private:
  bool seen_ = false;
  double error_ = 0, found_ = 0, expected_ = 0;
  std::size_t row_ = 0, column_ = 0;
};

/// Compares the product of a lower and an upper triangular matrix with A. Both lie column by column, n x n. The error
/// of an element is relative to the norms of the row and the column that give it, which are, by Cauchy and Schwarz, no
/// less than the sum of the absolute values of the products.
template <class A>
comparison compare_product(const std::vector<double>& product, std::span<const double> row_norms,
                           std::span<const double> column_norms, std::size_t n, bool lower_half, A&& a) {
  comparison found;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = lower_half ? j : 0; i < n; ++i)
      found.add(i, j, product[j * n + i], a(i, j), row_norms[i] * column_norms[j]);
  return found;
}

/// Gives the norm of each row of a matrix of n rows and columns that lies column by column, and of each column.
std::vector<double> row_norms(std::span<const double> matrix, std::size_t n);
std::vector<double> column_norms(std::span<const double> matrix, std::size_t n);

}  // namespace linalg
