// Shares the node of an MPI job: has more work than CPUs until it is killed, checks every result, and says in a file
// how many rounds are done.
//
//   neighbour FILE

#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {

double work(int seed) {
  double x = seed + 1;
  for (int i = 0; i < 10'000; ++i) x = x + 1 / std::sqrt(x);
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  const int file = argc > 1 ? open(argv[1], O_WRONLY | O_CREAT, 0600) : -1;
  if (file < 0) {
    std::perror("neighbour FILE");
    return 2;
  }
  constexpr int pieces = 64;
  std::vector<double> right(pieces);
  for (int i = 0; i < pieces; ++i) right[static_cast<std::size_t>(i)] = work(i);
  ms::Runtime runtime;
  for (std::int64_t round = 1;; ++round) {
    std::vector<double> by_tasks(pieces);
    std::vector<double> by_loop(pieces);
    for (int i = 0; i < pieces; ++i) ms::task([&by_tasks, i] { by_tasks[static_cast<std::size_t>(i)] = work(i); });
    ms::parallel_for(0, pieces, [&](ms::range r) {
      for (const auto i : r) by_loop[static_cast<std::size_t>(i)] = work(static_cast<int>(i));
    });
    ms::wait();
    if (by_tasks != right || by_loop != right) return 1;
    if (pwrite(file, &round, sizeof round, 0) != sizeof round) return 2;
  }
}
