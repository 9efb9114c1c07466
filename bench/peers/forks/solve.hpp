#pragma once
// Times the problems on a runtime and checks each answer. A solver gives fib(), skynet(), place_queens() and
// multiply(product&), each from outside the runtime's workers.

#include "../measure.hpp"
#include "../metg.hpp"
#include "problems.hpp"

namespace bench::forks {

template <class Solve>
result checked(const char* figure, Solve solve) {
  bool right = true;
  const timing seconds = time_of([&] {
    bool same = false;
    const double taken = seconds_of([&] { same = solve(); });
    right = right && same;
    return taken;
  });
  return {figure, seconds, 0, right};
}

template <class Solver>
results solve(Solver& solver, const std::string& figure) {
  if (figure == "forks-fib") return {checked("forks-fib", [&] { return solver.fib() == fib_answer; })};
  if (figure == "forks-skynet") return {checked("forks-skynet", [&] { return solver.skynet() == skynet_answer; })};
  if (figure == "forks-nqueens")
    return {checked("forks-nqueens", [&] { return solver.place_queens() == queens_answer; })};
  if (figure == "forks-matmul") {
    product p;
    const timing seconds = time_of([&] {
      p.reset();
      return seconds_of([&] { solver.multiply(p); });
    });
    return {{"forks-matmul", seconds, 0, p.right()}};
  }
  if constexpr (requires(pattern_graph & g) { solver.run(g); })
    if (constexpr std::string_view begin = "metg-fresh-"; figure.starts_with(begin)) {
      pattern_graph g(std::string_view(figure).substr(begin.size()));
      return {at_least_length(figure.c_str(), g, [&] { solver.run(g); })};
    }
  return {};
}

}  // namespace bench::forks
