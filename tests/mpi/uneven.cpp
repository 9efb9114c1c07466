// Ranks of uneven load: one computes, the others wait for it in MPI. Every rank checks what it computed. Says as rank 0
// how long it took and how many tasks ran at a time in one rank at most.
//
//   uneven ROUNDS TASKS [forever]

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {

double work(int seed) {
  double x = seed + 1;
  for (int i = 0; i < 20'000; ++i) x = x + 1 / std::sqrt(x);
  return x;
}

std::atomic<int> running{0};
std::atomic<int> most_running{0};

/// Gives the sum of so many tasks' results.
double compute(int tasks) {
  std::vector<double> found(static_cast<std::size_t>(tasks));
  for (int i = 0; i < tasks; ++i)
    ms::task([&found, i] {
      const int now = running.fetch_add(1) + 1;
      int most = most_running;
      while (most < now && !most_running.compare_exchange_weak(most, now)) {
      }
      found[static_cast<std::size_t>(i)] = work(i);
      running.fetch_sub(1);
    });
  ms::wait();
  double sum = 0;
  for (const double x : found) sum += x;
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 10;
  const int tasks = argc > 2 ? std::atoi(argv[2]) : 200;
  const bool forever = argc > 3;
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int status = 0;
  {
    ms::Runtime runtime;
    const int few = std::max(1, tasks / 20);
    double right = 0;
    for (int i = 0; i < tasks; ++i) right += work(i);
    double right_few = 0;
    for (int i = 0; i < few; ++i) right_few += work(i);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int round = 0; forever || round < rounds; ++round) {
      const bool mine = round % ranks == rank;
      const double sum = compute(mine ? tasks : few);
      if (sum != (mine ? right : right_few)) status = 1;
      double all = 0;
      MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    const double seconds = MPI_Wtime() - begin;
    int most_of_all = 0;
    const int most = most_running;
    MPI_Reduce(&most, &most_of_all, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
      std::printf("%.6f s, at most %d tasks at a time, results %s\n", seconds, most_of_all, status ? "wrong" : "right");
  }
  MPI_Finalize();
  return status;
}
