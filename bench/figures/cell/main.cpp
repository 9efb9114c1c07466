// RAxML and PBPI on a Cell, in declared costs (multigrain-cell, 3.1 and 3.2): prints how long a run takes on the
// machine that MASLIN_MACHINE describes. `maslin figures` calls this program with the numbers of README.md.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include "application.hpp"
#include "length_factor.hpp"
#include "maslin/maslin.hpp"
#include "messages.hpp"

namespace ms = maslin;
using us = std::chrono::duration<double, std::micro>;

namespace {

cell::application what;

/// The loop of a kernel. Who calls this is its master: gives the workers their parts and waits for them.
void loop(double factor, std::int64_t iterations) {
  const us each(what.loop_us * factor / static_cast<double>(what.iterations));
  const cell::division parts(iterations, ms::width(), what.chunk);
  ms::parallel_for(
      0, parts.count, [&](ms::range r) { ms::cost(static_cast<double>(parts.size(r.first)) * each); }, ms::block{1});
}

void kernel_body(double factor, std::int64_t iterations) {
  ms::cost(us(what.serial_us * factor));
  loop(factor, iterations);
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

/// A generation of one process: so many loops in the mean over its share of the columns, then a sum over all processes.
void make_generation(double loops, std::int64_t process, std::int64_t processes, std::int64_t g,
                     cell::messenger& between) {
  const std::int64_t share = what.iterations / processes + (process < what.iterations % processes ? 1 : 0);
  const auto loops_before = [&](std::int64_t of) { return std::llround(loops * static_cast<double>(of)); };
  for (std::int64_t k = loops_before(g); k < loops_before(g + 1); ++k) off_load(process, k, share);
  between.combine(process, g);
}

/// PBPI: a fixed number of processes. `right_sized`: in each a policy sizes a phase of one stream, which it gives more
/// or fewer of the process's workers.
void pbpi(std::int64_t processes, std::int64_t generations, double loops, const cell::messages& messages,
          bool right_sized) {
  cell::messenger between(processes, messages);
  const auto run = [&](std::int64_t process) {
    between.begin(process);
    for (std::int64_t g = 0; g < generations; ++g) make_generation(loops, process, processes, g, between);
    between.end(process, generations);
  };
  ms::phase("processes", processes, [&](std::int64_t process) {
    const int at_a_time = ms::report("processes")->current.streams;
    if (at_a_time < processes)
      throw ms::error(
          fmt::format("{} processes must run at the same time, but only {} do; set MASLIN_PIN=processes={}x1",
                      processes, at_a_time, processes));
    if (right_sized)
      ms::phase("generations", 1, [&](std::int64_t) { run(process); });
    else
      run(process);
  });
}

const std::map<std::string, cell::pattern> patterns{{"tree", cell::pattern::tree},
                                                    {"all-to-all", cell::pattern::all_to_all}};
const std::map<std::string, cell::waiting> ways{{"block", cell::waiting::block},
                                                {"as-kernel", cell::waiting::as_kernel},
                                                {"yield", cell::waiting::yield},
                                                {"adaptive", cell::waiting::adaptive},
                                                {"spin", cell::waiting::spin}};

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app{"RAxML or PBPI on a described Cell, in declared costs; prints seconds as JSON."};
  std::int64_t streams = 1, offloads = 1000, generations = 100;
  double loops = 1;
  cell::messages messages;
  app.require_subcommand(1);
  CLI::App* tree_search = app.add_subcommand("raxml", "bootstraps");
  CLI::App* chain = app.add_subcommand("pbpi", "a Markov chain over several processes");
  for (CLI::App* one : {tree_search, chain}) {
    one->add_option("--streams", streams, "bootstraps, or processes")->check(CLI::PositiveNumber);
    one->add_option("--host-us", what.host_us, "host time between two off-loads")->required();
    one->add_option("--serial-us", what.serial_us, "serial part of a kernel")->required();
    one->add_option("--loop-us", what.loop_us, "loop of a kernel on one worker")->required();
    one->add_option("--iterations", what.iterations, "of that loop")->required()->check(CLI::PositiveNumber);
    one->add_option("--chunk", what.chunk, "least iterations per worker")->required()->check(CLI::PositiveNumber);
    one->add_option("--spread", what.spread, "standard deviation of lengths / mean")
        ->required()
        ->check(CLI::Range(0.0, 1.0));
  }
  tree_search->add_option("--offloads", offloads, "kernels of a bootstrap")->check(CLI::PositiveNumber);
  chain->add_option("--generations", generations)->check(CLI::PositiveNumber);
  chain->add_option("--loops", loops, "of a generation, in the mean")->check(CLI::PositiveNumber);
  chain->add_option("--message-us", messages.us, "host time of a message, both sides together")
      ->check(CLI::NonNegativeNumber);
  chain->add_option("--messages", messages.who, "tree or all-to-all")->transform(CLI::CheckedTransformer(patterns));
  chain->add_option("--waiting", messages.how, "what a process does until a message is there")
      ->transform(CLI::CheckedTransformer(ways));
  chain->add_flag("--one-at-a-time", messages.one_at_a_time, "messages pass the shared memory one after the other");
  bool right_sized = false;
  chain->add_flag("--right-sized", right_sized, "a process is a phase of its own, which is sized");
  CLI11_PARSE(app, argc, argv);
  // Who spins for the lock keeps the one that holds it from going on; who waits as for a kernel may lose it to another.
  if (messages.one_at_a_time && messages.how != cell::waiting::block && messages.how != cell::waiting::yield) {
    fmt::print(stderr, "figures_cell: --one-at-a-time expects --waiting block or yield\n");
    return 2;
  }

  ms::Runtime runtime;
  const auto begin = ms::time();
  if (*tree_search)
    raxml(streams, offloads);
  else
    pbpi(streams, generations, loops, messages, right_sized);
  const double seconds = (ms::time() - begin).count();
  const auto chosen = ms::report(*tree_search ? "bootstraps" : right_sized ? "generations" : "processes")->chosen;
  fmt::print("{{\"seconds\": {:.9g}, \"chosen\": \"{}\"}}\n", seconds,
             chosen ? fmt::format("{}x{}", chosen->streams, chosen->width) : "");
} catch (const ms::error& e) {
  fmt::print(stderr, "figures_cell: {}\n", e.what());
  return 2;
}
