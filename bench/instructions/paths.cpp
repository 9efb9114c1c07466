// Hot paths for instructions.py: `instructions_paths PATH COUNT` runs one of them COUNT times on one worker and checks
// what it computed. On one worker nothing depends on time, so callgrind counts the same each run.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <vector>

#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {

constexpr int group = 256;  // handed over, or recorded, before a wait
long done = 0;

void count() { ++done; }
const ms::kernel kernel{"count", count};

void task(long times) {
  for (long i = 0; i < times; i += group) {
    for (int k = 0; k < group; ++k) ms::task(count);
    ms::wait();
  }
}
void task_with_data(long times) {
  static std::vector<long> data(group);
  for (long i = 0; i < times; i += group) {
    for (auto& d : data) ms::task([](ms::view<long> v) { done += ++v[0] > 0; }, ms::inout(d));
    ms::wait();
  }
}
void loop(long times) {
  for (long i = 0; i < times; ++i)
    ms::parallel_for(
        0, 2, [](ms::range part) { done += part.size() == 2; }, ms::block{2});
}
void stream(long times) {
  for (long i = 0; i < times; i += group) ms::phase("streams", group, [](std::int64_t) { count(); });
}
void off_load(long times) {
  ms::phase("off-loads", 1, [=](std::int64_t) {
    for (long i = 0; i < times; ++i) ms::offload(kernel);
  });
}
void replay(long times) {
  static std::vector<long> data(group);
  ms::recording tasks = ms::record([] {
    for (auto& d : data) ms::task([](ms::view<long> v) { done += ++v[0] > 0; }, ms::inout(d));
  });
  for (long i = group; i < times; i += group) ms::replay(tasks);
}
long fibonacci(long n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  ms::fork([&] { a = fibonacci(n - 1); }, [&] { b = fibonacci(n - 2); });
  ++done;
  return a + b;
}
void fork(long times) {
  while (done < times) fibonacci(15);  // 986 forks
  done = times;
}

// Two ranks of one worker.
void message(long times) {
  ms::ranks(2, [=](ms::communicator& world) {
    for (long i = 0; i < times; ++i) {
      long number = i;
      if (world.rank() == 0) {
        world.send(number, 1);
        continue;
      }
      world.receive(number, 0);
      done += number == i;
    }
  });
}
void exchange(long times) {
  ms::ranks(2, [=](ms::communicator& world) {
    for (long i = 0; i < times; ++i) {
      long got = -1;
      world.exchange(i, 1 - world.rank(), got, 1 - world.rank());
      done += world.rank() == 0 && got == i;
    }
  });
}
void meeting(long times) {
  ms::ranks(2, [=](ms::communicator& world) {
    for (long i = 0; i < times; ++i) done += world.all_reduce(1L, std::plus{}) == 2 && world.rank() == 0;
  });
}

const struct {
  std::string_view name;
  void (*run)(long);
} paths[] = {{"task", task},         {"data", task_with_data}, {"loop", loop}, {"stream", stream},
             {"offload", off_load},  {"replay", replay},       {"fork", fork}, {"message", message},
             {"exchange", exchange}, {"meeting", meeting}};

}  // namespace

int main(int count_of_words, char** words) {
  const std::string_view name = count_of_words == 3 ? words[1] : "";
  for (const auto& path : paths) {
    if (path.name != name) continue;
    setenv("MASLIN_WORKERS", "1", 1);
    setenv("MASLIN_AT_ONCE", "0", 1);  // what is small enough is decided by time
    setenv("MASLIN_LEARNED", "off", 1);
    setenv("MASLIN_REPORT", "off", 1);
    const long times = std::atol(words[2]) / group * group;
    path.run(times);
    if (done == times) return 0;
    std::fprintf(stderr, "%ld of %ld\n", done, times);
    return 1;
  }
  std::fprintf(stderr, "instructions_paths PATH COUNT; a path is one of:");
  for (const auto& path : paths) std::fprintf(stderr, " %.*s", static_cast<int>(path.name.size()), path.name.data());
  std::fprintf(stderr, "\n");
  return 2;
}
