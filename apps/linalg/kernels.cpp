#include "linalg/kernels.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "linalg/lapack.hpp"
#include "maslin/error.hpp"

namespace linalg {

namespace {

void multiply(int n, CBLAS_TRANSPOSE of_b, float factor, const_block a, const_block b, block c) {
  cblas_sgemm(CblasColMajor, CblasNoTrans, of_b, n, n, n, factor, a.data(), n, b.data(), n, 1, c.data(), n);
}

}  // namespace

void gemm(int n, const_block a, const_block b, block c) { multiply(n, CblasNoTrans, 1, a, b, c); }
void gemm_subtract(int n, const_block a, const_block b, block c) { multiply(n, CblasNoTrans, -1, a, b, c); }
void gemm_subtract_t(int n, const_block a, const_block b, block c) { multiply(n, CblasTrans, -1, a, b, c); }

void syrk(int n, const_block a, block c) {
  cblas_ssyrk(CblasColMajor, CblasLower, CblasNoTrans, n, n, -1, a.data(), n, 1, c.data(), n);
}

void potrf(int n, block a) {
  int row = 0;
  spotrf_("L", &n, a.data(), &n, &row);
  if (row != 0)
    throw maslin::error("the matrix is not positive definite at row " + std::to_string(row) +
                        " of a block on its diagonal; expected one that is, as the input is made");
}

void trsm(int n, const_block l, block b) {
  cblas_strsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, n, 1, l.data(), n, b.data(), n);
}

// LAPACK's sgetrf exchanges rows, and then the blocks beside it would have to follow.
void lu0(int n, block a) {
  const auto size = static_cast<std::size_t>(n);
  for (std::size_t k = 0; k < size; ++k) {
    float* const a_k = &a[k * size];
    const float pivot = a_k[k];
    for (std::size_t i = k + 1; i < size; ++i) a_k[i] /= pivot;
    for (std::size_t j = k + 1; j < size; ++j) {
      float* const a_j = &a[j * size];
      const float factor = a_j[k];
      for (std::size_t i = k + 1; i < size; ++i) a_j[i] -= a_k[i] * factor;
    }
  }
}

void fwd(int n, const_block lu, block b) {
  cblas_strsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, n, n, 1, lu.data(), n, b.data(), n);
}

void bdiv(int n, const_block lu, block b) {
  cblas_strsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, n, n, 1, lu.data(), n, b.data(), n);
}

void clean(block a) { std::fill(a.begin(), a.end(), 0.0F); }

void add(const_block a, block b) {
  for (std::size_t i = 0; i < b.size(); ++i) b[i] += a[i];
}

void fft_rows(fftwf_plan plan, maslin::view<number> slice) {
  auto* const rows = reinterpret_cast<fftwf_complex*>(slice.data());
  fftwf_execute_dft(plan, rows, rows);
}

void transpose(maslin::tile<number> a) {
  for (std::size_t j = 1; j < a.cols; ++j)
    for (std::size_t i = 0; i < j; ++i) std::swap(a(i, j), a(j, i));
}

void transpose_swap(maslin::tile<number> a, maslin::tile<number> b) {
  for (std::size_t j = 0; j < a.cols; ++j)
    for (std::size_t i = 0; i < a.rows; ++i) std::swap(a(i, j), b(j, i));
}

}  // namespace linalg
