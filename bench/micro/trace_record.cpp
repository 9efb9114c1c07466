// What tracing costs: one record alone, and a worker that makes 80,000 off-loads a second, as a phylogenetic search on
// a small alignment does, with and without a trace.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "maslin/trace.hpp"
#include "trace/recorder.hpp"

namespace {

namespace trace = maslin::trace;
using enum trace::event_kind;

std::string path() { return std::filesystem::temp_directory_path() / ("trace_record_" + std::to_string(getpid())); }

void record_off(benchmark::State& state) {
  while (state.KeepRunning()) trace::record(0, steal, 0, 1);
}
BENCHMARK(record_off);

/// One event every 100 ns or so, so that the drainer keeps up and no event is dropped.
void record_on(benchmark::State& state) {
  if (state.thread_index() == 0) trace::start(path(), state.threads());
  std::uint64_t n = 0;
  while (state.KeepRunning()) {
    trace::record(state.thread_index(), offload_begin, 1, n & 1);
    ++n;
  }
  if (state.thread_index() == 0) trace::stop();
}
BENCHMARK(record_on)->Iterations(60'000);

/// Stands for a kernel: arithmetic that takes about twelve microseconds and depends on nothing outside.
double kernel(double x) {
  for (int i = 0; i < 3'000; ++i) x = x * 0.999'999 + 1e-9;
  return x;
}

/// Off-loads whose loops a team shares: six events each. `on` says whether a trace is recorded.
void offloads(benchmark::State& state) {
  const bool on = state.range(0) != 0;
  const int self = state.thread_index();
  if (on && self == 0) trace::start(path(), state.threads());
  double x = 1;
  while (state.KeepRunning()) {
    trace::record(self, offload_begin, 1, 2);
    trace::record(self, loop_begin, 2, trace::loop_shape{4, 2});
    trace::record(self, chunk_begin, 2, trace::chunk_at{0, 0, 2});
    x = kernel(x);
    trace::record(self, chunk_end, 2, trace::chunk_at{0, 0, 2});
    trace::record(self, loop_end, 2, trace::loop_shape{4, 2});
    trace::record(self, offload_end, 1, 2);
  }
  benchmark::DoNotOptimize(x);
  if (on && self == 0) {
    trace::stop();
    const trace::file written(path());
    state.counters["dropped"] = static_cast<double>(written.about().dropped());
    state.counters["bytes/event"] =
        static_cast<double>(std::filesystem::file_size(path())) / static_cast<double>(written.about().events());
    std::filesystem::remove(path());
  }
}
BENCHMARK(offloads)->ArgName("on")->Arg(0)->Arg(1)->Threads(1)->Threads(2)->UseRealTime()->MinTime(1);

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  std::filesystem::remove(path());
  return 0;
}
