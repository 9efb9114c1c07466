// A = L L^T in blocks, column after column (CellSs, Scientific Programming 17, section 6). Each block column is updated
// by all that stand left of it, and then factored.
//
//     cc -O3 choleskyC.c -o choleskyC -lm            the serial program
//     maslin-cc -O3 choleskyC.c -o choleskyC -lm     each call of a kernel is a task

#include "cholesky.h"

int main(int argc, char** argv) {
  int blocks = 8, size = 64;
  read_options("choleskyC", argc, argv, (struct number[]){{"--blocks", &blocks}, {"--block", &size}}, 2);
  lower_matrix a = new_input(blocks, size);

#pragma css start
  start_clock();
  for (int j = 0; j < blocks; ++j) {
    for (int k = 0; k < j; ++k)
      for (int i = j + 1; i < blocks; ++i) sgemm(a[i][k], a[j][k], a[i][j], size);
    for (int k = 0; k < j; ++k) ssyrk(a[j][k], a[j][j], size);
    spotrf(a[j][j], size);
    for (int i = j + 1; i < blocks; ++i) strsm(a[j][j], a[i][j], size);
  }
#pragma css barrier
  stop_clock();

  return finish(a, blocks, size);
}
