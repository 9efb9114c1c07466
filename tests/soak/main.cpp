// soak WORKERS SECONDS: runs a mixed load for so long (MASLIN_SOAK_SECONDS, if set) and checks every answer. After a
// warm-up of a quarter of that, and of so many rounds that each kind of load has come often, the process must have no
// more mappings, memory, descriptors and threads than it had, but for what is said at `slack`.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <maslin/maslin.hpp>
#include <mutex>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "sanitized.hpp"

namespace ms = maslin;

namespace {

void expect(bool right, const char* what) {
  if (!right) throw std::logic_error(what);
}

// The load. ---------------------------------------------------------------------------------------------------------

const ms::kernel sum_up{"sum_up", [](std::int64_t n) {
                          return ms::parallel_reduce(0, n, std::int64_t{0}, std::plus<>(), [](ms::range r) {
                            std::int64_t sum = 0;
                            for (auto i : r) sum += i;
                            return sum;
                          });
                        }};

const ms::kernel spin{"spin", [](std::atomic<std::int64_t>& ran) {
                        for (int i = 0; i < 100; ++i) ran.fetch_add(1, std::memory_order_relaxed);
                      }};

/// Streams that are suspended and go on elsewhere: the configuration changes while each phase runs.
void phases() {
  std::atomic<std::int64_t> ran{0};
  std::atomic<std::int64_t> sum{0};
  for (int i = 0; i < 200; ++i)
    ms::phase("soak", 16, [&](std::int64_t) {
      for (int k = 0; k < 20; ++k) ms::offload(spin, std::ref(ran));
    });
  for (int i = 0; i < 10; ++i)
    ms::phase("soak, with loops", 16, [&](std::int64_t) {
      for (int k = 0; k < 20; ++k) sum += ms::offload(sum_up, std::int64_t{100});
    });
  expect(ran == 200 * 16 * 20 * 100, "phases");
  expect(sum == 10 * 16 * 20 * 4950, "phases with loops");
}

void nested_loops() {
  std::atomic<std::int64_t> ran{0};
  ms::parallel_for(
      0, 20,
      [&](ms::range rows) {
        for ([[maybe_unused]] auto row : rows)
          ms::parallel_for(
              0, 50, [&](ms::range columns) { ran += columns.size(); }, ms::block{5});
      },
      ms::block{1});
  expect(ran == 1000, "nested loops");
}

void tasks_with_data() {
  std::vector<long> x(50, 0);
  x[0] = 1;
  for (std::size_t i = 1; i < x.size(); ++i)
    ms::task([](ms::view<const long> from, ms::view<long> to) { to[0] = from[0] + 1; }, ms::in(x[i - 1]),
             ms::out(x[i]));
  long total = 0;
  for (const long& one : x)
    ms::task([](ms::view<const long> from, ms::view<long> to) { to[0] += from[0]; }, ms::in(one), ms::reduction(total));
  ms::wait();
  expect(total == 50 * 51 / 2, "tasks with data");
}

int fibonacci(int n) {
  if (n < 2) return n;
  int a = 0;
  ms::group g;
  g.task([&] { a = fibonacci(n - 1); });
  const int b = fibonacci(n - 2);
  g.wait();
  return a + b;
}
void groups() {
  int result = 0;
  ms::task([&] { result = fibonacci(12); });
  ms::wait();
  expect(result == 144, "groups");
}

void replays() {
  std::vector<long> x(8, 0);
  ms::recording step = ms::record([&] {
    for (long& one : x) ms::task([](ms::view<long> v) { v[0] += 1; }, ms::inout(one));
  });
  for (int i = 0; i < 20; ++i) ms::replay(step);
  expect(std::accumulate(x.begin(), x.end(), 0L) == 8 * 21, "replays");
}

void foreign_threads() {
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      int ran = 0;
      ms::task([&] { ++ran; });
      ms::wait();
      const auto sum = ms::parallel_reduce(0, 1000, std::int64_t{0}, std::plus<>(),
                                           [](ms::range r) { return std::int64_t{r.size()}; });
      right += ran == 1 && sum == 1000;
    });
  for (std::thread& t : threads) t.join();
  expect(right == 3, "foreign threads");
}

/// Many suspended at once: who holds the mutex waits for its children, the others for the mutex.
void mutexes() {
  ms::mutex lock;
  int inside = 0;
  for (int i = 0; i < 30; ++i)
    ms::task([&] {
      const std::lock_guard held(lock);
      int child = 0;
      ms::task([&] { child = 1; });
      std::this_thread::yield();
      ms::wait();
      inside += child;
    });
  ms::wait();
  expect(inside == 30, "mutexes");
}

void exceptions() {
  int seen = 0;
  for (int i = 0; i < 5; ++i) ms::task([i] { throw i; });
  try {
    ms::wait();
  } catch (int first) {
    seen += first == 0;
  }
  try {
    ms::phase("soak, throwing", 6, [](std::int64_t i) {
      if (i % 2) throw i;
    });
  } catch (std::int64_t first) {
    seen += first == 1;
  }
  expect(seen == 2, "exceptions");
}

int deep_waits(int depth) {
  if (depth == 0) return 0;
  int below = -1;
  ms::task([&] { below = deep_waits(depth - 1); });
  std::this_thread::yield();
  ms::wait();
  return below + 1;
}
void waits() {
  std::atomic<int> right{0};
  for (int i = 0; i < 10; ++i) ms::task([&] { right += deep_waits(30) == 30; });
  ms::wait();
  expect(right == 10, "waits");
}

// What must stay. ---------------------------------------------------------------------------------------------------

struct footprint {
  long mappings, resident_kib, descriptors, threads;

  static footprint now() {
    footprint f{};
    std::string line;
    for (std::ifstream maps("/proc/self/maps"); std::getline(maps, line);) ++f.mappings;
    for (std::ifstream status("/proc/self/status"); std::getline(status, line);) {
      if (line.starts_with("VmRSS:")) f.resident_kib = std::stol(line.substr(6));
      if (line.starts_with("Threads:")) f.threads = std::stol(line.substr(8));
    }
    for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator("/proc/self/fd")) ++f.descriptors;
    return f;
  }
  footprint most(const footprint& other) const {
    return {std::max(mappings, other.mappings), std::max(resident_kib, other.resident_kib),
            std::max(descriptors, other.descriptors), std::max(threads, other.threads)};
  }
};

/// What the process may have more than at the end of the warm-up. Fibers are as many as were suspended at once, and a
/// rarer coincidence may suspend a few more than all before: 40 of them, of two mappings, with up to 400 KiB touched.
/// The allocator's arenas and pools may grow likewise. The substitute is a thread that may be started late.
/// While the run's report is written, which happens once in a while, two files are open.
constexpr footprint slack{.mappings = 80 + 40, .resident_kib = 32 << 10, .descriptors = 2, .threads = 1};

/// Of the warm-up, and of what follows. A sanitizer's build makes three in five seconds.
constexpr long fewest_rounds = 8;

void print(const char* when, long rounds, const footprint& f) {
  std::printf("%-12s %8ld rounds, %6ld mappings, %8ld KiB, %3ld descriptors, %3ld threads\n", when, rounds, f.mappings,
              f.resident_kib, f.descriptors, f.threads);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) try {
  const int workers = argc > 1 ? std::atoi(argv[1]) : 2;
  const char* wish = std::getenv("MASLIN_SOAK_SECONDS");
  const double seconds = wish ? std::atof(wish) : argc > 2 ? std::atof(argv[2]) : 20;
  const ms::Runtime r({.workers = workers, .serial = false});
  void (*const all[])() = {phases, nested_loops,    tasks_with_data, groups,    replays,
                           waits,  foreign_threads, mutexes,         exceptions};
  std::mt19937 random(1);

  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(clock::now() - begin).count(); };
  const double steps = 10;
  double next = 0;
  long rounds = 0;
  footprint warm{};
  footprint later{};
  for (double now = 0; now < seconds || rounds < 2 * fewest_rounds; now = passed()) {
    const bool warming = now < seconds / 4 || rounds < fewest_rounds;
    for (int i = 0; i < 20; ++i) all[random() % std::size(all)]();
    ++rounds;
    const footprint here = footprint::now();
    footprint& part = warming ? warm : later;
    part = part.most(here);
    if (now < next) continue;
    print(warming ? "warm-up" : "then", rounds, here);
    next = now + seconds / steps;
  }
  print("at most then", rounds, later);

  const auto flat = [](const char* what, long before, long after, long more) {
    if (after <= before + more) return true;
    std::printf("%s grow: %ld in the warm-up, %ld later\n", what, before, after);
    return false;
  };
  bool good = flat("mappings", warm.mappings, later.mappings, slack.mappings);
  if (!sanitized) good = flat("KiB of memory", warm.resident_kib, later.resident_kib, slack.resident_kib) && good;
  good = flat("descriptors", warm.descriptors, later.descriptors, slack.descriptors) && good;
  good = flat("threads", warm.threads, later.threads, slack.threads) && good;
  return good ? 0 : 1;
} catch (const std::exception& e) {
  std::printf("wrong: %s\n", e.what());
  return 1;
}
