// A = L U without pivoting. A is sparse: most blocks are zeros and not there. The factorization fills some of them.

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

class sparselu final : public program {
 public:
  explicit sparselu(matrix_size size) : size_(size), a_(size) {}

  void prepare() override {
    a_ = block_matrix(size_);
    const auto n = static_cast<std::uint64_t>(size_.n);
    for (int i = 0; i < size_.blocks(); ++i)
      for (int j = 0; j < size_.blocks(); ++j) {
        if (!input_block_is_there(i, j)) continue;
        a_.add(i, j);
        a_.fill(i, j, [n](std::size_t r, std::size_t c) { return input_general(n, r, c); });
      }
  }

  std::size_t run() override {
    const int blocks = size_.blocks(), size = size_.block;
    std::size_t solved = 0, cleaned = 0, updated = 0;
    for (int k = 0; k < blocks; ++k) {
      ms::task(kernels.lu0, size, ms::priority{1}, a_.inout(k, k));
      for (int j = k + 1; j < blocks; ++j)
        if (a_.has(k, j)) ms::task(kernels.fwd, size, a_.in(k, k), a_.inout(k, j)), ++solved;
      for (int i = k + 1; i < blocks; ++i)
        if (a_.has(i, k)) ms::task(kernels.bdiv, size, a_.in(k, k), a_.inout(i, k)), ++solved;
      for (int i = k + 1; i < blocks; ++i)
        for (int j = k + 1; j < blocks; ++j) {
          if (!a_.has(i, k) || !a_.has(k, j)) continue;
          if (!a_.has(i, j)) {
            a_.add(i, j);
            ms::task(kernels.clean, a_.out(i, j)), ++cleaned;
          }
          ms::task(kernels.gemm_subtract, size, a_.in(i, k), a_.in(k, j), a_.inout(i, j)), ++updated;
        }
    }
    ms::wait();
    work_ = power(size, 3) * (2.0 / 3 * blocks + static_cast<double>(solved) + 2 * static_cast<double>(updated));
    return static_cast<std::size_t>(blocks) + solved + cleaned + updated;
  }

  /// L below the diagonal, whose own is 1, and U; row by row.
  std::vector<float> answer() const override {
    std::vector<float> out;
    for (std::size_t i = 0; i < wide(); ++i)
      for (std::size_t j = 0; j < wide(); ++j) out.push_back(a_(i, j));
    return out;
  }

  std::vector<check> verify(std::span<const float> answer) const override {
    const std::size_t n = wide();
    std::vector<double> l(n * n), product(n * n);  // the product begins as U
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) (i > j ? l : product)[j * n + i] = answer[i * n + j];
    for (std::size_t i = 0; i < n; ++i) l[i * n + i] = 1;
    const std::vector<double> rows = row_norms(l, n), columns = column_norms(product, n);
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, size_.n, size_.n, 1, l.data(), size_.n,
                product.data(), size_.n);
    const auto input = [&](std::size_t i, std::size_t j) {
      const auto block = static_cast<std::size_t>(size_.block);
      const bool there = input_block_is_there(static_cast<int>(i / block), static_cast<int>(j / block)) != 0;
      return there ? double{input_general(n, i, j)} : 0.0;
    };
    return {compare_product(product, rows, columns, n, false, input)
                .result("A = L U", rounding_bound(static_cast<double>(n) + 2))};
  }

  std::string size() const override { return describe(size_); }
  double work() const override { return work_; }
  double bytes() const override { return 2 * 4.0 * power(size_.n, 2) + sizeof(float*) * power(size_.blocks(), 2); }
  double bytes_of_check() const override { return 2.0 * 8 * power(size_.n, 2); }

 private:
  std::size_t wide() const { return static_cast<std::size_t>(size_.n); }

  matrix_size size_;
  block_matrix a_;
  double work_ = 0;  ///< of the last run: operations of its kernels
};

}  // namespace

std::unique_ptr<program> make_sparselu(matrix_size size) { return std::make_unique<sparselu>(size); }

}  // namespace linalg
