#pragma once
// The problems in plain functions, for runtimes with a set of tasks: run(f) and wait().

#include "problems.hpp"

namespace bench::forks {

template <class Tasks>
struct plain {
  static long fib(int n) {
    if (n < 2) return n;
    long a = 0;
    Tasks half;
    half.run([n, &a] { a = fib(n - 1); });
    const long b = fib(n - 2);
    half.wait();
    return a + b;
  }

  static long skynet(long first, long leaves) {
    if (leaves == 1) return first;
    std::array<long, skynet_children> sums{};
    Tasks children;
    const long each = leaves / skynet_children;
    for (long i = 0; i < skynet_children; ++i)
      children.run(
          [first, each, i, sum = &sums[static_cast<std::size_t>(i)]] { *sum = skynet(first + i * each, each); });
    children.wait();
    long all = 0;
    for (const long sum : sums) all += sum;
    return all;
  }

  static long place_queens(const board& above, int row) {
    if (row == queens) return 1;
    std::array<long, queens> ways{};
    Tasks columns;
    for (const int column : above.free_in(row))
      columns.run([next = above.with(row, column), row, found = &ways[static_cast<std::size_t>(column)]] {
        *found = place_queens(next, row + 1);
      });
    columns.wait();
    long all = 0;
    for (const long some : ways) all += some;
    return all;
  }

  static void multiply(const double* a, const double* b, double* c, int n) {
    if (n == leaf_rows) return multiply_leaf(a, b, c, n);
    for (int k = 0; k < 2; ++k) {
      Tasks quarters;
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          quarters.run([=] { multiply(a + quarter(n, i, k), b + quarter(n, k, j), c + quarter(n, i, j), n / 2); });
      quarters.wait();
    }
  }
};

}  // namespace bench::forks
