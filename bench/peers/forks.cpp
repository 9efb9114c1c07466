// Problems that fork and join all the way down: in forks where the runtime has them, in tasks otherwise.

#include <type_traits>

#include "figures.hpp"
#include "forks/halved.hpp"
#include "forks/plain.hpp"
#include "forks/solve.hpp"
#include "peer.hpp"

namespace bench {

namespace {

struct peer_forks {
  template <class F, class G>
  static void both(F&& f, G&& g) {
    peer::fork(f, g);
  }
};

struct solver {
  using problems = std::conditional_t<peer::has_forks, forks::halved<peer_forks>, forks::plain<peer::tasks>>;

  long fib() {
    long value = 0;
    peer::run([&] { value = problems::fib(forks::fib_of); });
    return value;
  }
  long skynet() {
    long sum = 0;
    peer::run([&] { sum = problems::skynet(0, forks::skynet_leaves); });
    return sum;
  }
  long place_queens() {
    long ways = 0;
    peer::run([&] { ways = problems::place_queens({}, 0); });
    return ways;
  }
  void multiply(forks::product& p) {
    peer::run([&] { problems::multiply(p.a.data(), p.b.data(), p.c.data(), forks::matrix_rows); });
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
