#pragma once
// What tasks do to blocks of n x n floats, which lie column by column, and to rows and planes of complex numbers. BLAS,
// LAPACK and FFTW do most of it, each call in one thread.

#include <fftw3.h>

#include <complex>

#include "maslin/access.hpp"

namespace linalg {

using block = maslin::view<float>;
using const_block = maslin::view<const float>;
using number = std::complex<float>;

void gemm(int n, const_block a, const_block b, block c);             ///< c = c + a b
void gemm_subtract(int n, const_block a, const_block b, block c);    ///< c = c - a b
void gemm_subtract_t(int n, const_block a, const_block b, block c);  ///< c = c - a b^T
void syrk(int n, const_block a, block c);                            ///< the lower half of c = c - a a^T
void potrf(int n, block a);                 ///< a = l, the lower half, with l l^T = a. Throws `maslin::error`
void trsm(int n, const_block l, block b);   ///< b = x with x l^T = b
void lu0(int n, block a);                   ///< a = l and u in one block, l u = a; the diagonal of l is 1
void fwd(int n, const_block lu, block b);   ///< b = x with l x = b
void bdiv(int n, const_block lu, block b);  ///< b = x with x u = b
void clean(block a);                        ///< a = 0
void add(const_block a, block b);           ///< b = b + a
void fft_rows(fftwf_plan plan, maslin::view<number> slice);           ///< FFTs of the rows that the plan is for
void transpose(maslin::tile<number> a);                               ///< a = a^T, of a square
void transpose_swap(maslin::tile<number> a, maslin::tile<number> b);  ///< a = b^T and b = a^T, of squares

/// What the tasks of a program call: these, or others in their place.
struct kernel_set {
  decltype(&linalg::gemm) gemm = linalg::gemm;
  decltype(&linalg::gemm_subtract) gemm_subtract = linalg::gemm_subtract;
  decltype(&linalg::gemm_subtract_t) gemm_subtract_t = linalg::gemm_subtract_t;
  decltype(&linalg::syrk) syrk = linalg::syrk;
  decltype(&linalg::potrf) potrf = linalg::potrf;
  decltype(&linalg::trsm) trsm = linalg::trsm;
  decltype(&linalg::lu0) lu0 = linalg::lu0;
  decltype(&linalg::fwd) fwd = linalg::fwd;
  decltype(&linalg::bdiv) bdiv = linalg::bdiv;
  decltype(&linalg::clean) clean = linalg::clean;
  decltype(&linalg::add) add = linalg::add;
  decltype(&linalg::fft_rows) fft_rows = linalg::fft_rows;
  decltype(&linalg::transpose) transpose = linalg::transpose;
  decltype(&linalg::transpose_swap) transpose_swap = linalg::transpose_swap;
};

}  // namespace linalg
