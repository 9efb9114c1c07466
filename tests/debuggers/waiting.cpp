// A program for debuggers: three tasks wait for a mutex on fibers of their own. With an argument it stops then, as at a
// breakpoint; without one it goes on to its end.

#include <atomic>
#include <csignal>
#include <cstdio>
#include <thread>

#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {

ms::mutex held;
std::atomic<int> come{0};

[[gnu::noinline]] void wait_for_it(int task) {
  ++come;
  held.lock();
  std::printf("task %d goes on\n", task);
  held.unlock();
}

[[gnu::noinline]] void do_some_work(int task) {
  wait_for_it(task);
  std::puts("done");
}

}  // namespace

int main(int count_of_words, char**) {
  const ms::Runtime runtime({.workers = 2, .serial = false});
  held.lock();
  ms::group waiting;
  for (int task = 1; task <= 3; ++task) waiting.task([task] { do_some_work(task); });
  ms::group stopping;
  stopping.task([&] {
    while (come < 3) std::this_thread::yield();
    // The other worker comes to this once the last of them has left it.
    std::atomic<bool> has_left{false};
    ms::group after;
    after.task([&] { has_left = true; });
    while (!has_left) std::this_thread::yield();
    if (count_of_words > 1) std::raise(SIGTRAP);
  });
  stopping.wait();
  held.unlock();
  waiting.wait();
}
