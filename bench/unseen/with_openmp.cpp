// unseen_openmp NAME: one of the forty programs by OpenMP, set by hand: so many streams at a time, and so many threads
// in the loops and library calls of each.

#include <omp.h>

#include <CLI/CLI.hpp>
#include <chrono>

#include "libraries/blas.hpp"
#include "parallelism.hpp"
#include "run.hpp"

namespace unseen {

namespace {
int streams_at_a_time = 1;
int width = 1;
}  // namespace

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

namespace {

using namespace unseen;

int run(const request& what) {
  omp_set_max_active_levels(2);
  if (programs().at(what.name).family == "libraries") blas().openblas_set_num_threads(width);
  nlohmann::json line = run_program(what);
  line["streams"] = streams_at_a_time;
  line["width"] = width;
  line["workers"] = streams_at_a_time * width;
  return print(line);
}

}  // namespace

int main(int argc, char** argv) {
  request what;
  CLI::App app{"One of the forty programs by OpenMP: prints its time as one line of JSON. OMP_SCHEDULE counts.",
               "unseen_openmp"};
  options(app, what);
  app.add_option("--streams", streams_at_a_time, "at a time")->check(CLI::Range(1, 1024))->capture_default_str();
  app.add_option("--width", width, "threads of a stream's loops and library calls")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  return run_main(app, argc, argv, [&] { return run(what); });
}
