// Many symmetric matrices of one size are factored, A = L L^T, tile by tile. The tasks of the first one are recorded;
// for the others they are replayed, which looks up no dependence and allocates nothing.

#include <maslin/maslin.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace ms = maslin;

using block = ms::tile<double>;
using const_block = ms::tile<const double>;
using matrix = std::vector<double>;  // column by column

constexpr std::size_t tiles = 8;
constexpr std::size_t extent = 64;  // rows and columns of a tile
constexpr std::size_t n = tiles * extent;

void factor_tile(block a) {
  for (std::size_t j = 0; j < a.cols; ++j) {
    for (std::size_t k = 0; k < j; ++k)
      for (std::size_t i = j; i < a.rows; ++i) a(i, j) -= a(i, k) * a(j, k);
    const double pivot = std::sqrt(a(j, j));
    for (std::size_t i = j; i < a.rows; ++i) a(i, j) /= pivot;
  }
}

/// Solves X L^T = A for X, which replaces A.
void solve_tile(const_block l, block a) {
  for (std::size_t j = 0; j < a.cols; ++j) {
    for (std::size_t k = 0; k < j; ++k)
      for (std::size_t i = 0; i < a.rows; ++i) a(i, j) -= a(i, k) * l(j, k);
    for (std::size_t i = 0; i < a.rows; ++i) a(i, j) /= l(j, j);
  }
}

/// A = A - B C^T
void subtract_product(const_block b, const_block c, block a) {
  for (std::size_t j = 0; j < a.cols; ++j)
    for (std::size_t k = 0; k < b.cols; ++k)
      for (std::size_t i = 0; i < a.rows; ++i) a(i, j) -= b(i, k) * c(j, k);
}

/// Creates the tasks that factor `a`. What the next column waits for goes first.
void factor(matrix& a) {
  const auto at = [&](std::size_t row, std::size_t column) {
    return block{&a[row * extent + column * extent * n], extent, extent, n};
  };
  for (std::size_t k = 0; k < tiles; ++k) {
    ms::task(factor_tile, ms::priority{2}, ms::inout(at(k, k)));
    for (std::size_t i = k + 1; i < tiles; ++i)
      ms::task(solve_tile, ms::priority{1}, ms::in(at(k, k)), ms::inout(at(i, k)));
    for (std::size_t j = k + 1; j < tiles; ++j)
      for (std::size_t i = j; i < tiles; ++i)
        ms::task(subtract_product, ms::priority{j == k + 1 ? 1 : 0}, ms::in(at(i, k)), ms::in(at(j, k)),
                 ms::inout(at(i, j)));
  }
}

/// Gives a symmetric matrix whose diagonal dominates.
matrix make(unsigned seed) {
  matrix a(n * n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j; i < n; ++i) {
      seed = seed * 1664525U + 1013904223U;
      a[i + j * n] = a[j + i * n] = i == j ? 2.0 * n : static_cast<double>(seed) / 4294967296.0;
    }
  return a;
}

/// Gives the largest element of |L (L^T x) - A x| for x = (1, ..., 1), relative to the diagonal.
double error_of(const matrix& l, const matrix& a) {
  std::vector<double> y(n), difference(n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j; i < n; ++i) y[j] += l[i + j * n];
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) difference[i] += l[i + j * n] * y[j];
    for (std::size_t j = 0; j < n; ++j) difference[i] -= a[i + j * n];
    largest = std::fmax(largest, std::fabs(difference[i]));
  }
  return largest / (2.0 * n);
}

int main() {
  constexpr unsigned matrices = 8;
  std::vector<matrix> factors;
  for (unsigned seed = 0; seed < matrices; ++seed) factors.push_back(make(seed));

  ms::recording tasks = ms::record([&] { factor(factors[0]); });  // runs them, too
  for (unsigned seed = 1; seed < matrices; ++seed) ms::replay(tasks, ms::rebind(factors[0], factors[seed]));

  for (unsigned seed = 0; seed < matrices; ++seed)
    if (const double error = error_of(factors[seed], make(seed)); !(error < 1e-12)) {
      std::printf("wrong: matrix %u is off by %g\n", seed, error);
      return 1;
    }
  std::printf("%u matrices of %zu x %zu factored, %zu tasks each\n", matrices, n, n, tasks.tasks());
}
