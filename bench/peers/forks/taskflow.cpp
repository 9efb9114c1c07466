// Taskflow: task groups, which may be nested.

#include <taskflow/taskflow.hpp>

#include "checkout.hpp"
#include "plain.hpp"

namespace {

using namespace bench::forks;

tf::Executor* executor;

struct tasks {
  tf::TaskGroup group = executor->task_group();

  template <class F>
  void run(F&& f) {
    group.silent_async(std::forward<F>(f));
  }
  void wait() { group.corun(); }
};

struct solver {
  tf::Executor workers{bench::workers};

  solver() { executor = &workers; }

  long fib() {
    return workers.async([] { return plain<tasks>::fib(fib_of); }).get();
  }
  long skynet() {
    return workers.async([] { return plain<tasks>::skynet(0, skynet_leaves); }).get();
  }
  long place_queens() {
    return workers.async([] { return plain<tasks>::place_queens({}, 0); }).get();
  }
  void multiply(product& p) {
    workers.async([&p] { plain<tasks>::multiply(p.a.data(), p.b.data(), p.c.data(), matrix_rows); }).get();
  }
};

}  // namespace

int main(int count, char** words) {
  bench::restrict_to_two_cpus();
  solver two;
  return print_all(two, "Taskflow", "default", count, words) ? 0 : 1;
}
