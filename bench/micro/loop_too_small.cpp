// What Maslin adds to work that is too small to be shared and stays with its caller: a loop of 200 iterations
// (`daxpy`), called in a plain function, as a loop, as an off-loaded kernel, and as a kernel with a loop; outside and
// inside a stream. Items are calls. The differences between rows are what a loop and an off-load cost. Each benchmark
// checks what its last call computed.

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>

#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {

constexpr int length = 200;
constexpr int calls = 1000;  // in a stream, between two looks at the benchmark's clock
std::array<double, length> from, to;

constexpr auto add = [](ms::range r) {
  for (const auto i : r) to[static_cast<std::size_t>(i)] += 3 * from[static_cast<std::size_t>(i)];
};

[[gnu::noinline]] void plain() { add({0, length}); }
[[gnu::noinline]] void one_block() { ms::parallel_for(0, length, add, ms::block{length}); }
[[gnu::noinline]] void two_blocks() { ms::parallel_for(0, length, add, ms::block{length / 2}); }
[[gnu::noinline]] void by_length() { ms::parallel_for(0, length, add); }
const ms::kernel plain_kernel{"too_small_plain", plain};
const ms::kernel loop_kernel{"too_small_loop", two_blocks};
void off_load() { ms::offload(plain_kernel); }
void off_load_loop() { ms::offload(loop_kernel); }

void prepare() {
  for (int i = 0; i < length; ++i) from[static_cast<std::size_t>(i)] = i;
  to = {};
}

void check(benchmark::State& state, std::int64_t called) {
  for (int i = 0; i < length; ++i)
    if (to[static_cast<std::size_t>(i)] != 3.0 * i * static_cast<double>(called))
      return state.SkipWithError("an iteration is missing");
  state.SetItemsProcessed(called);
}

template <void (*call)()>
void outside(benchmark::State& state) {
  const ms::Runtime runtime;
  prepare();
  std::int64_t called = 0;
  for (auto _ : state) {
    call();
    ++called;
  }
  check(state, called);
}

/// In the one stream of a phase, which has all workers.
template <void (*call)()>
void in_stream(benchmark::State& state) {
  const ms::Runtime runtime;
  prepare();
  std::int64_t called = 0;
  ms::phase("too_small", 1, [&](std::int64_t) {
    while (state.KeepRunningBatch(calls))
      for (int i = 0; i < calls; ++i, ++called) call();
  });
  check(state, called);
}

BENCHMARK(outside<plain>);
BENCHMARK(outside<one_block>);
BENCHMARK(outside<two_blocks>);
BENCHMARK(outside<by_length>);
BENCHMARK(outside<off_load>);
BENCHMARK(outside<off_load_loop>);
BENCHMARK(in_stream<plain>);
BENCHMARK(in_stream<one_block>);
BENCHMARK(in_stream<two_blocks>);
BENCHMARK(in_stream<by_length>);
BENCHMARK(in_stream<off_load>);
BENCHMARK(in_stream<off_load_loop>);

}  // namespace

BENCHMARK_MAIN();
