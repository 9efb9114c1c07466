// RAxML and PBPI on a Cell, in declared costs (multigrain-cell, 3.1 and 3.2): prints how long a run takes on the
// machine that MASLIN_MACHINE describes. `maslin figures` calls this program with the numbers of README.md.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>

#include "application.hpp"
#include "length_factor.hpp"
#include "maslin/maslin.hpp"

namespace ms = maslin;
using us = std::chrono::duration<double, std::micro>;

namespace {

cell::application what;

void kernel_body(double factor, std::int64_t iterations) {
  ms::cost(us(what.serial_us * factor));
  const us each(what.loop_us * factor / static_cast<double>(what.iterations));
  const cell::division parts(iterations, ms::width(), what.chunk);
  ms::parallel_for(
      0, parts.count, [&](ms::range r) { ms::cost(static_cast<double>(parts.size(r.first)) * each); }, ms::block{1});
}
const ms::kernel likelihood{"likelihood", kernel_body};

void off_load(std::int64_t stream, std::int64_t k, std::int64_t iterations) {
  const double factor = cell::length_factor(what.spread, stream, k);
  ms::cost(us(what.host_us * factor));
  ms::offload(likelihood, factor, iterations);
}

/// RAxML: independent bootstraps, each a control flow of its own.
void raxml(std::int64_t bootstraps, std::int64_t offloads) {
  ms::phase("bootstraps", bootstraps, [&](std::int64_t i) {
    for (std::int64_t k = 0; k < offloads; ++k) off_load(i, k, what.iterations);
  });
}

/// PBPI: a fixed number of processes, each with its share of the columns; after every generation all wait for all. In
/// one phase, so that a policy of right-sizing sees several generations, nobody waits for the others.
void pbpi(std::int64_t processes, std::int64_t generations, std::int64_t offloads, bool one_phase) {
  const auto some_generations = [&](std::int64_t first, std::int64_t last) {
    ms::phase("processes", processes, [&](std::int64_t i) {
      const std::int64_t share = what.iterations / processes + (i < what.iterations % processes ? 1 : 0);
      for (std::int64_t k = first * offloads; k < last * offloads; ++k) off_load(i, k, share);
    });
  };
  if (one_phase) return some_generations(0, generations);
  for (std::int64_t g = 0; g < generations; ++g) some_generations(g, g + 1);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"RAxML or PBPI on a described Cell, in declared costs; prints seconds as JSON."};
  std::int64_t streams = 1, offloads = 1000, generations = 100;
  app.require_subcommand(1);
  CLI::App* tree_search = app.add_subcommand("raxml", "bootstraps");
  CLI::App* chain = app.add_subcommand("pbpi", "a Markov chain over several processes");
  for (CLI::App* one : {tree_search, chain}) {
    one->add_option("--streams", streams, "bootstraps, or processes")->check(CLI::PositiveNumber);
    one->add_option("--offloads", offloads, "kernels of a bootstrap, or of a process and generation")
        ->check(CLI::PositiveNumber);
    one->add_option("--host-us", what.host_us, "host time between two off-loads")->required();
    one->add_option("--serial-us", what.serial_us, "serial part of a kernel")->required();
    one->add_option("--loop-us", what.loop_us, "loop of a kernel on one worker")->required();
    one->add_option("--iterations", what.iterations, "of that loop")->required()->check(CLI::PositiveNumber);
    one->add_option("--chunk", what.chunk, "least iterations per worker")->required()->check(CLI::PositiveNumber);
    one->add_option("--spread", what.spread, "standard deviation of lengths / mean")
        ->required()
        ->check(CLI::Range(0.0, 1.0));
  }
  chain->add_option("--generations", generations)->check(CLI::PositiveNumber);
  bool one_phase = false;
  chain->add_flag("--one-phase", one_phase, "all generations in one phase");
  CLI11_PARSE(app, argc, argv);

  ms::Runtime runtime;
  const auto begin = ms::time();
  if (*tree_search)
    raxml(streams, offloads);
  else
    pbpi(streams, generations, offloads, one_phase);
  const double seconds = (ms::time() - begin).count();
  const auto chosen = ms::report(*tree_search ? "bootstraps" : "processes")->chosen;
  fmt::print("{{\"seconds\": {:.9g}, \"chosen\": \"{}\"}}\n", seconds,
             chosen ? fmt::format("{}x{}", chosen->streams, chosen->width) : "");
}
