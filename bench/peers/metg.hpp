#pragma once
// The length of a task at which two workers are as fast as one (METG 50 %), in graphs of steps: each column's value is
// made of some columns' values of the step before. A graph gives reset(), serially() and state(), its newest values.

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "measure.hpp"

namespace bench {

constexpr std::uint64_t mixed(std::uint64_t x) { return x * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U; }

/// What the tasks of such a graph do; one at a time, so that a recorded graph can be replayed with tasks of another
/// length.
struct task_work {
  long steps = 0;
  double expected = 0;

  void set(double steps_wanted) {
    steps = static_cast<long>(steps_wanted);
    expected = work(steps);
  }
  /// Does the work; gives 0, unless it went wrong.
  std::uint64_t run() const { return work(steps) != expected; }
};
inline task_work each_task;

/// A graph's time on two workers over that on one without any runtime, for tasks of a given length.
template <class Graph, class Parallel>
class against_serial {
 public:
  against_serial(Graph& g, Parallel parallel)
      : graph_(g), parallel_(parallel), steps_per_second_(1e3 * static_cast<double>(steps_for(1e-3))) {}

  /// Gives both workers' seconds and notes the ratio.
  double run(double length_s) {
    each_task.set(length_s * steps_per_second_);
    graph_.reset();
    const double serial = seconds_of([&] { graph_.serially(); });
    const auto expected = graph_.state();
    graph_.reset();
    const double taken = seconds_of(parallel_);
    right = right && graph_.state() == expected;
    ratios.push_back(taken / serial);
    return taken;
  }
  /// Gives the median ratio of three runs.
  double ratio(double length_s) {
    ratios.clear();
    for (int i = 0; i < 3; ++i) run(length_s);
    return median(ratios);
  }

  bool right = true;
  std::vector<double> ratios;

 private:
  Graph& graph_;
  Parallel parallel_;
  double steps_per_second_;
};

/// Bisects for the length at which the ratio is 1.
template <class Graph, class Parallel>
result at_least_length(const char* figure, Graph& g, Parallel parallel) {
  constexpr double longest = 130e-6;
  against_serial both(g, parallel);
  time_of([&] { return both.run(1e-6); });
  double low = 0.03e-6, high = longest;
  for (int halvings = 0; halvings < 9; ++halvings) {  // to 2 %
    const double middle = std::sqrt(low * high);
    (both.ratio(middle) > 1 ? low : high) = middle;
  }
  return {figure, {high, high}, 1, both.right, {{"beyond", high == longest}}};
}

/// Task Bench's patterns (Slaughter et al., SC 2020) of eight columns.
struct pattern_graph {
  static constexpr int width = 8;
  static constexpr int steps = 250;

  struct alignas(64) cell {
    std::uint64_t value;
  };
  /// The columns that a column's value is made of, in order.
  struct sources {
    int count = 0;
    std::array<int, width> columns{};
    void add(int column) {
      if (column >= 0 && column < width) columns[static_cast<std::size_t>(count++)] = column;
    }
  };

  explicit pattern_graph(std::string_view pattern) : name(pattern) {}

  sources of(int step, int column) const {
    sources all;
    if (name == "fft") {
      const int far = 1 << step % 3;
      for (const int other : {column - far, column, column + far}) all.add(other);
    } else {
      const int reach = name == "stencil" ? 1 : name == "nearest" ? 2 : width;
      for (int other = column - reach; other <= column + reach; ++other) all.add(other);
    }
    return all;
  }

  std::uint64_t* at(int step, int column) {
    return &cells[static_cast<std::size_t>((step & 1) * width + column)].value;
  }
  static std::uint64_t made_of(const std::uint64_t* const* from, int count) {
    std::uint64_t x = each_task.run();
    for (int i = 0; i < count; ++i) x = mixed(x + *from[i]);
    return x;
  }
  /// Makes the value of a column in the step after `step`.
  void make(int step, int column) {
    const sources from = of(step, column);
    std::array<const std::uint64_t*, width> values{};
    for (int i = 0; i < from.count; ++i)
      values[static_cast<std::size_t>(i)] = at(step, from.columns[static_cast<std::size_t>(i)]);
    *at(step + 1, column) = made_of(values.data(), from.count);
  }

  void reset() {
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i].value = i;
  }
  void serially() {
    for (int step = 0; step < steps; ++step)
      for (int column = 0; column < width; ++column) make(step, column);
  }
  std::vector<std::uint64_t> state() {
    std::vector<std::uint64_t> values;
    for (int column = 0; column < width; ++column) values.push_back(*at(steps, column));
    return values;
  }

  std::string_view name;
  std::array<cell, 2 * width> cells{};
};

}  // namespace bench
