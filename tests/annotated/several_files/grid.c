#include "grid.h"

void fill(grid *g, unsigned seed) {
  for (int i = 0; i < SIDE * SIDE; ++i) g->cells[i] = (int)(seed = seed * 1664525u + 1013904223u) >> 8;
}

void mix(const grid *a, grid *b) {
  for (int i = 0; i < SIDE * SIDE; ++i) b->cells[i] ^= a->cells[(i * 7) % (SIDE * SIDE)] + i;
}

long digest(const grid *g) {
  long sum = 0;
  for (int i = 0; i < SIDE * SIDE; ++i) sum = (sum * 31 + g->cells[i]) % 1000003;
  return sum;
}
