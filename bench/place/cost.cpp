// What scheduling a task costs under the other policies more than under dbs, in CPU time: empty tasks that are all
// handed over. Medians and quartiles of runs by turns.
//
//   place_cost [ROUNDS [WORKERS]]      by default 9 and 1

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

void report(const char* name, int rounds, int workers, auto&& create) {
  std::vector<place::side> sides = place::all_policies();
  place::by_turns(sides, rounds, workers, [&](const place::side&) {
    return place::time_of([&] {
      create();
      ms::wait();
    });
  });
  const auto nanoseconds = [](double seconds) { return 1e9 * seconds / tasks; };
  const place::side& dbs = sides.front();
  std::printf("%-28s dbs %5.0f ns a task", name,
              dbs.beside(dbs, [&](place::taken d, place::taken) { return nanoseconds(d.cpu); }).median());
  for (std::size_t i = 1; i < sides.size(); ++i) {
    const place::spread more =
        sides[i].beside(dbs, [&](place::taken one, place::taken d) { return nanoseconds(one.cpu - d.cpu); });
    std::printf(", %s %+5.0f (%+.0f to %+.0f)", sides[i].name.c_str(), more.median(), more.at(0.25), more.at(0.75));
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 9;
  const int workers = argc > 2 ? std::max(1, std::atoi(argv[2])) : 1;
  setenv("MASLIN_AT_ONCE", "0", 1);
  std::vector<block> b(3 * data);
  report("no data", rounds, workers, [] {
    for (int i = 0; i < tasks; ++i) empty_task();
  });
  report("one datum each", rounds, workers, [&] {
    for (int i = 0; i < tasks; ++i) empty_task(ms::inout(b[static_cast<std::size_t>(i) % data]));
  });
  // As of a product of matrices.
  report("three data, chains of 16", rounds, workers, [&] {
    for (std::size_t i = 0; i < tasks; ++i)
      empty_task(ms::in(b[i % data]), ms::in(b[data + i * 7 % data]), ms::inout(b[2 * data + i / 16 % data]));
  });
  report("three data, no chains", rounds, workers, [&] {
    for (std::size_t i = 0; i < tasks; ++i)
      empty_task(ms::in(b[i % data]), ms::in(b[data + i * 7 % data]), ms::inout(b[2 * data + i % data]));
  });
  return 0;
}
