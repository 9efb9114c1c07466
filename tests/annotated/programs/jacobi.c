/* Two grids in turn; sizes from macros, some of them given on the command line. */
#include <stdio.h>
#ifndef BLOCKS
#define BLOCKS 4
#endif
#define SIDE (16 * 2)
#define CELL double
#define TASK(...) _Pragma(STRING(css task __VA_ARGS__))
#define STRING(...) #__VA_ARGS__
typedef CELL block[SIDE][SIDE];

TASK(input(above[SIDE], below[SIDE], left, own, right) output(next))
static void relax(const CELL *above, const CELL *below, block left, block own, block right, block next) {
  int i, j;
  for (i = 0; i < SIDE; i++)
    for (j = 0; j < SIDE; j++)
      next[i][j] = 0.25 * ((i ? own[i - 1][j] : above[j]) + (i + 1 < SIDE ? own[i + 1][j] : below[j]) +
                           (j ? own[i][j - 1] : left[i][SIDE - 1]) + (j + 1 < SIDE ? own[i][j + 1] : right[i][0]));
}

static block grids[2][BLOCKS + 2][BLOCKS + 2];

int main(void) {
  int step, i, j;
  double sum = 0;
  for (i = 0; i < SIDE; i++) grids[0][1][1][i][i] = grids[1][0][2][i][3] = grids[0][0][2][i][3] = 100;
  for (step = 0; step < 10; step++) {
    block(*now)[BLOCKS + 2] = grids[step % 2], (*next)[BLOCKS + 2] = grids[(step + 1) % 2];
    for (i = 1; i <= BLOCKS; i++)
      for (j = 1; j <= BLOCKS; j++)
        relax(now[i - 1][j][SIDE - 1], now[i + 1][j][0], now[i][j - 1], now[i][j], now[i][j + 1], next[i][j]);
  }
#pragma css barrier
  for (i = 0; i < BLOCKS + 2; i++)
    for (j = 0; j < SIDE; j++) sum += grids[0][1][i][j][3] * (j % 13) + grids[1][i][2][5][j] + grids[0][i][1][j][j];
  printf("%d blocks: %.12g\n", BLOCKS, sum);
  return 0;
}
