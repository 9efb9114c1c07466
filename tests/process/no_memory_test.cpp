// Promises about a process whose address space is used up (ulimit -v). Each in a process of its own.

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <utility>

#include "address_space.hpp"
#include "expect_child.hpp"
#include "maslin/maslin.hpp"
#include "sanitized.hpp"

namespace ms = maslin;

namespace {

/// Memory that was taken from the program, in pieces of ever smaller sizes until it has none.
class hoard {
 public:
  void take_all() {
    for (std::size_t bytes = 1 << 20; bytes >= sizeof(piece); bytes /= 2)
      while (void* got = std::malloc(bytes)) first_ = new (got) piece{first_};
  }
  void give_back() {
    while (first_) std::free(std::exchange(first_, first_->next));
  }

 private:
  struct piece {
    piece* next;
  };
  piece* first_ = nullptr;
};

bool sleeps(pid_t thread) {
  std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string all;
  std::getline(stat, all);
  return all[all.rfind(')') + 2] == 'S';
}

int wide_chain(int depth) {
  volatile char room[8 << 10];
  room[0] = 1;
  if (depth == 0) return room[0];
  int below = 0;
  ms::task([&] { below = wide_chain(depth - 1); });
  ms::wait();
  return below + room[0];
}

TEST(NoMemory, AChainOfWaitsIsAnErrorWhereTheMainThreadsStackCannotGrow) {
  if (sanitized) GTEST_SKIP() << "a limit on the address space leaves the sanitizers none; the plain builds run this";
  for (const int workers : {1, 2, 3})
    EXPECT_CHILD(
        [&] {
          ms::Runtime r({.workers = workers, .serial = false});
          limit_address_space(2 << 20);
          return told_of_a_chain([] { wide_chain(100'000); });
        },
        2, told);
}

// The worker's first task: what it needs to free that was made when its thread began.
TEST(NoMemory, AWorkerThatHasNoneEndsItsFirstTask) {
  if (sanitized) GTEST_SKIP() << "a limit on the address space leaves the sanitizers none; the plain builds run this";
  EXPECT_CHILD(
      [] {
        ms::Runtime r({.workers = 2, .serial = false});
        hoard all;
        std::atomic<bool> taken{false};
        ms::task([&] {
          limit_address_space(0);
          all.take_all();
          taken = true;
        });
        while (!taken) std::this_thread::yield();
        ms::wait();
        all.give_back();
        std::cerr << "went on\n";
        return 0;
      },
      0, "went on");
}

// What it waits for lies among other tasks in the queue of a worker that is blocked, and where it would put the others
// there is no room. Nor is there memory for the thread that would do worker 0's work.
TEST(NoMemory, AForeignThreadRunsNothingButWhatItWaitsFor) {
  if (sanitized) GTEST_SKIP() << "a limit on the address space leaves the sanitizers none; the plain builds run this";
  EXPECT_CHILD(
      [] {
        mallopt(M_ARENA_MAX, 1);  // no thread has memory of its own
        ms::Runtime r({.workers = 2, .serial = false});
        ms::group others;
        std::atomic<bool> produces{false};
        std::atomic<bool> all_created{false};
        std::atomic<bool> is_blocked{false};
        std::atomic<bool> goes_on{false};
        std::atomic<int> ran{0};
        std::atomic<int> ran_outside{0};
        const auto until = [](const std::atomic<bool>& flag) {
          while (!flag) std::this_thread::yield();
        };
        std::thread foreign([&] {
          const auto here = std::this_thread::get_id();
          // Makes what this thread needs to sleep in a wait.
          const pid_t id = gettid();
          std::atomic<bool> elsewhere{false};
          ms::task([&] {
            elsewhere = true;
            while (!sleeps(id)) std::this_thread::yield();
          });
          until(elsewhere);
          ms::wait();
          int data = 0;
          ms::task(
              [&](auto) {
                produces = true;
                until(all_created);
                for (int i = 0; i < 64; ++i)
                  others.task([&] {
                    ++ran;
                    ran_outside += std::this_thread::get_id() == here;
                  });
              },
              ms::inout(data));
          until(produces);
          // The worker goes on with the first of these, and the second lies in its queue.
          ms::task(
              [&](auto) {
                is_blocked = true;
                until(goes_on);
              },
              ms::in(data));
          ms::task([](auto) {}, ms::in(data));
          all_created = true;
          ms::wait();
        });
        until(is_blocked);
        hoard all;
        limit_address_space(0);
        all.take_all();
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        all.give_back();
        goes_on = true;
        foreign.join();
        others.wait();
        if (ran_outside > 0) std::cerr << ran_outside << " ran outside\n";
        return ran == 64 && ran_outside == 0 ? 0 : 1;
      },
      0, "");
}

}  // namespace
