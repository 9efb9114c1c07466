// Promises about a process whose address space is used up (ulimit -v). Each in a process of its own.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <thread>
#include <utility>

#include "expect_child.hpp"
#include "maslin/maslin.hpp"
#include "sanitized.hpp"

namespace ms = maslin;

namespace {

/// From now on the process may have so much more than it has.
void limit_address_space(rlim_t more) {
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  rlimit limit{};
  limit.rlim_cur = limit.rlim_max = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + more;
  setrlimit(RLIMIT_AS, &limit);
}

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
          try {
            wide_chain(100'000);
            return 1;
          } catch (const ms::error& e) {
            std::cerr << e.what() << "\n";
            return 2;
          } catch (const std::bad_alloc&) {
            std::cerr << "no memory for a task\n";
            return 2;
          }
        },
        2, "a wait has no stack to go on with|no memory for a task");
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

}  // namespace
