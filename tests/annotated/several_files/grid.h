#ifndef GRID_H
#define GRID_H

#define SIDE 40
typedef struct grid {
  int cells[SIDE * SIDE];
} grid;

#pragma css task input(seed) output(g)
void fill(grid *g, unsigned seed);

#pragma css task input(a) inout(b)
void mix(const grid *a, grid *b);

long digest(const grid *g);

#endif
