// A = L L^T in two orders, with the same kernels.

#include <cmath>

#include "linalg/blocks.hpp"
#include "linalg/c/input.h"
#include "linalg/checks.hpp"
#include "linalg/kernels.hpp"
#include "linalg/lapack.hpp"
#include "linalg/program.hpp"
#include "maslin/maslin.hpp"

namespace linalg {

namespace ms = maslin;

namespace {

class cholesky : public program {
 public:
  explicit cholesky(matrix_size size) : size_(size), a_(size) {}

  void prepare() override {
    const auto n = static_cast<std::uint64_t>(size_.n);
    for (int i = 0; i < size_.blocks(); ++i)
      for (int j = 0; j <= i; ++j) {
        if (!a_.has(i, j)) a_.add(i, j);
        a_.fill(i, j, [n](std::size_t r, std::size_t c) { return input_symmetric(n, r, c); });
      }
  }

  /// The lower half, row by row.
  std::vector<float> answer() const override {
    std::vector<float> out;
    for (std::size_t i = 0; i < wide(); ++i)
      for (std::size_t j = 0; j <= i; ++j) out.push_back(a_(i, j));
    return out;
  }

  std::vector<check> verify(std::span<const float> answer) const override {
    const std::size_t n = wide();
    const auto input = [n](std::size_t i, std::size_t j) { return double{input_symmetric(n, i, j)}; };
    std::vector<double> l(n * n), product(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) l[j * n + i] = answer[i * (i + 1) / 2 + j];
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, size_.n, size_.n, 1, l.data(), size_.n, 0, product.data(),
                size_.n);
    const std::vector<double> norms = row_norms(l, n);
    const double roundings = rounding_bound(static_cast<double>(n) + 2);
    const check of_product = compare_product(product, norms, norms, n, true, input).result("A = L L^T", roundings);
    return {of_product, beside_lapack(l, std::move(product), roundings)};
  }

  std::string size() const override { return describe(size_); }
  double work() const override { return power(size_.n, 3) / 3 + power(size_.n, 2) / 2; }
  double bytes() const override { return 4.0 * power(size_.n, 2) + sizeof(float*) * power(size_.blocks(), 2); }
  double bytes_of_check() const override { return 2.0 * 8 * power(size_.n, 2); }

 protected:
  void update(int i, int k, int j) {
    ms::task(kernels.gemm_subtract_t, size_.block, a_.in(i, k), a_.in(j, k), a_.inout(i, j));
    ++tasks_;
  }
  void update_diagonal(int j, int k) {
    ms::task(kernels.syrk, size_.block, a_.in(j, k), a_.inout(j, j));
    ++tasks_;
  }
  void factor(int j) {
    ms::task(kernels.potrf, size_.block, ms::priority{1}, a_.inout(j, j));
    ++tasks_;
  }
  void solve(int i, int j) {
    ms::task(kernels.trsm, size_.block, a_.in(j, j), a_.inout(i, j));
    ++tasks_;
  }
  std::size_t wait() {
    ms::wait();
    return std::exchange(tasks_, 0);
  }
  int blocks() const { return size_.blocks(); }

 private:
  std::size_t wide() const { return static_cast<std::size_t>(size_.n); }

  /// Compares L with LAPACK's in double precision, as norms. For the first order of the perturbation, the norm of the
  /// difference is at most that of L times that of the inverse of A times that of the residual (Sun 1991), divided by
  /// sqrt(2). With the residual that is allowed, and the norms of A and its inverse that input.h gives (below 4 sqrt(n)
  /// and 2 / sqrt(n)), that is less than 4 sqrt(n) times the bound of the residual.
  check beside_lapack(const std::vector<double>& l, std::vector<double> exact, double roundings) const {
    const std::size_t n = wide();
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = j; i < n; ++i) exact[j * n + i] = input_symmetric(n, i, j);
    int row = 0;
    dpotrf_("L", &size_.n, exact.data(), &size_.n, &row);
    double squares = 0, off = 0;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = j; i < n; ++i) squares += exact[j * n + i] * exact[j * n + i];
    comparison found;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = j; i < n; ++i) {
        off += std::pow(l[j * n + i] - exact[j * n + i], 2);
        found.add(i, j, l[j * n + i], exact[j * n + i], std::sqrt(squares));
      }
    return found.with_error("L of dpotrf", row == 0 ? std::sqrt(off / squares) : INFINITY,
                            4 * std::sqrt(static_cast<double>(n)) * roundings);
  }

  matrix_size size_;
  block_matrix a_;
  std::size_t tasks_ = 0;
};

class by_columns final : public cholesky {
 public:
  using cholesky::cholesky;
  std::size_t run() override {
    for (int j = 0; j < blocks(); ++j) {
      for (int k = 0; k < j; ++k)
        for (int i = j + 1; i < blocks(); ++i) update(i, k, j);
      for (int k = 0; k < j; ++k) update_diagonal(j, k);
      factor(j);
      for (int i = j + 1; i < blocks(); ++i) solve(i, j);
    }
    return wait();
  }
};

class by_rows final : public cholesky {
 public:
  using cholesky::cholesky;
  std::size_t run() override {
    for (int i = 0; i < blocks(); ++i) {
      for (int j = 0; j < i; ++j) {
        for (int k = 0; k < j; ++k) update(i, k, j);
        solve(i, j);
      }
      for (int j = 0; j < i; ++j) update_diagonal(i, j);
      factor(i);
    }
    return wait();
  }
};

}  // namespace

std::unique_ptr<program> make_cholesky_c(matrix_size size) { return std::make_unique<by_columns>(size); }
std::unique_ptr<program> make_cholesky_r(matrix_size size) { return std::make_unique<by_rows>(size); }

}  // namespace linalg
