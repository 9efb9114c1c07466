// citor: forkJoin of as many calls as the source names; what has more or fewer forks in halves.

#include <citor/thread_pool.h>

#include "checkout.hpp"

namespace {

using namespace bench::forks;

struct solver {
  citor::ThreadPool pool{bench::workers};

  template <class... Calls>
  void both(Calls&&... calls) {
    pool.forkJoin<citor::HintsDefaults>(std::forward<Calls>(calls)...);
  }

  long fib() { return fib_at(fib_of); }
  long fib_at(int n) {
    if (n < 2) return n;
    long a = 0, b = 0;
    both([this, n, &a] { a = fib_at(n - 1); }, [this, n, &b] { b = fib_at(n - 2); });
    return a + b;
  }

  long skynet() { return skynet_at(0, skynet_leaves); }
  long skynet_at(long first, long leaves) {
    if (leaves == 1) return first;
    std::array<long, skynet_children> sums{};
    const long each = leaves / skynet_children;
    const auto child = [&, each](std::size_t i) {
      return [&, each, i] { sums[i] = skynet_at(first + static_cast<long>(i) * each, each); };
    };
    both(child(0), child(1), child(2), child(3), child(4), child(5), child(6), child(7), child(8), child(9));
    long all = 0;
    for (const long sum : sums) all += sum;
    return all;
  }

  long place_queens() { return row_of_queens({}, 0); }
  long row_of_queens(const board& above, int row) {
    if (row == queens) return 1;
    const board::some_columns free = above.free_in(row);
    return some_columns(above, row, free.begin(), free.count);
  }
  long some_columns(const board& above, int row, const signed char* free, int count) {
    if (count == 0) return 0;
    if (count == 1) return row_of_queens(above.with(row, *free), row + 1);
    long a = 0, b = 0;
    const int half = count / 2;
    both([&, row, half] { a = some_columns(above, row, free, half); },
         [&, row, half, count] { b = some_columns(above, row, free + half, count - half); });
    return a + b;
  }

  void multiply(product& p) { multiply_at(p.a.data(), p.b.data(), p.c.data(), matrix_rows); }
  void multiply_at(const double* a, const double* b, double* c, int n) {
    if (n == leaf_rows) return multiply_leaf(a, b, c, n);
    for (int k = 0; k < 2; ++k) {
      const auto part = [=, this](int i, int j) {
        return [=, this] { multiply_at(a + quarter(n, i, k), b + quarter(n, k, j), c + quarter(n, i, j), n / 2); };
      };
      both(part(0, 0), part(0, 1), part(1, 0), part(1, 1));
    }
  }
};

}  // namespace

int main(int count, char** words) {
  bench::restrict_to_two_cpus();
  solver two;
  return print_all(two, "citor", "default", count, words) ? 0 : 1;
}
