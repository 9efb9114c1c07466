// The tiled Cholesky factorization of docs/policies/graph.md: graph [TILES [SIZE]]. Gives 1 if L times its transpose is
// not the matrix that it began with.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <maslin/maslin.hpp>
#include <vector>

namespace ms = maslin;

using tile = ms::tile<double>;
using const_tile = ms::tile<const double>;

/// a = L Lᵀ, in place; L is lower.
void potrf(tile a) {
  for (std::size_t k = 0; k < a.cols; ++k) {
    a(k, k) = std::sqrt(a(k, k));
    for (std::size_t i = k + 1; i < a.rows; ++i) a(i, k) /= a(k, k);
    for (std::size_t j = k + 1; j < a.cols; ++j)
      for (std::size_t i = j; i < a.rows; ++i) a(i, j) -= a(i, k) * a(j, k);
  }
}
/// b = b L⁻ᵀ
void trsm(const_tile l, tile b) {
  for (std::size_t k = 0; k < b.cols; ++k) {
    for (std::size_t i = 0; i < b.rows; ++i) b(i, k) /= l(k, k);
    for (std::size_t j = k + 1; j < b.cols; ++j)
      for (std::size_t i = 0; i < b.rows; ++i) b(i, j) -= b(i, k) * l(j, k);
  }
}
/// c = c - a bᵀ
void gemm(const_tile a, const_tile b, tile c) {
  for (std::size_t k = 0; k < a.cols; ++k)
    for (std::size_t j = 0; j < c.cols; ++j)
      for (std::size_t i = 0; i < c.rows; ++i) c(i, j) -= a(i, k) * b(j, k);
}
void syrk(const_tile a, tile c) { gemm(a, a, c); }

int main(int argc, char** argv) {
  const std::size_t tiles = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 6;
  const std::size_t size = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 64;
  const std::size_t n = tiles * size;
  std::vector<double> a(n * n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i)
      a[i + j * n] = i == j ? 2.0 * static_cast<double>(n) : 1.0 / (1.0 + double(i + j));
  const std::vector<double> before = a;
  const auto at = [&](std::size_t i, std::size_t j) { return tile{a.data() + i * size + j * size * n, size, size, n}; };

  for (std::size_t k = 0; k < tiles; ++k) {
    ms::task(potrf, ms::inout(at(k, k)));
    for (std::size_t i = k + 1; i < tiles; ++i) ms::task(trsm, ms::in(at(k, k)), ms::inout(at(i, k)));
    for (std::size_t j = k + 1; j < tiles; ++j) {
      ms::task(syrk, ms::in(at(j, k)), ms::inout(at(j, j)));
      for (std::size_t i = j + 1; i < tiles; ++i)
        ms::task(gemm, ms::in(at(i, k)), ms::in(at(j, k)), ms::inout(at(i, j)));
    }
  }
  ms::wait();

  double worst = 0;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = j; i < n; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k <= j; ++k) sum += a[i + k * n] * a[j + k * n];
      worst = std::fmax(worst, std::fabs(sum - before[i + j * n]));
    }
  std::printf("largest difference: %.1e\n", worst);
  return worst < 1e-9 * static_cast<double>(n) ? 0 : 1;
}
