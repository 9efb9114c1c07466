#ifndef MASLIN_LINALG_CHOLESKY_H
#define MASLIN_LINALG_CHOLESKY_H
// What choleskyC.c and choleskyR.c share: the four kernels on blocks, whose columns lie one behind the other, the
// matrix, and the check. The order in which the kernels are called is the programs' own.

#include "program.h"

/// c = c - a b^T
#pragma css task input(a[size * size], b[size * size]) inout(c[size * size])
static void sgemm(const float* restrict a, const float* restrict b, float* restrict c, int size) {
  for (int j = 0; j < size; ++j)
    for (int k = 0; k < size; ++k) {
      const float b_jk = b[k * size + j];
      for (int i = 0; i < size; ++i) c[j * size + i] -= a[k * size + i] * b_jk;
    }
}

/// The lower half of c = c - a a^T
#pragma css task input(a[size * size]) inout(c[size * size])
static void ssyrk(const float* restrict a, float* restrict c, int size) {
  for (int j = 0; j < size; ++j)
    for (int k = 0; k < size; ++k) {
      const float a_jk = a[k * size + j];
      for (int i = j; i < size; ++i) c[j * size + i] -= a[k * size + i] * a_jk;
    }
}

/// a = l with l l^T = a; l is the lower half
#pragma css task inout(a[size * size]) highpriority
static void spotrf(float* a, int size) {
  for (int j = 0; j < size; ++j) {
    float* const a_j = a + j * size;
    const float pivot = sqrtf(a_j[j]);
    for (int i = j; i < size; ++i) a_j[i] /= pivot;
    for (int k = j + 1; k < size; ++k) {
      float* const a_k = a + k * size;
      for (int i = k; i < size; ++i) a_k[i] -= a_j[i] * a_j[k];
    }
  }
}

/// b = x with x l^T = b
#pragma css task input(l[size * size]) inout(b[size * size])
static void strsm(const float* restrict l, float* restrict b, int size) {
  for (int j = 0; j < size; ++j) {
    float* const b_j = b + j * size;
    for (int k = 0; k < j; ++k)
      for (int i = 0; i < size; ++i) b_j[i] -= b[k * size + i] * l[k * size + j];
    for (int i = 0; i < size; ++i) b_j[i] /= l[j * size + j];
  }
}

/// Pointers to the blocks of the lower half, row by row: block (i, j) is a[i][j].
typedef float*** lower_matrix;

static lower_matrix new_input(int blocks, int size) {
  const uint64_t n = (uint64_t)blocks * (uint64_t)size;
  lower_matrix a = allocate((size_t)blocks, sizeof(float**));
  for (int i = 0; i < blocks; ++i) {
    a[i] = allocate((size_t)blocks, sizeof(float*));
    for (int j = 0; j <= i; ++j) {
      a[i][j] = new_block(size);
      for (int c = 0; c < size; ++c)
        for (int r = 0; r < size; ++r)
          a[i][j][c * size + r] = input_symmetric(n, (uint64_t)(i * size + r), (uint64_t)(j * size + c));
    }
  }
  return a;
}

static float l_at(lower_matrix l, int size, int row, int column) {
  return l[row / size][column / size][column % size * size + row % size];
}

/// Gives how far L L^T is from A, relative to the norms of two rows of L.
static struct worst check(lower_matrix l, int n, int size) {
  struct worst worst = {0};
  double* const product = allocate((size_t)n, sizeof(double));
  double* const norm = allocate((size_t)n, sizeof(double));
  for (int i = 0; i < n; ++i) {
    double squares = 0;
    for (int k = 0; k <= i; ++k) squares += (double)l_at(l, size, i, k) * l_at(l, size, i, k);
    norm[i] = sqrt(squares);
  }
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) product[i] = 0;
    for (int k = 0; k <= j; ++k) {
      const double l_jk = l_at(l, size, j, k);
      for (int i = j; i < n;) {  // the rest of a column in a block
        const int end = (i / size + 1) * size;
        const float* const column = &l[i / size][k / size][k % size * size];
        for (; i < end; ++i) product[i] += column[i % size] * l_jk;
      }
    }
    for (int i = j; i < n; ++i)
      compare(&worst, i, j, product[i], input_symmetric((uint64_t)n, (uint64_t)i, (uint64_t)j), norm[i] * norm[j]);
  }
  free(product), free(norm);
  return worst;
}

/// Says what came out, and gives the program's exit status.
static int finish(lower_matrix l, int blocks, int size) {
  const int n = blocks * size;
  if (program.spoil) l[blocks / 2][0][0] += 1;
  printf("%s: %d x %d blocks of %d x %d\n", program.name, blocks, blocks, size, size);
  struct result result = begin_result();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) add_to_result(&result, l_at(l, size, i, j));
  end_result(&result);
  return report(program.check ? check(l, n, size) : (struct worst){0}, rounding_bound(n + 2));
}

#endif
