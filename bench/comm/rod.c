// The same work by any number of ranks: a rod whose cells react and exchange with their neighbours. Each rank has some
// of the cells, and asks both neighbours for one. One of 1,000 ranks computes for about 60 us in a step, as one does
// between two receives and two sends of Sweep3D (reverse-acceleration, "Application performance").
//
//     rod [CELLS] [STEPS]    prints the seconds of a step, and the sum of all cells' bits, which ranks do not change

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A cell's next value. It computes for some 30 ns.
static double next_of(double before, double cell, double after) {
  double x = 0.5 * cell + 0.25 * (before + after);
  for (int i = 0; i < 6; ++i) x = 3.7 * x * (1 - x) / (1 + 0.5 * x);
  return x;
}

int main(int argc, char** argv) {
  int me, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int cells = argc > 1 ? atoi(argv[1]) : 5000000, steps = argc > 2 ? atoi(argv[2]) : 10;
  if (cells < ranks || steps < 1) {
    if (me == 0) fprintf(stderr, "rod: expected CELLS, one for each rank at least, and STEPS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int first = (int)((int64_t)cells * me / ranks), mine = (int)((int64_t)cells * (me + 1) / ranks) - first;
  const int before = me > 0 ? me - 1 : MPI_PROC_NULL, after = me < ranks - 1 ? me + 1 : MPI_PROC_NULL;
  double *now = calloc((size_t)mine + 2, sizeof *now), *next = calloc((size_t)mine + 2, sizeof *next);
  if (!now || !next) MPI_Abort(MPI_COMM_WORLD, 3);
  for (int i = 1; i <= mine; ++i) now[i] = 0.1 + 0.8 * (double)((first + i) % 1009) / 1009;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    MPI_Sendrecv(&now[mine], 1, MPI_DOUBLE, after, 0, &now[0], 1, MPI_DOUBLE, before, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&now[1], 1, MPI_DOUBLE, before, 1, &now[mine + 1], 1, MPI_DOUBLE, after, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 1; i <= mine; ++i) next[i] = next_of(now[i - 1], now[i], now[i + 1]);
    double* const was = now;
    now = next;
    next = was;
  }
  double seconds = MPI_Wtime() - begin, slowest = 0;
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  unsigned long long bits = 0, sum = 0;
  for (int i = 1; i <= mine; ++i) {
    uint64_t one;
    memcpy(&one, &now[i], sizeof one);
    bits += one * (2 * (uint64_t)(first + i) + 1);
  }
  MPI_Reduce(&bits, &sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (me == 0) printf("{\"seconds\": %.9g, \"answer\": \"%016llx\"}\n", slowest / steps, sum);
  free(now);
  free(next);
  MPI_Finalize();
  return 0;
}
