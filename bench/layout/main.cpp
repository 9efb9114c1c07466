// Programs of layered parallelism in declared costs, as RAxML and PBPI are built (ps3-cluster, 3.2), and ranks that
// exchange messages: prints how long a run takes on the machine that MASLIN_MACHINE describes. Their loops are cut at
// blocks, as any loop of Maslin's, so that a run on one worker says what they hold.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "figures/cell/length_factor.hpp"
#include "maslin/maslin.hpp"

namespace ms = maslin;
using us = std::chrono::duration<double, std::micro>;

namespace {

/// Times in microseconds.
struct application {
  double host_us = 0;    ///< between two off-loads
  double serial_us = 0;  ///< of a kernel, on one worker
  double loop_us = 0;    ///< all iterations of its loop, one after the other
  std::int64_t iterations = 1;
  std::int64_t block = 16;
  double spread = 0;       ///< standard deviation of lengths / their mean
  std::int64_t bytes = 0;  ///< that an iteration moves to and from memory; of tiles, that each has
};
application what;

void kernel_body(double factor, std::int64_t iterations) {
  ms::cost(us(what.serial_us * factor));
  const us each(what.loop_us * factor / static_cast<double>(what.iterations));
  ms::parallel_for(
      0, iterations,
      [&](ms::range r) {
        if (what.bytes > 0) ms::memory_traffic(r.size() * what.bytes);
        ms::cost(static_cast<double>(r.size()) * each);
      },
      ms::block{what.block});
}
const ms::kernel likelihood{"likelihood", kernel_body};

void off_load(std::int64_t stream, std::int64_t k, std::int64_t iterations) {
  const double factor = cell::length_factor(what.spread, stream, k);
  ms::cost(us(what.host_us * factor));
  ms::offload(likelihood, factor, iterations);
}

/// Independent bootstraps, each a stream.
void bootstraps(std::int64_t count, std::int64_t offloads) {
  ms::phase("bootstraps", count, [&](std::int64_t i) {
    for (std::int64_t k = 0; k < offloads; ++k) off_load(i, k, what.iterations);
  });
}

/// A chain whose columns are divided among ranks, each a stream; after every generation all wait for all.
void chain(std::int64_t ranks, std::int64_t generations) {
  for (std::int64_t g = 0; g < generations; ++g)
    ms::phase("chain", ranks,
              [&](std::int64_t i) { off_load(i, g, what.iterations / ranks + (i < what.iterations % ranks ? 1 : 0)); });
}

/// A kernel of tasks, each of which reads and writes data of its own.
void tiled_body(char* data, double factor) {
  ms::cost(us(what.serial_us * factor));
  const us each(what.loop_us * factor / static_cast<double>(what.iterations));
  for (std::int64_t i = 0; i < what.iterations; ++i)
    ms::task([each](ms::view<char>) { ms::cost(each); },
             ms::inout(data + i * what.bytes, static_cast<std::size_t>(what.bytes)));
  ms::wait();
}
const ms::kernel tiled{"tiled", tiled_body};

/// Streams of such kernels. No kernel finds data of another one in a local store.
void tiles(std::int64_t count, std::int64_t offloads) {
  ms::phase("tiles", count, [&](std::int64_t i) {
    const std::int64_t of_kernel = what.iterations * what.bytes;
    const std::unique_ptr<char[]> data(new char[static_cast<std::size_t>(offloads * of_kernel)]);  // nobody touches it
    for (std::int64_t k = 0; k < offloads; ++k) {
      const double factor = cell::length_factor(what.spread, i, k);
      ms::cost(us(what.host_us * factor));
      ms::offload(tiled, data.get() + k * of_kernel, factor);
    }
  });
}

/// Ranks that each share a loop in every step, give a row to the next rank and then meet.
void steps(std::int64_t ranks, std::int64_t count) {
  ms::ranks(static_cast<int>(ranks), [&](ms::communicator& world) {
    const int me = world.rank(), all = world.size();
    std::vector<double> row(1000, me), from(1000);
    for (std::int64_t step = 0; step < count; ++step) {
      const double factor = cell::length_factor(what.spread, me, step);
      ms::cost(us(what.host_us * factor));
      kernel_body(factor, what.iterations);
      world.exchange(std::span(row), (me + 1) % all, std::span(from), (me + all - 1) % all);
      world.all_reduce(1.0, std::plus{});
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Programs of layered parallelism, in declared costs; prints seconds as JSON."};
  std::int64_t count = 192, ranks = 1, offloads = 24, generations = 8, rounds = 20;
  app.require_subcommand(1);
  CLI::App* tree_search = app.add_subcommand("bootstraps", "independent streams");
  CLI::App* of_tasks = app.add_subcommand("tiles", "independent streams whose kernels are tasks with data");
  CLI::App* markov = app.add_subcommand("chain", "one stream that ranks divide");
  CLI::App* neighbours = app.add_subcommand("steps", "ranks that exchange messages");
  for (CLI::App* one : {tree_search, of_tasks, markov, neighbours}) {
    one->add_option("--host-us", what.host_us, "host time between two off-loads")->required();
    one->add_option("--serial-us", what.serial_us, "serial part of a kernel")->required();
    one->add_option("--loop-us", what.loop_us, "loop of a kernel on one worker")->required();
    one->add_option("--iterations", what.iterations, "of that loop, or tasks")->required()->check(CLI::PositiveNumber);
    one->add_option("--spread", what.spread, "standard deviation of lengths / mean")->check(CLI::Range(0.0, 1.0));
    one->add_option("--bytes", what.bytes,
                    "that an iteration of the loop moves to and from memory, or that a task reads and writes")
        ->check(CLI::NonNegativeNumber);
  }
  for (CLI::App* one : {tree_search, of_tasks}) {
    one->add_option("--streams", count)->check(CLI::PositiveNumber);
    one->add_option("--offloads", offloads, "of a stream")->check(CLI::PositiveNumber);
  }
  for (CLI::App* one : {markov, neighbours}) one->add_option("--ranks", ranks)->check(CLI::PositiveNumber);
  neighbours->add_option("--steps", rounds)->check(CLI::PositiveNumber);
  markov->add_option("--generations", generations)->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);

  ms::Runtime runtime;
  const auto begin = ms::time();
  if (*tree_search)
    bootstraps(count, offloads);
  else if (*of_tasks)
    tiles(count, offloads);
  else if (*neighbours)
    steps(ranks, rounds);
  else
    chain(ranks, generations);
  fmt::print("{{\"seconds\": {:.9g}}}\n", (ms::time() - begin).count());
}
