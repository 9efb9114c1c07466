// How many packets a second DMAsim passes: streams that miss, that hit, and of several workers in two clusters.

#include <benchmark/benchmark.h>

#include "model/dma/simulation.hpp"

namespace {

using namespace maslin::dma;

/// Workers that get blocks of 16 KiB out of so many bytes each, in turn, into an SL1 of 1 MiB a cluster.
void stream(benchmark::State& state) {
  parameters p;
  p.workers = static_cast<int>(state.range(0));
  p.clusters = static_cast<int>(state.range(1));
  const auto bytes = static_cast<std::uint64_t>(state.range(2));
  simulation s(p);
  std::uint64_t at = 0;
  while (state.KeepRunning()) {
    for (int i = 0; i < 64; ++i) {
      for (int w = 0; w < p.workers; ++w)
        s.add(
            {w, 0, (static_cast<std::uint64_t>(w) << 32) + at, 1 << 14, i % 4 == 3 ? direction::put : direction::get});
      at = (at + (1 << 14)) % bytes;
    }
    s.run();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(s.total().packets()));  // items are packets
}
BENCHMARK(stream)
    ->ArgNames({"workers", "clusters", "bytes"})
    ->Args({1, 1, 1 << 19})
    ->Args({1, 1, 1 << 25})
    ->Args({8, 1, 1 << 16})
    ->Args({8, 1, 1 << 25})
    ->Args({8, 2, 1 << 16})
    ->Args({8, 2, 1 << 25});

}  // namespace

BENCHMARK_MAIN();
