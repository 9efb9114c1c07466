#pragma once
// The problems for runtimes with a fork of two calls: both(f, g). What has more calls forks in halves, or one and the
// rest.

#include "problems.hpp"

namespace bench::forks {

template <class Forks>
struct halved {
  static long fib(int n) {
    if (n < 2) return n;
    long a = 0, b = 0;
    Forks::both([n, &a] { a = fib(n - 1); }, [n, &b] { b = fib(n - 2); });
    return a + b;
  }

  static long skynet(long first, long leaves) {
    if (leaves == 1) return first;
    const long each = leaves / skynet_children;
    return sum(0, skynet_children, [first, each](long i) { return skynet(first + i * each, each); });
  }

  static long place_queens(const board& above, int row) {
    if (row == queens) return 1;
    const board::some_columns free = above.free_in(row);
    return free.count == 0 ? 0 : columns_from(0, free, above, row);
  }

  static void multiply(const double* a, const double* b, double* c, int n) {
    if (n == leaf_rows) return multiply_leaf(a, b, c, n);
    for (int k = 0; k < 2; ++k) {
      const auto part = [=](int i, int j) {
        multiply(a + quarter(n, i, k), b + quarter(n, k, j), c + quarter(n, i, j), n / 2);
      };
      const auto row = [&part](int i) { Forks::both([&part, i] { part(i, 0); }, [&part, i] { part(i, 1); }); };
      Forks::both([&row] { row(0); }, [&row] { row(1); });
    }
  }

 private:
  /// One column, and the rest of the row.
  static long columns_from(int i, const board::some_columns& free, const board& above, int row) {
    const auto this_one = [&above, &free, row, i] { return place_queens(above.with(row, free.begin()[i]), row + 1); };
    if (i + 1 == free.count) return this_one();
    long a = 0, b = 0;
    Forks::both([&a, &this_one] { a = this_one(); }, [&, row, i] { b = columns_from(i + 1, free, above, row); });
    return a + b;
  }

  /// Gives the sum of `call(i)` for each i of [first, last), which is not empty.
  template <class Call>
  static long sum(long first, long last, const Call& call) {
    if (last - first == 1) return call(first);
    const long middle = first + (last - first) / 2;
    long a = 0, b = 0;
    Forks::both([&, first, middle] { a = sum(first, middle, call); },
                [&, middle, last] { b = sum(middle, last, call); });
    return a + b;
  }
};

}  // namespace bench::forks
