// Parts of a problem that take unequally long, and not the same ones all the time. A part has something that only one
// thread can do, and a loop. Ranks divide the parts in blocks; MPI is between ranks. Inside, the loop is shared by
// Maslin's workers (-DWITH_MASLIN), or by OpenMP's threads.
//
//     uneven [STEPS]    prints the seconds of a step, and the sum of all parts' bits, which ranks and threads do not
//     change

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#ifdef WITH_MASLIN
#include <maslin/maslin.hpp>
#endif

namespace {

constexpr int parts = 8, rows = 400, heavy = 4;
constexpr int in_a_row = 60, in_sequence = 6000;  // so many operations

double worked(double x, int operations) {
  for (int i = 0; i < operations; ++i) x = 3.7 * x * (1 - x) / (1 + 0.5 * x);
  return x;
}

/// One part is `heavy` times as much as others, another one every four steps.
int weight(int part, int step) { return part == step / 4 * 3 % parts ? heavy : 1; }

void advance(std::vector<double>& values, double from_before, int weighs) {
  values[0] = worked(0.25 * (values[0] + values[rows / 2] + from_before + 0.5), weighs * in_sequence);
  const double shared = values[0];
  const auto row = [&](int i) {
    double& value = values[static_cast<std::size_t>(i)];
    // Rows are unequal, too.
    value = worked(0.5 * value + 0.3 * shared, weighs * (in_a_row + i % 32));
  };
#ifdef WITH_MASLIN
  maslin::parallel_for(1, rows, [&](maslin::range r) {
    for (auto i = r.first; i < r.last; ++i) row(static_cast<int>(i));
  });
#else
#pragma omp parallel for schedule(runtime)
  for (int i = 1; i < rows; ++i) row(i);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  int me, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int steps = argc > 1 ? std::atoi(argv[1]) : 100;
  if (parts % ranks != 0 || steps < 1) {
    if (me == 0) std::fprintf(stderr, "uneven: expected 1, 2, 4 or 8 ranks, and STEPS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int mine = parts / ranks, first = me * mine;
  std::vector<std::vector<double>> values(static_cast<std::size_t>(mine), std::vector<double>(rows));
  for (int p = 0; p < mine; ++p)
    for (int i = 0; i < rows; ++i)
      values[static_cast<std::size_t>(p)][static_cast<std::size_t>(i)] = 0.1 + 0.001 * i + 0.04 * (first + p);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    double before = 0, last = values.back().back();
    MPI_Sendrecv(&last, 1, MPI_DOUBLE, (me + 1) % ranks, 0, &before, 1, MPI_DOUBLE, (me + ranks - 1) % ranks, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::vector<double> ends{before};
    for (const std::vector<double>& one : values) ends.push_back(one.back());
    for (int p = 0; p < mine; ++p)
      advance(values[static_cast<std::size_t>(p)], ends[static_cast<std::size_t>(p)], weight(first + p, step));
    double largest = values[0][0], of_all = 0;
    MPI_Allreduce(&largest, &of_all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  double seconds = MPI_Wtime() - begin, slowest = 0;
  MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  unsigned long long bits = 0, sum = 0;
  for (int p = 0; p < mine; ++p)
    for (int i = 0; i < rows; ++i) {
      std::uint64_t one;
      std::memcpy(&one, &values[static_cast<std::size_t>(p)][static_cast<std::size_t>(i)], sizeof one);
      bits += one * (2 * static_cast<std::uint64_t>((first + p) * rows + i) + 1);
    }
  MPI_Reduce(&bits, &sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (me == 0) std::printf("{\"seconds\": %.9g, \"answer\": \"%016llx\"}\n", slowest / steps, sum);
  MPI_Finalize();
  return 0;
}
