// A program that asks for everything that a replay asks for again: tasks with data, in groups and within tasks, loops,
// a phase with off-loads, waits. Its costs are declared and whole microseconds, so that a recording loses nothing.

#include <maslin/maslin.hpp>

#include <chrono>
#include <cstdio>
#include <vector>

namespace ms = maslin;
using namespace std::chrono_literals;
using std::chrono::microseconds;

namespace {

const ms::kernel kernel{"kernel", [](int stream) {
                          ms::parallel_for(
                              0, 8, [stream](ms::range some) { ms::cost(microseconds(some.first + stream)); },
                              ms::block{1});
                        }};

void tasks_with_data() {
  std::vector<double> parts(6), sums(3);
  double all = 0, total = 0;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < parts.size(); ++i)
      ms::task([i](ms::view<double>) { ms::cost(microseconds(20 + i)); }, ms::out(parts[i]));
    for (std::size_t i = 0; i < sums.size(); ++i)
      ms::task([](ms::view<const double>, ms::view<const double>, ms::view<double>) { ms::cost(7us); },
               ms::in(parts[2 * i]), ms::in(parts[2 * i + 1]), ms::inout(sums[i]));
    for (double& sum : sums)
      ms::task([](ms::view<const double>, ms::view<double>) { ms::cost(3us); }, ms::in(sum), ms::reduction(all));
    ms::cost(2us);
  }
  ms::task([](ms::view<const double>, ms::view<double>) { ms::cost(4us); }, ms::in(all), ms::inout(total));
  ms::wait_on(ms::in(all));
  ms::cost(1us);
  ms::wait();
}

void tasks_within_tasks(int depth) {
  ms::cost(2us);
  if (depth == 0) return ms::cost(9us);
  ms::group both;
  for (int i = 0; i < 2; ++i) both.task([depth] { tasks_within_tasks(depth - 1); });
  both.wait();
  ms::cost(1us);
}

void loops() {
  ms::parallel_for(
      0, 8,
      [](ms::range some) {
        ms::cost(microseconds(10 * (1 + some.first)));
        ms::parallel_for(
            0, 4, [](ms::range) { ms::cost(5us); }, ms::block{1});
      },
      ms::block{1});
}

}  // namespace

int main() {
  const ms::Runtime runtime;
  const auto begin = ms::time();
  tasks_with_data();
  tasks_within_tasks(4);
  loops();
  ms::phase("streams", 5, [](auto stream) {
    for (int step = 0; step < 3; ++step) {
      ms::cost(6us);
      ms::offload(kernel, static_cast<int>(stream));
    }
  });
  std::printf("%.9f\n", (ms::time() - begin).count());
  return 0;
}
