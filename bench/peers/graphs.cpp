// Tasks that wait for data: found fresh each time, and replayed where the runtime can.

#include <string>

#include "figures.hpp"
#include "metg.hpp"
#include "peer.hpp"

namespace bench {

namespace {

using cells = peer::array<std::uint64_t>;

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

std::uint64_t stencil_point(std::uint64_t own, std::uint64_t other) { return mixed(own + 3 * other) + each_task.run(); }

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

template <class Parallel>
results at_fixed_length(const char* figure, stencil_graph& g, Parallel parallel) {
  constexpr double length = 10e-6;
  against_serial both(g, parallel);
  const timing seconds = time_of([&] { return both.run(length); });
  return {{figure, seconds, 0, both.right, {{"over_serial", median(both.ratios)}}}};
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
constexpr auto least = [](const char* figure, stencil_graph& g, auto run) {
  return results{at_least_length(figure, g, run)};
};

/// Tasks that find their dependences each time.
results fresh_pattern(std::string_view pattern) {
  if (!peer::has_wide_graphs) return {};
  pattern_graph g(pattern);
  const auto emit = [&g](peer::graph& out) {
    for (int step = 0; step < pattern_graph::steps; ++step)
      for (int column = 0; column < pattern_graph::width; ++column) {
        const pattern_graph::sources from = g.of(step, column);
        std::array<const std::uint64_t*, pattern_graph::width> values{};
        for (int i = 0; i < from.count; ++i)
          values[static_cast<std::size_t>(i)] = g.at(step, from.columns[static_cast<std::size_t>(i)]);
        peer::wide_task(out, values.data(), from.count, g.at(step + 1, column), pattern_graph::made_of);
      }
  };
  return {at_least_length(("metg-fresh-" + std::string(pattern)).c_str(), g, [&] { peer::run_graph(emit); })};
}

/// A loop over the columns each step.
results pattern_as_loops(std::string_view pattern) {
  results found;
  pattern_graph g(pattern);
  for (std::size_t s = 0; s < peer::schedules.size(); ++s) {
    found.push_back(at_least_length(("metg-loops-" + std::string(pattern)).c_str(), g, [&] {
      for (int step = 0; step < pattern_graph::steps; ++step)
        peer::loop(s, pattern_graph::width, [&](long column) { g.make(step, static_cast<int>(column)); });
    }));
    found.back().schedule = peer::schedules[s];
  }
  return found;
}

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
results metg_fresh_stencil() { return fresh_pattern("stencil"); }
results metg_fresh_nearest() { return fresh_pattern("nearest"); }
results metg_fresh_fft() { return fresh_pattern("fft"); }
results metg_fresh_all_to_all() { return fresh_pattern("all-to-all"); }
results metg_loops_stencil() { return pattern_as_loops("stencil"); }
results metg_loops_nearest() { return pattern_as_loops("nearest"); }
results metg_loops_fft() { return pattern_as_loops("fft"); }
results metg_loops_all_to_all() { return pattern_as_loops("all-to-all"); }

}  // namespace bench
