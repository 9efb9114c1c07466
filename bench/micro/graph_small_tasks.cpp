// What small tasks that wait for data take on two workers, over the plain loop that computes the same in program order,
// by how long a body takes and by what a task reads: its neighbours (stencil), everything (all), a butterfly (fft), or
// two that are drawn (random); fresh, and replayed. Medians of alternating runs; every run's values are compared with
// the plain loop's.
//
//   bench_graph_small_tasks [RUNS [WORKERS [MICROSECONDS]]]      by default 7 and 2, and several lengths of a body
//
// At less than one worker's speed a task is too small to be handed over, and the runtime has to notice: no ratio ought
// to be above 1.1.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {

constexpr std::size_t width = 8;
constexpr int steps = 1000;

std::uint64_t mixed(std::uint64_t x) { return x * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U; }

long body_steps = 0;

/// Takes `body_steps` dependent multiplications.
std::uint64_t worked(std::uint64_t x) {
  for (long i = 0; i < body_steps; ++i) x = mixed(x ^ x >> 29);
  return x;
}

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double median(std::vector<double> of) {
  std::sort(of.begin(), of.end());
  return of[of.size() / 2];
}

/// A value of each column, in two copies: a step reads one copy and writes the other.
struct alignas(64) cell {
  std::uint64_t value;
};
struct field {
  std::array<std::array<cell, width>, 2> copies;

  field() {
    for (std::size_t i = 0; i < width; ++i) copies[0][i].value = copies[1][i].value = i;
  }
  cell& at(int step, std::size_t column) { return copies[step & 1][column]; }
  std::uint64_t sum() const {
    std::uint64_t s = 0;
    for (const auto& copy : copies)
      for (const cell& c : copy) s = mixed(s + c.value);
    return s;
  }
};

// What column i reads in a step.

struct stencil {
  static constexpr const char* name = "stencil";
  static std::array<std::size_t, 3> sources(int, std::size_t i) {
    return {(i + width - 1) % width, i, (i + 1) % width};
  }
};
struct all {
  static constexpr const char* name = "all";
  static std::array<std::size_t, width> sources(int, std::size_t) { return {0, 1, 2, 3, 4, 5, 6, 7}; }
};
struct fft {
  static constexpr const char* name = "fft";
  static std::array<std::size_t, 2> sources(int step, std::size_t i) {
    return {i, i ^ (std::size_t{1} << static_cast<unsigned>(step % 3))};
  }
};
struct random_pairs {
  static constexpr const char* name = "random";
  static std::array<std::size_t, 2> sources(int step, std::size_t i) {
    const std::uint64_t drawn = mixed(mixed(static_cast<std::uint64_t>(step) * width + i));
    const std::size_t first = drawn >> 61;
    return {first, (first + 1 + (drawn >> 40) % (width - 1)) % width};
  }
};

template <class... Sources>
void point(cell& to, const Sources&... from) {
  std::uint64_t x = 0;
  ((x = mixed(x + from.value)), ...);
  to.value = worked(x);
}

template <class Pattern>
void each_point(auto&& visit) {
  for (int t = 0; t < steps; ++t)
    for (std::size_t i = 0; i < width; ++i)
      std::apply([&](auto... sources) { visit(t, i, sources...); }, Pattern::sources(t, i));
}

template <class Pattern>
void in_order(field& f) {
  each_point<Pattern>(
      [&](int t, std::size_t i, auto... sources) { point(f.at(t + 1, i), std::as_const(f.at(t, sources))...); });
}

template <class Pattern>
void by_tasks(field& f) {
  each_point<Pattern>([&](int t, std::size_t i, auto... sources) {
    ms::task([](auto to, auto... from) { point(to[0], from[0]...); }, ms::out(f.at(t + 1, i)),
             ms::in(f.at(t, sources))...);
  });
}

template <class Run>
double time_of(field& f, Run&& run) {
  f = field();
  const double begin = seconds();
  run();
  return seconds() - begin;
}

struct side {
  std::vector<double> seconds;
  std::vector<double> ratios;

  void add(double taken, double plain) {
    seconds.push_back(taken);
    ratios.push_back(taken / plain);
  }
  void print(const char* name) const {
    std::printf("   %s %6.3f us/task, ratio %6.3f", name, 1e6 * median(seconds) / (steps * width), median(ratios));
  }
};

template <class Pattern>
bool measure(int runs, double body_seconds, double steps_per_second) {
  body_steps = static_cast<long>(body_seconds * steps_per_second);
  static field f;
  ms::recording again = ms::record([] { by_tasks<Pattern>(f); });
  std::vector<double> plain;
  side fresh;
  side replayed;
  for (int k = 0; k < runs; ++k) {
    plain.push_back(time_of(f, [] { in_order<Pattern>(f); }));
    const std::uint64_t expected = f.sum();
    fresh.add(time_of(f,
                      [] {
                        by_tasks<Pattern>(f);
                        ms::wait();
                      }),
              plain.back());
    bool right = f.sum() == expected;
    replayed.add(time_of(f, [&] { ms::replay(again); }), plain.back());
    right = right && f.sum() == expected;
    if (right) continue;
    std::printf("%s: the values are wrong\n", Pattern::name);
    return false;
  }
  std::printf("%-8s %5.2f us   plain %6.3f us/task", Pattern::name, 1e6 * body_seconds,
              1e6 * median(plain) / (steps * width));
  fresh.print("fresh");
  replayed.print("replayed");
  std::puts("");
  std::fflush(stdout);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 7;
  const int workers = argc > 2 ? std::max(1, std::atoi(argv[2])) : 2;
  body_steps = 20'000;
  double speed = 0;  // the most of some short runs: those that others have disturbed are slower
  for (std::uint64_t k = 0; k < 200; ++k) {
    const double begin = seconds();
    benchmark::DoNotOptimize(worked(k));
    speed = std::max(speed, static_cast<double>(body_steps) / (seconds() - begin));
  }
  bool right = true;
  std::vector<double> lengths{0.05e-6, 0.1e-6, 0.2e-6, 0.5e-6, 1e-6, 2e-6, 5e-6};
  if (argc > 3) lengths = {1e-6 * std::atof(argv[3])};
  for (const double length : lengths) {
    const ms::Runtime runtime({.workers = workers, .serial = false});
    right = measure<stencil>(runs, length, speed) && measure<all>(runs, length, speed) &&
            measure<fft>(runs, length, speed) && measure<random_pairs>(runs, length, speed) && right;
  }
  return right ? 0 : 1;
}
