#pragma once
// What tasks do to blocks of n x n floats, which lie column by column. BLAS and LAPACK do it, each call in one thread.

#include "maslin/access.hpp"

namespace linalg {

using block = maslin::view<float>;
using const_block = maslin::view<const float>;

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

}  // namespace linalg
