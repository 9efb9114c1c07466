// Full-tree likelihood evaluations as an optimization of model parameters makes them: another model, its transition
// matrices, a conditional likelihood for every inner node, the log-likelihood. BENCH_MSA, BENCH_TREE and BENCH_MODEL
// name the files; the counter items_per_second is evaluations per second.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <string>

#include "maslin/error.hpp"
#include "maslin/maslin.hpp"
#include "phylo/io/alignment.hpp"
#include "phylo/io/newick.hpp"
#include "phylo/io/patterns.hpp"
#include "phylo/like/engine.hpp"
#include "phylo/model/scheme.hpp"

namespace {

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) throw maslin::error(std::string(name) + " is not set: it names a file to measure with");
  return value;
}

phylo::Model read_model(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw maslin::error(file + ": cannot be read");
  return phylo::parse_scheme(std::string(std::istreambuf_iterator<char>(in), {}), file).parts.front().model;
}

void evaluate(benchmark::State& state) {
  const phylo::Alignment alignment = phylo::read_alignment(setting("BENCH_MSA"));
  const phylo::Patterns patterns = phylo::compress(alignment);
  const phylo::Tree tree =
      phylo::read_tree(setting("BENCH_TREE"), patterns.names, "the alignment", phylo::Lengths::required);
  phylo::Model model = read_model(setting("BENCH_MODEL"));
  phylo::Engine engine(patterns, model);

  const double shape = model.alpha;
  const double expected = engine.evaluate(tree);
  bool odd = false;
  for (auto _ : state) {
    odd = !odd;
    model.alpha = odd ? shape * 1.001 : shape;
    engine.set_model(model);
    benchmark::DoNotOptimize(engine.evaluate(tree));
  }
  model.alpha = shape;
  engine.set_model(model);
  if (engine.evaluate(tree) != expected || !std::isfinite(expected)) state.SkipWithError("the likelihood changed");
  state.SetItemsProcessed(state.iterations());
  state.counters["lnl"] = expected;
  state.counters["patterns"] = patterns.count;
}
BENCHMARK(evaluate)->UseRealTime()->Unit(benchmark::kMicrosecond);

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  try {
    const maslin::Runtime runtime;
    benchmark::RunSpecifiedBenchmarks();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "phylo_evaluate: %s\n", e.what());
    return 2;
  }
  return 0;
}
