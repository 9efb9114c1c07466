// A program as users write them: tasks, a loop, a phase with loops and tasks inside. Prints how many workers it had;
// status 0 where every result is right.

#include <cstdio>
#include <vector>

#include "maslin/maslin.hpp"

namespace ms = maslin;

int main() {
  int wrong = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<double> cells(64, 1.0);
    for (int step = 0; step < 10; ++step)
      for (std::size_t i = 0; i < cells.size(); ++i)
        ms::task([](ms::view<double> cell) { cell[0] += 1; }, ms::inout(cells[i]));
    ms::wait();
    for (const double cell : cells) wrong += cell != 11.0;

    const double sum = ms::parallel_reduce(0, 20'000'000, 0.0, std::plus<>(), [](ms::range r) {
      double part = 0;
      for (const auto i : r) part += static_cast<double>(i);
      return part;
    });
    wrong += sum != 199'999'990'000'000.0;

    std::vector<double> sums(12);
    ms::phase("streams", 12, [&](std::int64_t stream) {
      for (int k = 0; k < 5; ++k) {
        sums[static_cast<std::size_t>(stream)] +=
            ms::parallel_reduce(0, 1000, 0.0, std::plus<>(), [](ms::range r) { return static_cast<double>(r.size()); });
        int done = 0;
        ms::task([&] { done = 1; });
        ms::wait();
        sums[static_cast<std::size_t>(stream)] += done;
      }
    });
    for (const double of_stream : sums) wrong += of_stream != 5005.0;
  }
  std::printf("%d workers, %d wrong\n", ms::workers(), wrong);
  return wrong == 0 ? 0 : 1;
}
