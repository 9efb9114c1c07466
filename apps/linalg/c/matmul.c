// C = C + A B, in blocks (CellSs, Scientific Programming 17, section 6). A block's columns lie one behind the other.
//
//     cc -O3 matmul.c -o matmul -lm            the serial program
//     maslin-cc -O3 matmul.c -o matmul -lm     each call of `multiply` is a task

#include "program.h"

#pragma css task input(a[size * size], b[size * size]) inout(c[size * size])
void multiply(const float* restrict a, const float* restrict b, float* restrict c, int size) {
  for (int j = 0; j < size; ++j)
    for (int k = 0; k < size; ++k) {
      const float b_kj = b[j * size + k];
      for (int i = 0; i < size; ++i) c[j * size + i] += a[k * size + i] * b_kj;
    }
}

static int blocks = 8, size = 64;

typedef float** matrix;  // pointers to blocks, row by row

static matrix new_matrix(void) {
  matrix m = allocate((size_t)blocks * (size_t)blocks, sizeof(float*));
  for (int i = 0; i < blocks * blocks; ++i) m[i] = new_block(size);
  return m;
}

static float* element(matrix m, int row, int column) {
  return &m[row / size * blocks + column / size][column % size * size + row % size];
}

/// Gives how far C is off, relative to the norms of a row of A and a column of B (Cauchy and Schwarz: no less than the
/// sum of the absolute values of the products).
static struct worst check(matrix a, matrix b, matrix c, int n) {
  struct worst worst = {0};
  double* const column = allocate((size_t)n, sizeof(double));
  double* const row_norm = allocate((size_t)n, sizeof(double));
  for (int i = 0; i < n; ++i) {
    double squares = 0;
    for (int k = 0; k < n; ++k) squares += (double)*element(a, i, k) * *element(a, i, k);
    row_norm[i] = sqrt(squares);
  }
  for (int j = 0; j < n; ++j) {
    double squares = 0;
    for (int i = 0; i < n; ++i) column[i] = 0;
    for (int k = 0; k < n; ++k) {
      const double b_kj = *element(b, k, j);
      squares += b_kj * b_kj;
      for (int i = 0; i < n; i += size) {
        const float* const a_k = element(a, i, k);
        for (int r = 0; r < size; ++r) column[i + r] += a_k[r] * b_kj;
      }
    }
    for (int i = 0; i < n; ++i) compare(&worst, i, j, *element(c, i, j), column[i], row_norm[i] * sqrt(squares));
  }
  free(column), free(row_norm);
  return worst;
}

int main(int argc, char** argv) {
  read_options("matmul", argc, argv, (struct number[]){{"--blocks", &blocks}, {"--block", &size}}, 2);
  const int n = blocks * size;
  matrix a = new_matrix(), b = new_matrix(), c = new_matrix();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      *element(a, i, j) = input_element(0, (uint64_t)i, (uint64_t)j);
      *element(b, i, j) = input_element(1, (uint64_t)i, (uint64_t)j);
      *element(c, i, j) = 0;
    }

#pragma css start
  start_clock();
  for (int i = 0; i < blocks; ++i)
    for (int j = 0; j < blocks; ++j)
      for (int k = 0; k < blocks; ++k) multiply(a[i * blocks + k], b[k * blocks + j], c[i * blocks + j], size);
#pragma css barrier
  stop_clock();

  if (program.spoil) *element(c, n / 2, n / 3) += 1;
  printf("matmul: %d x %d blocks of %d x %d\n", blocks, blocks, size, size);
  struct result result = begin_result();
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) add_to_result(&result, *element(c, i, j));
  end_result(&result);
  return report(program.check ? check(a, b, c, n) : (struct worst){0}, rounding_bound(n));
}
