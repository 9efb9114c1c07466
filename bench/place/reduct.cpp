// What the sum of an array of vectors takes as tasks, beside a loop that makes the same additions in place in the same
// order on one thread. Both sums are compared, to the bit.
//
//   place_reduct ROUNDS WORKERS VECTORS LENGTH      each round's times, in seconds

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "by_turns.hpp"
#include "linalg/c/input.h"
#include "linalg/kernels.hpp"

namespace ms = maslin;

namespace {

using vectors = std::vector<std::vector<float>>;

void fill(vectors& all, std::size_t length) {
  for (std::size_t v = 0; v < all.size(); ++v) {
    all[v].resize(length);
    for (std::size_t i = 0; i < length; ++i) all[v][i] = input_element(0, v, i);
  }
}

/// Calls `add(from, to)` for each addition of the tree.
template <class Add>
void sum(vectors& all, Add&& add) {
  for (std::size_t step = 1; step < all.size(); step *= 2)
    for (std::size_t v = 0; v + step < all.size(); v += 2 * step) add(all[v + step], all[v]);
}

void print(const char* name, const std::vector<double>& seconds, const char* end) {
  std::printf("\"%s\": [", name);
  for (std::size_t i = 0; i < seconds.size(); ++i) std::printf("%s%.9f", i > 0 ? ", " : "", seconds[i]);
  std::printf("]%s", end);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return std::fputs("usage: place_reduct ROUNDS WORKERS VECTORS LENGTH\n", stderr), 2;
  const int rounds = std::max(1, std::atoi(argv[1])), workers = std::max(1, std::atoi(argv[2]));
  const auto length = static_cast<std::size_t>(std::max(1, std::atoi(argv[4])));
  const linalg::kernel_set kernels;
  vectors all(static_cast<std::size_t>(std::max(1, std::atoi(argv[3]))));
  std::vector<float> by_loop, by_tasks;
  std::vector<double> loop, tasks;
  const ms::Runtime runtime({.workers = workers});
  for (int i = -1; i < rounds; ++i)  // the first round finds cold pages
    for (const bool is_loop : {i % 2 != 0, i % 2 == 0}) {
      fill(all, length);
      const double took = place::time_of([&] {
                            if (is_loop)
                              sum(all, [&](const std::vector<float>& from, std::vector<float>& to) {
                                kernels.add(ms::view<const float>(from), ms::view<float>(to));
                              });
                            else
                              sum(all, [&](const std::vector<float>& from, std::vector<float>& to) {
                                ms::task(kernels.add, ms::in(from), ms::inout(to));
                              });
                            ms::wait();
                          }).wall;
      (is_loop ? by_loop : by_tasks) = all[0];
      if (i >= 0) (is_loop ? loop : tasks).push_back(took);
    }
  const bool right = by_loop == by_tasks;
  std::printf("{\"right\": %s, \"seconds\": {", right ? "true" : "false");
  print("tasks", tasks, ", ");
  print("loop", loop, "}}\n");
  return right ? 0 : 1;
}
