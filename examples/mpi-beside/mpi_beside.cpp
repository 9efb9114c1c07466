// An MPI job whose ranks have unequal work: each round another rank has most of it, and the others wait. The ranks
// divide the CPUs of their node. One that waits in MPI lends its CPUs, and the one that works borrows them. There is
// nothing about that in the program: `LD_PRELOAD=libmaslin_mpi.so mpirun ...` does it.

#include <maslin/maslin.hpp>
#include <maslin/node.hpp>

#include <mpi.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>

namespace ms = maslin;

/// Gives the integral of 4 / (1 + x^2) over a part of [0, 1].
double integral(double from, double to, std::int64_t steps) {
  const double width = (to - from) / static_cast<double>(steps);
  return ms::parallel_reduce(0, steps, 0.0, std::plus{}, [=](ms::range some) {
    double sum = 0;
    for (const auto i : some) {
      const double x = from + (static_cast<double>(i) + 0.5) * width;
      sum += 4 / (1 + x * x) * width;
    }
    return sum;
  });
}

/// Gives how often this job's processes on this node have borrowed a CPU of another one.
std::int64_t borrowed() {
  std::int64_t sum = 0;
  for (const std::string& job : ms::jobs_on_node())
    if (const auto node = ms::look_at_node(job))
      for (const ms::sharing_process& process : node->processes) sum += process.borrowed;
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  bool right = true;
  {
    ms::Runtime runtime;  // ends before MPI does
    constexpr int rounds = 20;
    for (int round = 0; round < rounds; ++round) {
      const bool busy = round % ranks == rank;
      const double here = integral(double(rank) / ranks, double(rank + 1) / ranks, busy ? 2'000'000 : 20'000);
      double pi = 0;
      MPI_Allreduce(&here, &pi, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      right = right && std::fabs(pi - 3.14159265358979) < 1e-9;
    }
    if (!right) std::printf("wrong: rank %d got another number than pi\n", rank);
    if (rank == 0) {
      std::printf("%d ranks agree on pi in %d rounds\n", ranks, rounds);
      std::printf("a rank borrowed a CPU of another one %lld times\n", static_cast<long long>(borrowed()));
    }
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
