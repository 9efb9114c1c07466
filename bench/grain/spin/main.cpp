// grain_spin: a fixed amount of work, shared by threads that are never idle and bound to no CPU: what share of a
// machine such a program gets beside somebody else's. Uses nothing of Maslin.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

constexpr std::int64_t piece_steps = 100'000;  // 0.1 ms

std::uint64_t piece(std::uint64_t x) {
  for (std::int64_t k = 0; k < piece_steps; ++k) x = 6'364'136'223'846'793'005U * x + 1'442'695'040'888'963'407U;
  return x;
}

}  // namespace

int main(int count, char** words) {
  const int threads = count > 1 ? std::atoi(words[1]) : 0;
  const std::int64_t pieces = count > 2 ? std::atoll(words[2]) : 0;
  if (threads < 1 || pieces < 1) {
    std::fputs("grain_spin THREADS PIECES: both 1 or more\n", stderr);
    return 2;
  }
  std::atomic<std::int64_t> next{0};
  std::atomic<std::int64_t> done{0};
  std::atomic<std::uint64_t> sum{0};
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&] {
      for (std::int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < pieces;) {
        sum.fetch_add(piece(static_cast<std::uint64_t>(i)), std::memory_order_relaxed);
        done.fetch_add(1, std::memory_order_relaxed);
      }
      while (done.load(std::memory_order_relaxed) < pieces) {
      }
    });
  for (std::thread& t : all) t.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf("{\"seconds\": %.9g, \"sum\": \"%016llx\"}\n", took.count(), static_cast<unsigned long long>(sum.load()));
}
