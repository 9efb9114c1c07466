// C = C + A B.

#include <fmt/format.h>

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

class matmul final : public program {
 public:
  explicit matmul(matrix_size size) : size_(size), a_(size), b_(size), c_(size) {}

  void prepare() override {
    for (int i = 0; i < size_.blocks(); ++i)
      for (int j = 0; j < size_.blocks(); ++j) {
        fill(a_, i, j, [](std::size_t r, std::size_t c) { return input_element(0, r, c); });
        fill(b_, i, j, [](std::size_t r, std::size_t c) { return input_element(1, r, c); });
        fill(c_, i, j, [](std::size_t, std::size_t) { return 0.0F; });
      }
  }

  std::size_t run() override {
    const int blocks = size_.blocks();
    std::size_t tasks = 0;
    for (int i = 0; i < blocks; ++i)
      for (int j = 0; j < blocks; ++j)
        for (int k = 0; k < blocks; ++k, ++tasks)
          ms::task(kernels.gemm, size_.block, a_.in(i, k), b_.in(k, j), c_.inout(i, j));
    ms::wait();
    return tasks;
  }

  std::vector<float> answer() const override {
    std::vector<float> out;
    out.reserve(wide() * wide());
    for (std::size_t i = 0; i < wide(); ++i)
      for (std::size_t j = 0; j < wide(); ++j) out.push_back(c_(i, j));
    return out;
  }

  std::vector<check> verify(std::span<const float> answer) const override {
    const std::size_t n = wide();
    std::vector<double> a(n * n), b(n * n), product(n * n);
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i) a[j * n + i] = input_element(0, i, j), b[j * n + i] = input_element(1, i, j);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, size_.n, size_.n, size_.n, 1, a.data(), size_.n, b.data(),
                size_.n, 0, product.data(), size_.n);
    const std::vector<double> rows = row_norms(a, n), columns = column_norms(b, n);
    comparison found;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i) found.add(i, j, answer[i * n + j], product[j * n + i], rows[i] * columns[j]);
    return {found.result("C of dgemm", rounding_bound(static_cast<double>(n)))};
  }

  std::string size() const override { return describe(size_); }
  double work() const override { return 2 * power(size_.n, 3); }
  double bytes() const override {
    return 4.0 * 4 * power(size_.n, 2) + 3.0 * sizeof(float*) * power(size_.blocks(), 2);
  }
  double bytes_of_check() const override { return 3.0 * 8 * power(size_.n, 2); }

 private:
  std::size_t wide() const { return static_cast<std::size_t>(size_.n); }
  template <class F>
  static void fill(block_matrix& m, int i, int j, F&& element) {
    if (!m.has(i, j)) m.add(i, j);
    m.fill(i, j, element);
  }

  matrix_size size_;
  block_matrix a_, b_, c_;
};

}  // namespace

std::unique_ptr<program> make_matmul(matrix_size size) { return std::make_unique<matmul>(size); }

}  // namespace linalg
