// A = L U of a sparse matrix of blocks, without pivoting, and the check that L U is A (CellSs, Scientific Programming
// 17, section 6). Blocks of zeros are NULL; the factorization fills some of them. A block's columns lie one behind the
// other.
//
//     cc -O3 sparselu.c -o sparselu -lm            the serial program
//     maslin-cc -O3 sparselu.c -o sparselu -lm     each call of a kernel is a task

#include "program.h"

/// a = l and u in one block, l u = a; the diagonal of l is 1
#pragma css task inout(a[size * size]) highpriority
void lu0(float* a, int size) {
  for (int k = 0; k < size; ++k) {
    float* const a_k = a + k * size;
    const float pivot = a_k[k];
    for (int i = k + 1; i < size; ++i) a_k[i] /= pivot;
    for (int j = k + 1; j < size; ++j) {
      float* const a_j = a + j * size;
      for (int i = k + 1; i < size; ++i) a_j[i] -= a_k[i] * a_j[k];
    }
  }
}

/// b = x with l x = b
#pragma css task input(l[size * size]) inout(b[size * size])
void fwd(const float* restrict l, float* restrict b, int size) {
  for (int j = 0; j < size; ++j) {
    float* const b_j = b + j * size;
    for (int k = 0; k < size; ++k) {
      const float b_kj = b_j[k];
      for (int i = k + 1; i < size; ++i) b_j[i] -= l[k * size + i] * b_kj;
    }
  }
}

/// b = x with x u = b
#pragma css task input(u[size * size]) inout(b[size * size])
void bdiv(const float* restrict u, float* restrict b, int size) {
  for (int j = 0; j < size; ++j) {
    float* const b_j = b + j * size;
    for (int k = 0; k < j; ++k)
      for (int i = 0; i < size; ++i) b_j[i] -= b[k * size + i] * u[j * size + k];
    for (int i = 0; i < size; ++i) b_j[i] /= u[j * size + j];
  }
}

/// c = c - a b
#pragma css task input(a[size * size], b[size * size]) inout(c[size * size])
void bmod(const float* restrict a, const float* restrict b, float* restrict c, int size) {
  for (int j = 0; j < size; ++j)
    for (int k = 0; k < size; ++k) {
      const float b_kj = b[j * size + k];
      for (int i = 0; i < size; ++i) c[j * size + i] -= a[k * size + i] * b_kj;
    }
}

/// Makes a block of zeros.
#pragma css task output(a[bytes])
void clean_block(void* a, size_t bytes) { memset(a, 0, bytes); }

#pragma css task input(from[size * size]) output(to[size * size])
void copy_block(const float* from, float* to, int size) { memcpy(to, from, (size_t)size * (size_t)size * sizeof *to); }

/// l and u of what lu0 left in one block
#pragma css task input(a[size * size]) output(l[size * size], u[size * size])
void split_block(const float* a, float* l, float* u, int size) {
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i) {
      l[j * size + i] = i > j ? a[j * size + i] : i == j;
      u[j * size + i] = i > j ? 0 : a[j * size + i];
    }
}

/// c = c + a b, in double precision, so that the check adds no errors of its own
#pragma css task input(a[size * size], b[size * size]) inout(c[size * size])
void block_mpy_add(const float* restrict a, const float* restrict b, double* restrict c, int size) {
  for (int j = 0; j < size; ++j)
    for (int k = 0; k < size; ++k) {
      const double b_kj = b[j * size + k];
      for (int i = 0; i < size; ++i) c[j * size + i] += a[k * size + i] * b_kj;
    }
}

/// Adds the squares in a block's rows, or in its columns.
#pragma css task input(a[size * size]) inout(sums[size])
void add_squares(const float* restrict a, double* restrict sums, int size, int by_column) {
  for (int j = 0; j < size; ++j)
    for (int i = 0; i < size; ++i) sums[by_column ? j : i] += (double)a[j * size + i] * a[j * size + i];
}

/// Compares a block of L U with that of A, relative to the norms of rows of L and columns of U.
#pragma css task input(product[size * size], a[size * size], rows[size], columns[size]) inout(worst)
void are_blocks_equal(const double* product, const float* a, const double* rows, const double* columns,
                      struct worst* worst, int size, int i, int j) {
  for (int c = 0; c < size; ++c)
    for (int r = 0; r < size; ++r)
      compare(worst, i * size + r, j * size + c, product[c * size + r], a[c * size + r], sqrt(rows[r] * columns[c]));
}

static int blocks = 16, size = 64;

typedef float** matrix;  // pointers to blocks, row by row

static matrix new_matrix(void) {
  matrix m = allocate((size_t)blocks * (size_t)blocks, sizeof *m);
  for (int i = 0; i < blocks * blocks; ++i) m[i] = NULL;
  return m;
}

static size_t bytes_of(size_t element) { return (size_t)size * (size_t)size * element; }

static matrix new_input(void) {
  const uint64_t n = (uint64_t)blocks * (uint64_t)size;
  matrix a = new_matrix();
  for (int i = 0; i < blocks; ++i)
    for (int j = 0; j < blocks; ++j) {
      if (!input_block_is_there(i, j)) continue;
      float* const block = a[i * blocks + j] = new_block(size);
      for (int c = 0; c < size; ++c)
        for (int r = 0; r < size; ++r)
          block[c * size + r] = input_general(n, (uint64_t)(i * size + r), (uint64_t)(j * size + c));
    }
  return a;
}

static matrix copy_of(matrix a) {
  matrix copy = new_matrix();
  for (int b = 0; b < blocks * blocks; ++b)
    if (a[b]) copy_block(a[b], copy[b] = new_block(size), size);
  return copy;
}

static void factor(matrix a) {
  for (int k = 0; k < blocks; ++k) {
    lu0(a[k * blocks + k], size);
    for (int j = k + 1; j < blocks; ++j)
      if (a[k * blocks + j]) fwd(a[k * blocks + k], a[k * blocks + j], size);
    for (int i = k + 1; i < blocks; ++i)
      if (a[i * blocks + k]) bdiv(a[k * blocks + k], a[i * blocks + k], size);
    for (int i = k + 1; i < blocks; ++i)
      for (int j = k + 1; j < blocks; ++j) {
        if (!a[i * blocks + k] || !a[k * blocks + j]) continue;
        if (!a[i * blocks + j]) clean_block(a[i * blocks + j] = new_block(size), bytes_of(sizeof(float)));
        bmod(a[i * blocks + k], a[k * blocks + j], a[i * blocks + j], size);
      }
  }
}

/// Multiplies L and U, which lie in `lu`, and compares with `a`.
static struct worst check(matrix lu, matrix a) {
  static struct worst worst;
  const size_t n = (size_t)blocks * (size_t)size;
  matrix l = new_matrix(), u = new_matrix();
  double* const rows = memset(allocate(n, sizeof(double)), 0, n * sizeof(double));
  double* const columns = memset(allocate(n, sizeof(double)), 0, n * sizeof(double));
  for (int i = 0; i < blocks; ++i)
    for (int j = 0; j < blocks; ++j) {
      float* const block = lu[i * blocks + j];
      if (i > j) l[i * blocks + j] = block;
      if (i < j) u[i * blocks + j] = block;
      if (i == j) split_block(block, l[i * blocks + j] = new_block(size), u[i * blocks + j] = new_block(size), size);
    }
  for (int i = 0; i < blocks; ++i)
    for (int j = 0; j < blocks; ++j) {
      if (l[i * blocks + j]) add_squares(l[i * blocks + j], rows + i * size, size, 0);
      if (u[i * blocks + j]) add_squares(u[i * blocks + j], columns + j * size, size, 1);
    }
  // One block of the product after another lies in the same memory; those that are tasks' get memory of their own.
  double* const product = allocate((size_t)size * (size_t)size, sizeof(double));
  float* const zeros = new_block(size);
  clean_block(zeros, bytes_of(sizeof(float)));
  for (int i = 0; i < blocks; ++i)
    for (int j = 0; j < blocks; ++j) {
      clean_block(product, bytes_of(sizeof(double)));
      for (int k = 0; k <= (i < j ? i : j); ++k)
        if (l[i * blocks + k] && u[k * blocks + j]) block_mpy_add(l[i * blocks + k], u[k * blocks + j], product, size);
      are_blocks_equal(product, a[i * blocks + j] ? a[i * blocks + j] : zeros, rows + i * size, columns + j * size,
                       &worst, size, i, j);
    }
#pragma css barrier
  return worst;
}

int main(int argc, char** argv) {
  read_options("sparselu", argc, argv, (struct number[]){{"--blocks", &blocks}, {"--block", &size}}, 2);
  const int n = blocks * size;
  matrix a = new_input();
  matrix original = copy_of(a);
#pragma css barrier

#pragma css start
  start_clock();
  factor(a);
#pragma css barrier
  stop_clock();

  if (program.spoil) a[blocks / 2 * blocks + blocks / 2][size / 3] += 1;
  printf("sparselu: %d x %d blocks of %d x %d\n", blocks, blocks, size, size);
  struct result result = begin_result();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const float* const block = a[i / size * blocks + j / size];
      add_to_result(&result, block ? block[j % size * size + i % size] : 0);
    }
  end_result(&result);
  return report(program.check ? check(a, original) : (struct worst){0}, rounding_bound(n + 2));
}
