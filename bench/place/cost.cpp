// What scheduling a task costs under locality more than under dbs, in CPU time: empty tasks that are all handed over.
// Medians of pairs of runs by turns.
//
//   place_cost [PAIRS [WORKERS]]      by default 9 and 1

#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "by_turns.hpp"

namespace ms = maslin;

namespace {

constexpr int tasks = 100'000;
constexpr std::size_t data = 512;

struct alignas(64) block {
  std::array<char, 4096> bytes;
};

template <class... Accesses>
void empty_task(Accesses... of) {
  ms::task([](const auto&...) {}, of...);
}

void report(const char* name, int pairs, int workers, auto&& create) {
  const place::pairs all = place::by_turns(pairs, workers, [&] {
    return place::time_of([&] {
      create();
      ms::wait();
    });
  });
  const auto nanoseconds = [](double seconds) { return 1e9 * seconds / tasks; };
  const place::spread dbs = all.each([&](place::taken d, place::taken) { return nanoseconds(d.cpu); });
  const place::spread more = all.each([&](place::taken d, place::taken l) { return nanoseconds(l.cpu - d.cpu); });
  std::printf("%-28s dbs %5.0f ns a task, locality %+5.0f (quartiles %+5.0f %+5.0f)\n", name, dbs.median(),
              more.median(), more.at(0.25), more.at(0.75));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::max(1, std::atoi(argv[1])) : 9;
  const int workers = argc > 2 ? std::max(1, std::atoi(argv[2])) : 1;
  setenv("MASLIN_AT_ONCE", "0", 1);
  std::vector<block> b(3 * data);
  report("no data", pairs, workers, [] {
    for (int i = 0; i < tasks; ++i) empty_task();
  });
  report("one datum each", pairs, workers, [&] {
    for (int i = 0; i < tasks; ++i) empty_task(ms::inout(b[static_cast<std::size_t>(i) % data]));
  });
  // As of a product of matrices.
  report("three data, chains of 16", pairs, workers, [&] {
    for (std::size_t i = 0; i < tasks; ++i)
      empty_task(ms::in(b[i % data]), ms::in(b[data + i * 7 % data]), ms::inout(b[2 * data + i / 16 % data]));
  });
  report("three data, no chains", pairs, workers, [&] {
    for (std::size_t i = 0; i < tasks; ++i)
      empty_task(ms::in(b[i % data]), ms::in(b[data + i * 7 % data]), ms::inout(b[2 * data + i % data]));
  });
  return 0;
}
