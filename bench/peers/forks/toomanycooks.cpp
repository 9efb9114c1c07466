// TooManyCooks: coroutines that are spawned together and awaited together.

#define TMC_IMPL
#include <tmc/ex_cpu.hpp>
#include <tmc/spawn_many.hpp>
#include <tmc/spawn_tuple.hpp>
#include <tmc/sync.hpp>
#include <tmc/task.hpp>

#include "checkout.hpp"

namespace {

using namespace bench::forks;

tmc::task<long> fib(int n) {
  if (n < 2) co_return n;
  auto [a, b] = co_await tmc::spawn_tuple(fib(n - 1), fib(n - 2));
  co_return a + b;
}

tmc::task<long> skynet(long first, long leaves) {
  if (leaves == 1) co_return first;
  const long each = leaves / skynet_children;
  std::array<tmc::task<long>, skynet_children> children;
  for (long i = 0; i < skynet_children; ++i) children[static_cast<std::size_t>(i)] = skynet(first + i * each, each);
  const auto sums = co_await tmc::spawn_many<skynet_children>(children.data());
  long all = 0;
  for (const long sum : sums) all += sum;
  co_return all;
}

tmc::task<long> place_queens(board above, int row) {
  if (row == queens) co_return 1;
  std::array<tmc::task<long>, queens> columns;
  std::size_t count = 0;
  for (const int column : above.free_in(row)) columns[count++] = place_queens(above.with(row, column), row + 1);
  if (count == 0) co_return 0;
  const auto ways = co_await tmc::spawn_many(columns.data(), count);
  long all = 0;
  for (const long some : ways) all += some;
  co_return all;
}

tmc::task<void> multiply(const double* a, const double* b, double* c, int n) {
  if (n == leaf_rows) {
    multiply_leaf(a, b, c, n);
    co_return;
  }
  const auto part = [=](int i, int j, int k) {
    return multiply(a + quarter(n, i, k), b + quarter(n, k, j), c + quarter(n, i, j), n / 2);
  };
  for (int k = 0; k < 2; ++k) co_await tmc::spawn_tuple(part(0, 0, k), part(0, 1, k), part(1, 0, k), part(1, 1, k));
}

struct solver {
  tmc::ex_cpu pool;

  solver() { pool.set_thread_count(bench::workers).init(); }

  long fib() { return tmc::post_waitable(pool, ::fib(fib_of)).get(); }
  long skynet() { return tmc::post_waitable(pool, ::skynet(0, skynet_leaves)).get(); }
  long place_queens() { return tmc::post_waitable(pool, ::place_queens({}, 0)).get(); }
  void multiply(product& p) {
    tmc::post_waitable(pool, ::multiply(p.a.data(), p.b.data(), p.c.data(), matrix_rows)).get();
  }
};

}  // namespace

int main(int count, char** words) {
  bench::restrict_to_two_cpus();
  solver two;
  return print_all(two, "TooManyCooks", "default", count, words) ? 0 : 1;
}
