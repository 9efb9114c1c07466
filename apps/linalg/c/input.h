#ifndef MASLIN_LINALG_INPUT_H
#define MASLIN_LINALG_INPUT_H
// The input of the six programs: a function of the indices, so that the C and the C++ forms, and LAPACK and FFTW, get
// the same numbers on every machine. C and C++.

#include <math.h>
#include <stdint.h>

/// Gives an element of matrix number `matrix`: a multiple of 2^-23 from [-1, 1).
static inline float input_element(uint64_t matrix, uint64_t row, uint64_t column) {
  uint64_t x = ((matrix << 60) ^ (row << 30) ^ column) + 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;  // the finalizer of splitmix64
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  x ^= x >> 31;
  return (float)((int64_t)(x >> 40) - (1 << 23)) / (float)(1 << 23);
}

/// Gives what is added to the diagonal of a matrix of n rows that is to be factored. The rest of the matrix is random
/// with a variance of 1/3 and has a 2-norm of about 2 sqrt(n / 3) at most. So the sum is positive definite, its
/// condition is below 10, and LU needs no pivoting.
static inline float input_diagonal(uint64_t n) { return 2 * sqrtf((float)n); }

/// Gives an element of the symmetric positive definite matrix of n rows.
static inline float input_symmetric(uint64_t n, uint64_t row, uint64_t column) {
  if (row == column) return input_element(0, row, row) + input_diagonal(n);
  return row > column ? input_element(0, row, column) : input_element(0, column, row);
}

/// Gives an element of the matrix of n rows for LU.
static inline float input_general(uint64_t n, uint64_t row, uint64_t column) {
  return input_element(0, row, column) + (row == column ? input_diagonal(n) : 0);
}

/// Gives whether a block of the sparse matrix has elements that are not 0 before the factorization (genmat of the
/// program sparselu).
static inline int input_block_is_there(int i, int j) {
  if (i == j || i == j - 1 || i - 1 == j) return 1;
  if (i < j && i % 3 != 0) return 0;
  if (i > j && j % 3 != 0) return 0;
  return i % 2 == 0 && j % 2 == 0;
}

/// Gives how far n roundings in a row may be off, relative to the sum of the absolute values (Higham, Accuracy and
/// Stability of Numerical Algorithms, 3.1: gamma_n of single precision).
static inline double rounding_bound(double n) {
  const double all = n * 0x1p-24;
  return all / (1 - all);
}

/// Gives how far an FFT of n numbers may be off, as a norm relative to that of the result, if its roots are off by a
/// rounding (Higham, 24.1: log2(n) eta with eta = mu + gamma_4 (sqrt(2) + mu)).
static inline double fft_bound(double n) {
  const double one = 0x1p-24, eta = one + rounding_bound(4) * (1.4142135623730951 + one);
  return log2(n) * eta / (1 - log2(n) * eta);
}

#endif
