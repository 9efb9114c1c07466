// Streams that go on at other workers, and what their stacks cost then.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include "expect_child.hpp"
#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {

const ms::kernel nothing{"nothing", [] {}};

/// Asked anew each time: a compiler may keep a thread's identity across an off-load.
[[gnu::noinline]] std::thread::id this_thread() {
  asm volatile("");
  return std::this_thread::get_id();
}

/// What the code of a program finds out by itself, as the inline code of a fork or a task does, is what the library
/// finds out. Inline: what a compiler kept from before an off-load would be used here.
[[gnu::always_inline]] inline void looks_up_its_thread() {
  if (ms::detail::this_thread().worker != ms::detail::address_of_thread_state().worker ||
      ms::detail::this_thread().forks != ms::detail::address_of_thread_state().forks) {
    std::cerr << "a stream that moved looks at the thread from which it came\n";
    std::abort();
  }
  const auto [first, second] = ms::fork([] { return 1; }, [] { return 2; });
  if (first + second != 3) std::abort();
}

/// Runs two streams at a time on two workers, until a second phase takes worker 1 from them: then the stream that runs
/// there is suspended at its next off-load, and ends on worker 0. Gives whether it did: a foreign thread that has
/// waited for long runs the second phase itself, and then nothing moves.
bool a_stream_moves_to_worker_0() {
  std::atomic<int> begun{0};
  std::atomic<bool> second_runs{false};
  std::atomic<bool> first_is_over{false};
  std::atomic<bool> moved{false};
  std::thread second([&] {
    while (begun < 2) std::this_thread::yield();
    ms::phase("second", 1, [&](std::int64_t) {
      second_runs = true;
      while (!first_is_over) std::this_thread::yield();
    });
  });
  ms::phase("first", 2, [&](std::int64_t) {
    const auto began_on = this_thread();
    looks_up_its_thread();
    ++begun;
    while (!second_runs) {
      ms::offload(nothing);
      std::this_thread::yield();
    }
    ms::offload(nothing);
    if (this_thread() != began_on) moved = true;
    looks_up_its_thread();
  });
  first_is_over = true;
  second.join();
  return moved;
}

int mappings() {
  int count = 0;
  std::string line;
  for (std::ifstream maps("/proc/self/maps"); std::getline(maps, line);) ++count;
  return count;
}

TEST(Moving, AStreamLooksUpTheThreadOnWhichItGoesOn) {
  EXPECT_CHILD(
      [] {
        setenv("MASLIN_PIN", "first=2x1", 1);
        const ms::Runtime r({.workers = 2, .serial = false});
        for (int moves = 0; moves < 100;) moves += a_stream_moves_to_worker_0() ? 1 : 0;
        std::cerr << "it moved\n";
        return 0;
      },
      0, "it moved");
}

// A stack is two mappings. Worker 1 loses one each time: if worker 0 kept all of them, there would be two mappings more
// each time.
TEST(Moving, StreamsThatAlwaysEndOnTheSameWorkerTakeNoMoreStacks) {
  EXPECT_CHILD(
      [] {
        setenv("MASLIN_PIN", "first=2x1", 1);
        const ms::Runtime r({.workers = 2, .serial = false});
        const auto move = [](int times) {
          while (times > 0) times -= a_stream_moves_to_worker_0() ? 1 : 0;
        };
        move(30);
        const int before = mappings();
        move(300);
        const int after = mappings();
        std::cerr << before << " mappings, then " << after << "\n";
        return after - before < 100 ? 0 : 1;
      },
      0, "mappings, then");
}

}  // namespace
