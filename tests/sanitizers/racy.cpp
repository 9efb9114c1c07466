// Two tasks that write one variable and say nothing of it: a race, which ThreadSanitizer must report.

#include <atomic>
#include <cstdio>
#include <maslin/maslin.hpp>
#include <thread>

namespace ms = maslin;

int main() {
  const ms::Runtime runtime({.workers = 2, .serial = false});
  std::atomic<int> begun{0};
  long counted = 0;
  for (int i = 0; i < 2; ++i)
    ms::task([&] {
      // Both run at the same time. Relaxed: this orders nothing.
      begun.fetch_add(1, std::memory_order_relaxed);
      while (begun.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
      counted += 1;
    });
  ms::wait();
  std::printf("counted: %ld\n", counted);
}
