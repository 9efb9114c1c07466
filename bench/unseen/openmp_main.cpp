// unseen_openmp NAME: one of the forty programs by OpenMP, set by hand.

#include <omp.h>

#include <CLI/CLI.hpp>

#include "libraries/blas.hpp"
#include "run.hpp"
#include "with_openmp.hpp"

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
