#include "with_openmp.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "parallelism.hpp"

namespace unseen {

int streams_at_a_time = 1;
int width = 1;

kernel::kernel(const char*) {}

void off_load(const kernel&, function_ref<void()> body) { body(); }

double run_streams(std::int64_t streams, function_ref<void(std::int64_t)> body) {
  const auto begin = std::chrono::steady_clock::now();
  if (streams_at_a_time == 1) {  // as one writes it by hand: inside another region libgomp keeps no threads
    for (std::int64_t i = 0; i < streams; ++i) body(i);
  } else {
#pragma omp parallel for schedule(dynamic, 1) num_threads(streams_at_a_time)
    for (std::int64_t i = 0; i < streams; ++i) body(i);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

namespace detail {

void pay(double) {}
void moves(double) {}
double slowdown_by_memory() { return 1; }
void run_library(double, double, function_ref<void()> body) { body(); }

void run_loop(std::int64_t n, std::int64_t block, function_ref<void(range)> body, place) {
  const std::int64_t blocks = (n + block - 1) / block;
#pragma omp parallel for schedule(runtime) num_threads(width) if (width > 1)
  for (std::int64_t b = 0; b < blocks; ++b) body({b * block, std::min(n, (b + 1) * block)});
}

double run_sum(std::int64_t n, std::int64_t block, function_ref<double(range)> body, place) {
  const std::int64_t blocks = (n + block - 1) / block;
  std::vector<double> values(static_cast<std::size_t>(blocks));
#pragma omp parallel for schedule(runtime) num_threads(width) if (width > 1)
  for (std::int64_t b = 0; b < blocks; ++b)
    values[static_cast<std::size_t>(b)] = body({b * block, std::min(n, (b + 1) * block)});
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

}  // namespace detail

}  // namespace unseen
