#include <stdio.h>

#include "grid.h"

int main(void) {
  static grid grids[6];
  for (unsigned i = 0; i < 6; ++i) fill(&grids[i], i);
  for (int step = 0; step < 5; ++step)
    for (int i = 0; i < 6; ++i) mix(&grids[i], &grids[(i + 1 + step) % 6 == i ? (i + 1) % 6 : (i + 1 + step) % 6]);
#pragma css barrier
  long sum = 0;
  for (int i = 0; i < 6; ++i) sum += digest(&grids[i]);
  printf("%ld\n", sum);
  return 0;
}
