// Nanoseconds per site pattern of newview (4 rates, with scaling) for 4 and for 20 states, for each kind of children,
// and of its companions, on one core; and of all with CLVs of floats (_floats). Answers are checked against plain loops
// first. Beside newview of 20 states stands what bounds it: as many multiplications with addition, in registers, and as
// many bytes read and written. Google Benchmark's statistics: take the minimum or the median of several repetitions
// (--benchmark_repetitions=15); the counter per_pattern is the time over the patterns, in seconds.

#include <benchmark/benchmark.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

#include "phylo/like/buffer.hpp"
#include "phylo/like/kernels.hpp"

namespace {

using phylo::Buffer;
using phylo::Kernels;
using phylo::lanes;
using phylo::Operand;

constexpr int rates = 4;

/// Two children of each kind and a parent. CLVs hold numbers of the type N.
template <class N>
struct Data {
  explicit Data(const Kernels& k, int count)
      : states(static_cast<std::size_t>(k.states)),
        patterns(static_cast<std::size_t>(count)),
        groups(count / lanes),
        parent(patterns * states * rates),
        counts(patterns),
        weights(patterns),
        table(patterns * (1 + (states - 1) * rates)),
        factors(3 * static_cast<std::size_t>(phylo::exponent_doubles(rates, k.states))) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> value(0.01, 1);
    // What the codes of a tip stand for: a set of bases each, or an amino acid.
    const std::size_t rows = states * rates;
    Buffer<N> codes_clv(2 * rows * lanes);
    for (std::size_t code = 0; code < 2 * lanes; ++code)
      for (std::size_t row = 0; row < rows; ++row)
        codes_clv[(code / lanes * rows + row) * lanes + code % lanes] = stands_for(code, row % states) ? 1 : 0;
    for (int x = 0; x < 2; ++x) {
      clv[x] = Buffer<N>(patterns * rows);
      scale[x] = Buffer<std::int32_t>(patterns);
      codes[x] = Buffer<std::uint8_t>(patterns);
      matrix[x] = Buffer<double>(states * rows);
      tips[x] = Buffer<double>(static_cast<std::size_t>(phylo::table_doubles(rates, k.states)));
      for (std::size_t i = 0; i < clv[x].size(); ++i) clv[x][i] = static_cast<N>(value(random));
      for (std::size_t p = 0; p < patterns; ++p)
        codes[x][p] = static_cast<std::uint8_t>(states == 4 ? 1u << (random() % 4) : random() % states);
      for (std::size_t i = 0; i < matrix[x].size(); ++i) matrix[x][i] = value(random);
      k.class_table(matrix[x].data(), k.states * k.states, codes_clv.data(), wide() ? 2 : 1, rates, tips[x].data());
    }
    for (std::size_t p = 0; p < patterns; ++p) weights[p] = 1;
    for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = value(random);
  }

  Operand inner(int x) const { return {clv[x].data(), scale[x].data(), nullptr, matrix[x].data(), false}; }
  Operand tip(int x) const { return {nullptr, nullptr, codes[x].data(), tips[x].data(), wide()}; }
  phylo::Newview step(int tip_children) {
    return {parent.data(), counts.data(), tip_children > 0 ? tip(0) : inner(0), tip_children > 1 ? tip(1) : inner(1)};
  }
  bool wide() const { return states != 4; }
  bool stands_for(std::size_t code, std::size_t state) const { return states == 4 ? code >> state & 1 : code == state; }
  std::size_t place(std::size_t p, std::size_t r, std::size_t i) const {
    return (p / lanes * states * rates + states * r + i) * lanes + p % lanes;
  }
  double read(int x, bool is_tip, std::size_t p, std::size_t r, std::size_t j) const {
    return is_tip ? stands_for(codes[x][p], j) : clv[x][place(p, r, j)];
  }

  /// Element of a child's matrix.
  double at(int x, std::size_t r, std::size_t i, std::size_t j) const {
    return matrix[x].data()[states * (states * r + i) + j];
  }

  std::size_t states;
  std::size_t patterns;
  int groups;
  Buffer<N> clv[2], parent;
  Buffer<double> matrix[2], tips[2];
  Buffer<std::int32_t> scale[2], counts;
  Buffer<std::uint8_t> codes[2];
  Buffer<double> weights, table, factors;
};

[[noreturn]] void wrong(const Kernels& k, const char* what) {
  std::fprintf(stderr, "phylo_newview: the %s kernels give a wrong %s; no time is worth taking\n", k.name, what);
  std::exit(1);
}

template <class N>
void check(const Kernels& k, int count) {
  Data<N> d(k, count);
  const double rounded = sizeof(N) == sizeof(double) ? 1e-13 : 1e-7;
  for (int tip_children = 0; tip_children < 3; ++tip_children) {
    const phylo::Newview step = d.step(tip_children);
    k.newview(&step, 1, rates, 0, d.groups);
    double lnl = 0;
    for (std::size_t p = 0; p < d.patterns; ++p) {
      double likelihood = 0;
      for (std::size_t r = 0; r < rates; ++r)
        for (std::size_t i = 0; i < d.states; ++i) {
          double a = 0, b = 0;
          for (std::size_t j = 0; j < d.states; ++j) {
            a += d.at(0, r, i, j) * d.read(0, tip_children > 0, p, r, j);
            b += d.at(1, r, i, j) * d.read(1, tip_children > 1, p, r, j);
          }
          const double got = d.parent[d.place(p, r, i)];
          if (!(std::abs(got - a * b) <= rounded * a * b)) wrong(k, "newview");
          likelihood += d.read(0, false, p, r, i) * b;
        }
      lnl += std::log(likelihood);
    }
    if (tip_children == 1) continue;
    const phylo::Evaluation e{d.inner(0), tip_children ? d.tip(1) : d.inner(1), {d.weights.data(), nullptr}};
    if (!(std::abs(k.evaluate(e, rates, 0, d.groups) - lnl) <= 1e-12 * std::abs(lnl))) wrong(k, "evaluate");
  }
}

template <class N, class Run>
void measure(benchmark::State& state, const Kernels& k, Run&& run) {
  Data<N> d(k, static_cast<int>(state.range(0)));
  for (auto _ : state) {
    run(d);
    benchmark::ClobberMemory();
  }
  state.counters["per_pattern"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(d.patterns),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// What bounds newview: so many multiplications with addition, and the product of two arrays in a third one.
struct Bounds {
  double (*multiply_add)(std::int64_t times);
  void (*multiply)(const double* a, const double* b, double* out, std::size_t count);
};

#if defined(__x86_64__)
constexpr int chains = 12;  // more than begin before the first one ends

[[gnu::target("avx2,fma")]] double multiply_add_avx2(std::int64_t times) {
  const __m256d factor = _mm256_set1_pd(0.5), more = _mm256_set1_pd(1);
  __m256d sums[chains];
  for (int i = 0; i < chains; ++i) sums[i] = _mm256_set1_pd(i);  // unlike each other, or one would do for all
  for (std::int64_t done = 0; done < times; done += 4 * chains)
    for (__m256d& sum : sums) sum = _mm256_fmadd_pd(sum, factor, more);
  for (const __m256d& sum : sums) sums[0] = _mm256_add_pd(sums[0], sum);
  return _mm256_cvtsd_f64(sums[0]);
}

[[gnu::target("avx2,fma")]] void multiply_avx2(const double* a, const double* b, double* out, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 4)
    _mm256_store_pd(out + i, _mm256_mul_pd(_mm256_load_pd(a + i), _mm256_load_pd(b + i)));
}

[[gnu::target("avx512f")]] double multiply_add_avx512(std::int64_t times) {
  const __m512d factor = _mm512_set1_pd(0.5), more = _mm512_set1_pd(1);
  __m512d sums[chains];
  for (int i = 0; i < chains; ++i) sums[i] = _mm512_set1_pd(i);  // unlike each other, or one would do for all
  for (std::int64_t done = 0; done < times; done += 8 * chains)
    for (__m512d& sum : sums) sum = _mm512_fmadd_pd(sum, factor, more);
  for (const __m512d& sum : sums) sums[0] = _mm512_add_pd(sums[0], sum);
  return _mm512_cvtsd_f64(sums[0]);
}

[[gnu::target("avx512f")]] void multiply_avx512(const double* a, const double* b, double* out, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 8)
    _mm512_store_pd(out + i, _mm512_mul_pd(_mm512_load_pd(a + i), _mm512_load_pd(b + i)));
}
#endif

/// Gives those of the instructions that kernels use; null where they are not known.
const Bounds* bounds_of([[maybe_unused]] std::string_view instructions) {
#if defined(__x86_64__)
  static constexpr Bounds avx2{multiply_add_avx2, multiply_avx2}, avx512{multiply_add_avx512, multiply_avx512};
  if (instructions == "avx2") return &avx2;
  if (instructions == "avx512") return &avx512;
#endif
  return nullptr;
}

void add_bounds(const Kernels& k, const Bounds& bounds) {
  const auto named = [&](const char* what) {
    return std::string("bound") + std::to_string(k.states) + "_" + what + "/" + k.name;
  };
  // Each row of both children's matrices, and the product of both.
  const std::int64_t products = rates * k.states * (2 * k.states + 1);
  benchmark::RegisterBenchmark(
      named("arithmetic").c_str(),
      [&k, &bounds, products](benchmark::State& state) {
        measure<double>(state, k, [&](const Data<double>& d) {
          benchmark::DoNotOptimize(bounds.multiply_add(products * static_cast<std::int64_t>(d.patterns)));
        });
      })
      ->Arg(1024)
      ->Arg(16384);
  benchmark::RegisterBenchmark(named("memory").c_str(),
                               [&k, &bounds](benchmark::State& state) {
                                 measure<double>(state, k, [&](Data<double>& d) {
                                   bounds.multiply(d.clv[0].data(), d.clv[1].data(), d.parent.data(), d.parent.size());
                                 });
                               })
      ->Arg(1024)
      ->Arg(16384);
}

template <class N>
void add(const Kernels& k) {
  // Of 20 states: newview20_inner_inner.
  const auto name = [&](std::string what) {
    if (k.states != 4) what.insert(std::min(what.find('_'), what.size()), std::to_string(k.states));
    return what + (sizeof(N) == sizeof(float) ? "_floats/" : "/") + k.name;
  };
  const auto sizes = [](benchmark::internal::Benchmark* b) { b->Arg(1024)->Arg(16384); };
  const char* kinds[] = {"newview_inner_inner", "newview_tip_inner", "newview_tip_tip"};
  for (int tip_children = 0; tip_children < 3; ++tip_children)
    sizes(benchmark::RegisterBenchmark(name(kinds[tip_children]).c_str(), [&k, tip_children](benchmark::State& state) {
      measure<N>(state, k, [&](Data<N>& d) {
        const phylo::Newview step = d.step(tip_children);
        k.newview(&step, 1, rates, 0, d.groups);
      });
    }));
  sizes(benchmark::RegisterBenchmark(name("evaluate_inner_inner").c_str(), [&k](benchmark::State& state) {
    measure<N>(state, k, [&](Data<N>& d) {
      const phylo::Evaluation e{d.inner(0), d.inner(1), {d.weights.data(), nullptr}};
      benchmark::DoNotOptimize(k.evaluate(e, rates, 0, d.groups));
    });
  }));
  sizes(benchmark::RegisterBenchmark(name("sumtable_inner_inner").c_str(), [&k](benchmark::State& state) {
    measure<N>(state, k, [&](Data<N>& d) {
      k.sumtable({d.table.data(), d.inner(0), d.inner(1), nullptr}, rates, 0, d.groups);
    });
  }));
  sizes(benchmark::RegisterBenchmark(name("slopes").c_str(), [&k](benchmark::State& state) {
    measure<N>(state, k, [&](Data<N>& d) {
      k.sumtable({d.table.data(), d.inner(0), d.inner(1), nullptr}, rates, 0, 1);
      const double* f = d.factors.data();
      const int part = phylo::exponent_doubles(rates, k.states);
      benchmark::DoNotOptimize(
          k.slopes({d.table.data(), {f, f + part, f + 2 * part}, d.weights.data()}, rates, 0, d.groups).first);
    });
  }));
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  // Whatever runs here, the chosen kernels first: MASLIN_SIMD pins them.
  for (const int states : {4, 20}) {
    const Kernels& chosen = phylo::choose_kernels(states);
    const Kernels& of_floats = phylo::choose_kernels(states, phylo::Precision::binary32);
    for (int count : {64, 1024}) {
      check<double>(chosen, count);
      check<float>(of_floats, count);
    }
    add<double>(chosen);
    add<float>(of_floats);
    if (const Bounds* const bounds = bounds_of(chosen.name); bounds != nullptr && states == 20)
      add_bounds(chosen, *bounds);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
