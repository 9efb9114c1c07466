// libfork: coroutines whose continuations are stolen, on its pool that spins and on its pool that sleeps.

#include <libfork.hpp>

#include "checkout.hpp"

namespace {

using namespace bench::forks;

constexpr auto fib = [](auto self, int n) -> lf::task<long> {
  if (n < 2) co_return n;
  long a = 0, b = 0;
  co_await lf::fork[&a, self](n - 1);
  co_await lf::call[&b, self](n - 2);
  co_await lf::join;
  co_return a + b;
};

constexpr auto skynet = [](auto self, long first, long leaves) -> lf::task<long> {
  if (leaves == 1) co_return first;
  std::array<long, skynet_children> sums{};
  const long each = leaves / skynet_children;
  for (long i = 0; i + 1 < skynet_children; ++i)
    co_await lf::fork[&sums[static_cast<std::size_t>(i)], self](first + i * each, each);
  co_await lf::call[&sums.back(), self](first + (skynet_children - 1) * each, each);
  co_await lf::join;
  long all = 0;
  for (const long sum : sums) all += sum;
  co_return all;
};

constexpr auto place_queens = [](auto self, board above, int row) -> lf::task<long> {
  if (row == queens) co_return 1;
  std::array<long, queens> ways{};
  for (const int column : above.free_in(row))
    co_await lf::fork[&ways[static_cast<std::size_t>(column)], self](above.with(row, column), row + 1);
  co_await lf::join;
  long all = 0;
  for (const long some : ways) all += some;
  co_return all;
};

constexpr auto multiply = [](auto self, const double* a, const double* b, double* c, int n) -> lf::task<void> {
  if (n == leaf_rows) {
    multiply_leaf(a, b, c, n);
    co_return;
  }
  for (int k = 0; k < 2; ++k) {
    for (int part = 0; part < 3; ++part) {
      const int i = part / 2, j = part % 2;
      co_await lf::fork[self](a + quarter(n, i, k), b + quarter(n, k, j), c + quarter(n, i, j), n / 2);
    }
    co_await lf::call[self](a + quarter(n, 1, k), b + quarter(n, k, 1), c + quarter(n, 1, 1), n / 2);
    co_await lf::join;
  }
};

template <class Pool>
struct solver {
  Pool pool{bench::workers};

  long fib() { return lf::sync_wait(pool, ::fib, fib_of); }
  long skynet() { return lf::sync_wait(pool, ::skynet, 0L, skynet_leaves); }
  long place_queens() { return lf::sync_wait(pool, ::place_queens, board{}, 0); }
  void multiply(product& p) {
    lf::sync_wait(pool, ::multiply, static_cast<const double*>(p.a.data()), static_cast<const double*>(p.b.data()),
                  p.c.data(), matrix_rows);
  }
};

template <class Pool>
bool solve_on(const char* schedule, int count, char** words) {
  solver<Pool> two;
  return print_all(two, "libfork", schedule, count, words);
}

}  // namespace

int main(int count, char** words) {
  bench::restrict_to_two_cpus();
  const bool busy = solve_on<lf::busy_pool>("busy", count, words);
  return solve_on<lf::lazy_pool>("lazy", count, words) && busy ? 0 : 1;
}
