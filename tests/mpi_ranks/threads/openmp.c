// The threads of a parallel region call MPI.
#include <omp.h>

#include "../programs/expect.h"

enum { threads = 4, rounds = 30 };

int main(int argc, char** argv) {
  int level = -1, right = 0;
  double sum = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  EXPECT_EQUAL(level, MPI_THREAD_MULTIPLE);
  for (int round = 0; round < rounds; ++round) {
#pragma omp parallel num_threads(threads) reduction(+ : right, sum)
    {
      const int mine = omp_get_thread_num(), other = (mine + 1) % threads;
      int got = -1;
      const int sent = 100 * me + 10 * round + mine;
      EXPECT_EQUAL(omp_get_num_threads(), threads);
      // What a thread sends is received by another one.
      MPI_Sendrecv(&sent, 1, MPI_INT, (me + 1) % ranks, other, &got, 1, MPI_INT, (me + ranks - 1) % ranks, mine,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      const int from = (mine + threads - 1) % threads;
      right += got == 100 * ((me + ranks - 1) % ranks) + 10 * round + from;
#pragma omp barrier
#pragma omp master
      {
        double one = 1, all = 0;
        MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        sum += all;
      }
    }
  }
  EXPECT_EQUAL(right, threads * rounds);
  EXPECT_EQUAL(sum, ranks * rounds);
  return end();
}
