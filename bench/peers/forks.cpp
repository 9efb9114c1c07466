// Problems that fork and join all the way down, in tasks.

#include "figures.hpp"
#include "forks/plain.hpp"
#include "forks/solve.hpp"
#include "peer.hpp"

namespace bench {

namespace {

struct solver {
  using in_tasks = forks::plain<peer::tasks>;

  long fib() {
    long value = 0;
    peer::run([&] { value = in_tasks::fib(forks::fib_of); });
    return value;
  }
  long skynet() {
    long sum = 0;
    peer::run([&] { sum = in_tasks::skynet(0, forks::skynet_leaves); });
    return sum;
  }
  long place_queens() {
    long ways = 0;
    peer::run([&] { ways = in_tasks::place_queens({}, 0); });
    return ways;
  }
  void multiply(forks::product& p) {
    peer::run([&] { in_tasks::multiply(p.a.data(), p.b.data(), p.c.data(), forks::matrix_rows); });
  }
};

results solved(const char* figure) {
  if (!peer::nests) return {};
  solver two;
  return forks::solve(two, figure);
}

}  // namespace

results forks_fib() { return solved("forks-fib"); }
results forks_skynet() { return solved("forks-skynet"); }
results forks_nqueens() { return solved("forks-nqueens"); }
results forks_matmul() { return solved("forks-matmul"); }

}  // namespace bench
