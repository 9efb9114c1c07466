// Tasks that wait for data: found fresh each time, and replayed where the runtime can.

#include <cmath>

#include "figures.hpp"
#include "peer.hpp"

namespace bench {

namespace {

using cells = peer::array<std::uint64_t>;

constexpr std::uint64_t mixed(std::uint64_t x) { return x * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U; }

/// n updates of one datum.
struct chain_graph {
  int n = 100'000;
  cells data{1, 1};

  int tasks() const { return n; }
  void reset() { *data.cell(0) = 1; }
  void emit(peer::graph& g) {
    for (int i = 0; i < n; ++i)
      g.task(
          {i - 1}, [](std::uint64_t* x) { *x = mixed(*x); }, data.updates(0));
  }
  bool right() {
    std::uint64_t x = 1;
    for (int i = 0; i < n; ++i) x = mixed(x);
    return *data.cell(0) == x;
  }
};

/// n×n cells inside a border of cells that nobody writes, so that every task has three accesses.
struct wavefront_graph {
  int n = 300;
  cells data{side() * side(), 1};

  std::size_t side() const { return static_cast<std::size_t>(n) + 1; }
  std::size_t at(int row, int col) const {
    return static_cast<std::size_t>(row) * side() + static_cast<std::size_t>(col);
  }
  int tasks() const { return n * n; }
  void reset() {
    for (std::size_t i = 0; i < side() * side(); ++i) *data.cell(i) = i;
  }
  void emit(peer::graph& g) {
    for (int row = 1; row <= n; ++row)
      for (int col = 1; col <= n; ++col) {
        const int self = (row - 1) * n + col - 1;
        g.task(
            {row > 1 ? self - n : -1, col > 1 ? self - 1 : -1},
            [](const std::uint64_t* up, const std::uint64_t* left, std::uint64_t* x) {
              *x = mixed(*x + 3 * *up + *left);
            },
            data.reads(at(row - 1, col)), data.reads(at(row, col - 1)), data.updates(at(row, col)));
      }
  }
  bool right() {
    std::vector<std::uint64_t> x(side() * side());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = i;
    bool same = true;
    for (int row = 1; row <= n; ++row)
      for (int col = 1; col <= n; ++col) {
        auto& here = x[at(row, col)];
        here = mixed(here + 3 * x[at(row - 1, col)] + x[at(row, col - 1)]);
        same = same && here == *data.cell(at(row, col));
      }
    return same;
  }
};

/// What the stencil's tasks do; one at a time, so that a recorded graph can be replayed with tasks of another length.
struct {
  long steps = 0;
  double expected = 0;

  void set(double steps_wanted) {
    steps = static_cast<long>(steps_wanted);
    expected = work(steps);
  }
} stencil_work;

std::uint64_t stencil_point(std::uint64_t own, std::uint64_t other) {
  const bool done = work(stencil_work.steps) == stencil_work.expected;
  return mixed(own + 3 * other) + !done;
}

/// Two columns, each a cache line, in two copies: a step reads one copy and writes the other.
struct stencil_graph {
  int steps = 1000;
  cells data{4, 8};

  static std::size_t at(int step, int column) { return static_cast<std::size_t>(2 * (step & 1) + column); }
  void reset() {
    for (std::size_t i = 0; i < 4; ++i) *data.cell(i) = i;
  }
  void emit(peer::graph& g) {
    for (int t = 0; t < steps; ++t)
      for (int column = 0; column < 2; ++column)
        g.task(
            {2 * (t - 1), t > 0 ? 2 * t - 1 : -1},
            [](const std::uint64_t* own, const std::uint64_t* other, std::uint64_t* x) {
              *x = stencil_point(*own, *other);
            },
            data.reads(at(t, column)), data.reads(at(t, 1 - column)), data.writes(at(t + 1, column)));
  }
  void loops() {
    for (int t = 0; t < steps; ++t)
      peer::loop(peer::even, 2, [&](long i) {
        const int column = static_cast<int>(i);
        *data.cell(at(t + 1, column)) = stencil_point(*data.cell(at(t, column)), *data.cell(at(t, 1 - column)));
      });
  }
  void serially() {
    for (int t = 0; t < steps; ++t)
      for (int column = 0; column < 2; ++column)
        *data.cell(at(t + 1, column)) = stencil_point(*data.cell(at(t, column)), *data.cell(at(t, 1 - column)));
  }
  /// The newest values of both columns.
  std::pair<std::uint64_t, std::uint64_t> state() { return {*data.cell(at(steps, 0)), *data.cell(at(steps, 1))}; }
};

template <class Graph>
results fresh(const char* figure) {
  if (!peer::has_graphs) return {};
  Graph g;
  bool right = true;
  const timing seconds = time_of([&] {
    g.reset();
    const double taken = seconds_of([&] { peer::run_graph([&](peer::graph& out) { g.emit(out); }); });
    right = right && g.right();
    return taken;
  });
  return {{figure, seconds, static_cast<double>(g.tasks()), right}};
}

template <class Graph>
results replayed(const char* figure) {
  if (!peer::replays) return {};
  Graph g;
  g.reset();
  peer::recorded again([&](peer::graph& out) { g.emit(out); });
  bool right = true;
  const timing seconds = time_of([&] {
    g.reset();
    const double taken = seconds_of([&] { again.run(); });
    right = right && g.right();
    return taken;
  });
  return {{figure, seconds, static_cast<double>(g.tasks()), right}};
}

/// The stencil's time on two workers over that on one without any runtime, for tasks of a given length.
template <class Parallel>
class against_serial {
 public:
  against_serial(stencil_graph& g, Parallel parallel)
      : graph_(g), parallel_(parallel), steps_per_second_(1e3 * static_cast<double>(steps_for(1e-3))) {}

  /// Gives both workers' seconds and notes the ratio.
  double run(double length_s) {
    stencil_work.set(length_s * steps_per_second_);
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
  stencil_graph& graph_;
  Parallel parallel_;
  double steps_per_second_;
};

template <class Parallel>
results at_fixed_length(const char* figure, stencil_graph& g, Parallel parallel) {
  constexpr double length = 10e-6;
  against_serial both(g, parallel);
  const timing seconds = time_of([&] { return both.run(length); });
  return {{figure, seconds, 0, both.right, {{"over_serial", median(both.ratios)}}}};
}

/// Bisects for the length at which the ratio is 1.
template <class Parallel>
results at_least_length(const char* figure, stencil_graph& g, Parallel parallel) {
  constexpr double longest = 130e-6;
  against_serial both(g, parallel);
  time_of([&] { return both.run(1e-6); });
  double low = 0.03e-6, high = longest;
  for (int halvings = 0; halvings < 9; ++halvings) {  // to 2 %
    const double middle = std::sqrt(low * high);
    (both.ratio(middle) > 1 ? low : high) = middle;
  }
  return {{figure, {high, high}, 1, both.right, {{"beyond", high == longest}}}};
}

template <class Found>
results stencil_fresh(const char* figure, Found found) {
  if (!peer::has_graphs) return {};
  stencil_graph g;
  return found(figure, g, [&] { peer::run_graph([&](peer::graph& out) { g.emit(out); }); });
}

template <class Found>
results stencil_again(const char* figure, Found found) {
  if (!peer::replays) return {};
  stencil_graph g;
  g.reset();
  peer::recorded again([&](peer::graph& out) { g.emit(out); });
  return found(figure, g, [&] { again.run(); });
}

template <class Found>
results stencil_as_loops(const char* figure, Found found) {
  if (peer::schedules.empty()) return {};
  stencil_graph g;
  return found(figure, g, [&] { g.loops(); });
}

constexpr auto fixed = [](const char* figure, stencil_graph& g, auto run) { return at_fixed_length(figure, g, run); };
constexpr auto least = [](const char* figure, stencil_graph& g, auto run) { return at_least_length(figure, g, run); };

}  // namespace

results chain() { return fresh<chain_graph>("chain"); }
results wavefront() { return fresh<wavefront_graph>("wavefront"); }
results chain_replayed() { return replayed<chain_graph>("chain-replayed"); }
results wavefront_replayed() { return replayed<wavefront_graph>("wavefront-replayed"); }

results stencil() { return stencil_fresh("stencil", fixed); }
results stencil_replayed() { return stencil_again("stencil-replayed", fixed); }
results stencil_loops() { return stencil_as_loops("stencil-loops", fixed); }
results metg() { return stencil_fresh("metg", least); }
results metg_replayed() { return stencil_again("metg-replayed", least); }
results metg_loops() { return stencil_as_loops("metg-loops", least); }

}  // namespace bench
