// Ranks of uneven load: one computes, the others wait for it in MPI. Every rank checks what it computed. Says as rank 0
// how long it took and how many CPUs it had at most.
//
//   uneven ROUNDS TASKS [forever]

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "maslin/maslin.hpp"
#include "maslin/node.hpp"

namespace ms = maslin;

namespace {

double work(int seed) {
  double x = seed + 1;
  for (int i = 0; i < 20'000; ++i) x = x + 1 / std::sqrt(x);
  return x;
}

/// Gives the sum of so many tasks' results.
double compute(int tasks) {
  std::vector<double> found(static_cast<std::size_t>(tasks));
  for (int i = 0; i < tasks; ++i) ms::task([&found, i] { found[static_cast<std::size_t>(i)] = work(i); });
  ms::wait();
  double sum = 0;
  for (const double x : found) sum += x;
  return sum;
}

int working_now(const char* job) {
  const auto node = job ? ms::look_at_node(job) : std::nullopt;
  if (node)
    for (const auto& p : node->processes)
      if (p.process == getpid()) return p.working;
  return ms::width();
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
  int most = 0;
  {
    ms::Runtime runtime;
    const char* const job = std::getenv("MASLIN_NODE");
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
      if (mine) most = std::max(most, working_now(job));
      if (sum != (mine ? right : right_few)) status = 1;
      double all = 0;
      MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    const double seconds = MPI_Wtime() - begin;
    int most_of_all = 0;
    MPI_Reduce(&most, &most_of_all, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
      std::printf("%.6f s, at most %d workers, results %s\n", seconds, most_of_all, status ? "wrong" : "right");
  }
  MPI_Finalize();
  return status;
}
