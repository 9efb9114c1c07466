// A = L L^T in blocks, row after row (CellSs, Scientific Programming 17, section 6). Each block of a row is updated by
// all that stand left of it and divided by its column's factor; then the block on the diagonal is factored.
//
//     cc -O3 choleskyR.c -o choleskyR -lm            the serial program
//     maslin-cc -O3 choleskyR.c -o choleskyR -lm     each call of a kernel is a task

#include "cholesky.h"

int main(int argc, char** argv) {
  int blocks = 8, size = 64;
  read_options("choleskyR", argc, argv, (struct number[]){{"--blocks", &blocks}, {"--block", &size}}, 2);
  lower_matrix a = new_input(blocks, size);

#pragma css start
  start_clock();
  for (int i = 0; i < blocks; ++i) {
    for (int j = 0; j < i; ++j) {
      for (int k = 0; k < j; ++k) sgemm(a[i][k], a[j][k], a[i][j], size);
      strsm(a[j][j], a[i][j], size);
    }
    for (int j = 0; j < i; ++j) ssyrk(a[i][j], a[i][i], size);
    spotrf(a[i][i], size);
  }
#pragma css barrier
  stop_clock();

  return finish(a, blocks, size);
}
