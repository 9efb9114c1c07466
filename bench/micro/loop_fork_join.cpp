// What a loop costs: fork and join of an empty loop on the workers there are, and of one that stays with its caller.
// Each benchmark counts its blocks and fails if one is missing. sched/grain's threshold for sharing a kernel stands on
// the first figure.

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdint>

#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {

struct alignas(64) counter {
  std::atomic<std::int64_t> blocks{0};
};

/// An empty loop of `blocks` blocks in which every worker can take part.
void fork_join(benchmark::State& state) {
  const std::int64_t blocks = state.range(0);
  ms::Runtime runtime;
  counter done;
  std::int64_t loops = 0;
  for (auto _ : state) {
    ms::parallel_for(
        0, blocks, [&](ms::range) { done.blocks.fetch_add(1, std::memory_order_relaxed); }, ms::schedule::dbs,
        ms::block{1});
    ++loops;
  }
  if (done.blocks != loops * blocks) state.SkipWithError("a block is missing");
  state.counters["workers"] = ms::workers();
}

/// The same where the loop has one block and stays with its caller.
void in_place(benchmark::State& state) {
  ms::Runtime runtime;
  counter done;
  std::int64_t loops = 0;
  for (auto _ : state) {
    ms::parallel_for(
        0, 100, [&](ms::range) { done.blocks.fetch_add(1, std::memory_order_relaxed); }, ms::block{100});
    ++loops;
  }
  if (done.blocks != loops) state.SkipWithError("a block is missing");
}

/// The same where the loop is too small to be shared, as its call site has learned.
void too_small(benchmark::State& state) {
  ms::Runtime runtime;
  counter done;
  std::int64_t loops = 0;
  for (auto _ : state) {
    ms::parallel_for(
        0, 4, [&](ms::range) { done.blocks.fetch_add(1, std::memory_order_relaxed); }, ms::block{1});
    ++loops;
  }
  if (done.blocks != 4 * loops) state.SkipWithError("a block is missing");
}

/// A task that does nothing, created and run, a thousand at a time.
void tasks(benchmark::State& state) {
  constexpr int batch = 1'000;
  ms::Runtime runtime;
  counter done;
  std::int64_t created = 0;
  for (auto _ : state) {
    for (int i = 0; i < batch; ++i) ms::task([&] { done.blocks.fetch_add(1, std::memory_order_relaxed); });
    ms::wait();
    created += batch;
  }
  if (done.blocks != created) state.SkipWithError("a task is missing");
  state.SetItemsProcessed(created);
}

/// An off-load outside phases: what the runtime adds to a call.
void offload(benchmark::State& state) {
  ms::Runtime runtime;
  static const ms::kernel nothing{"nothing", [](int i) { return i + 1; }};
  int value = 0;
  for (auto _ : state) value = ms::offload(nothing, value);
  if (value != static_cast<int>(state.iterations())) state.SkipWithError("a kernel did not run");
}

BENCHMARK(fork_join)->Arg(2)->Arg(8)->Arg(64)->UseRealTime();
BENCHMARK(in_place);
BENCHMARK(too_small);
BENCHMARK(tasks)->UseRealTime();
BENCHMARK(offload);

}  // namespace

BENCHMARK_MAIN();
