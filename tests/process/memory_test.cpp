// Promises about memory: what tasks, loops and stacks take and give back, and what is said where there is none. Each in
// a process of its own.

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "address_space.hpp"
#include "expect_child.hpp"
#include "machines.hpp"
#include "maslin/maslin.hpp"
#include "sanitized.hpp"

namespace ms = maslin;

namespace {

/// The most memory that the process had, in MiB.
long peak_mebibytes() {
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss / 1024;
}

TEST(Memory, TenMillionTasksInARowTakeLittle) {
  if (sanitized) GTEST_SKIP() << "the sanitizers keep records of their own; the plain builds run this";
  EXPECT_CHILD(
      [] {
        ms::Runtime r({.workers = 2, .serial = false});
        std::atomic<long> ran{0};
        for (int i = 0; i < 7'000'000; ++i) ms::task([&ran] { ran.fetch_add(1, std::memory_order_relaxed); });
        std::vector<long> x(1000);
        for (std::size_t i = 0; i < 3'000'000; ++i)
          ms::task([](ms::view<const long> a, ms::view<const long> b, ms::view<long> c) { c[0] += a[0] == b[0]; },
                   ms::in(x[i % 1000]), ms::in(x[(i + 1) % 1000]), ms::inout(x[(i + 2) % 1000]));
        ms::wait();
        std::cerr << "peak: " << peak_mebibytes() << " MiB\n";
        return ran == 7'000'000 && peak_mebibytes() < 200 ? 0 : 1;
      },
      0, "peak: .* MiB");
}

TEST(Memory, ALoopTakesNoneAfterItEnds) {
  if (sanitized) GTEST_SKIP() << "the sanitizers keep records of their own; the plain builds run this";
  EXPECT_CHILD(
      [] {
        ms::Runtime r({.workers = 3, .serial = false});
        std::atomic<long> ran{0};
        const auto sweep = [&](int loops) {
          for (int i = 0; i < loops; ++i)
            for (const auto policy : {ms::schedule::dbs, ms::schedule::static_, ms::schedule::gss, ms::schedule::afs})
              ms::parallel_for(
                  0, 1000, [&](ms::range part) { ran += part.size(); }, policy);
        };
        sweep(50);
        const auto before = mallinfo2().uordblks;
        sweep(500);
        const auto after = mallinfo2().uordblks;
        std::cerr << before << " bytes, then " << after << "\n";
        return ran == 4 * 550 * 1000 && after < before + 65536 ? 0 : 1;
      },
      0, "bytes, then");
}

int deep_waits(int depth) {
  if (depth == 0) return 1;
  int below = 0;
  ms::task([&] { below = deep_waits(depth - 1); });
  std::this_thread::yield();
  ms::wait();
  return below + 1;
}

/// Gives the memory that the process has now, in MiB.
long resident_mebibytes() {
  std::ifstream statm("/proc/self/statm");
  long mapped = 0;
  long resident = 0;
  statm >> mapped >> resident;
  return resident * sysconf(_SC_PAGESIZE) >> 20;
}

/// As `deep_waits`, with half a MiB on each stack; `deepest` is called at the end.
template <class Deepest>
[[gnu::noinline]] void deep_waits_on_deep_stacks(int depth, const Deepest& deepest) {
  volatile char room[512 << 10];
  for (volatile char& byte : room) byte = 1;
  if (depth == 0) return deepest();
  ms::task([&] { deep_waits_on_deep_stacks(depth - 1, deepest); });
  ms::wait();
}

class DeepStacks : public testing::TestWithParam<const char*> {};

TEST_P(DeepStacks, GiveTheirMemoryBackWhenNothingIsDeepAnyMore) {
  if (sanitized) GTEST_SKIP() << "what is left on a stack may be poisoned there; the plain builds run this";
  EXPECT_CHILD(
      [] {
        choose_machine(GetParam());
        ms::Runtime r({.workers = 2, .serial = false});
        ms::parallel_for(0, 100, [](ms::range) {});
        const long before = resident_mebibytes();
        long deep = 0;
        ms::task([&] { deep_waits_on_deep_stacks(200, [&] { deep = resident_mebibytes(); }); });
        ms::wait();
        const long after = resident_mebibytes();
        std::cerr << before << " MiB, then " << deep << ", then " << after << "\n";
        return deep > before + 90 && after < before + 40 ? 0 : 1;
      },
      0, "MiB, then");
}

INSTANTIATE_TEST_SUITE_P(, DeepStacks, testing::ValuesIn(machines),
                         [](const testing::TestParamInfo<const char*>& which) { return machine_name(which.param); });

/// What each level waits for is an urgent task of its task's.
int deep_waits_for_urgent_tasks(int depth) {
  if (depth == 0) return 1;
  int below = 0;
  ms::task([&] { ms::task([&] { below = deep_waits_for_urgent_tasks(depth - 1); }, ms::priority{1}); });
  ms::wait();
  return below + 1;
}

TEST(Stacks, WaitsGoOnInPlaceWhenThereAreNoMoreStacks) {
  if (sanitized) GTEST_SKIP() << "a limit on the address space leaves the sanitizers none; the plain builds run this";
  EXPECT_CHILD(
      [] {
        ms::Runtime r({.workers = 3, .serial = false});
        ms::parallel_for(0, 100, [](ms::range) {});
        limit_address_space(12u << 20);  // room for a few stacks
        std::atomic<int> wrong{0};
        for (int i = 0; i < 40; ++i)
          ms::task([&] {
            if (deep_waits(30) != 31) ++wrong;
          });
        ms::wait();
        return wrong == 0 ? 0 : 1;
      },
      0, "");
}

/// As `deep_waits`, of tasks with data.
int deep_waits_for_data(int depth) {
  if (depth == 0) return 1;
  int below = 0;
  ms::task([depth](ms::view<int> v) { v[0] = deep_waits_for_data(depth - 1); }, ms::out(below));
  ms::wait();
  return below + 1;
}

TEST(Stacks, WhoWaitsRunsWhatItWaitsForBeforeOthersAreBegun) {
  if (sanitized) GTEST_SKIP() << "a limit on the address space leaves the sanitizers none; the plain builds run this";
  for (const char* place : {"dbs", "locality", "chains", "program-order"})
    EXPECT_CHILD(
        [&] {
          setenv("MASLIN_PLACE", place, 1);
          ms::Runtime r({.workers = 1, .serial = false});
          ms::parallel_for(0, 100, [](ms::range) {});
          std::vector<int> levels(2000);
          limit_address_space(12u << 20);  // room for a few stacks
          ms::task([&] {
            for (int& one : levels) ms::task([](ms::view<int> v) { v[0] = deep_waits_for_data(30); }, ms::out(one));
            ms::wait();
          });
          ms::wait();
          return std::count(levels.begin(), levels.end(), 31) == 2000 ? 0 : 1;
        },
        0, "");
}

/// Waits for a task where little is left of the stack.
[[gnu::noinline]] void wait_high(int& to) {
  volatile char room[600 << 10];
  for (std::size_t i = 0; i < sizeof room; i += 512) room[i] = 1;
  int below = 0;
  ms::task([](ms::view<int> v) { v[0] = 1; }, ms::out(below));
  ms::wait();
  to = below + room[512];
}

TEST(Stacks, WhoWaitsWithoutAnotherStackGoesOnWithNothingElse) {
  if (sanitized) GTEST_SKIP() << "a limit on the address space leaves the sanitizers none; the plain builds run this";
  for (const char* place : {"dbs", "locality", "chains", "program-order"})
    EXPECT_CHILD(
        [&] {
          setenv("MASLIN_PLACE", place, 1);
          ms::Runtime r({.workers = 1, .serial = false});
          ms::parallel_for(0, 100, [](ms::range) {});
          std::vector<int> all(200);
          limit_address_space(12u << 20);  // room for a few stacks
          ms::task([&] {
            for (int& one : all) ms::task([](ms::view<int> v) { wait_high(v[0]); }, ms::out(one));
            ms::wait();
          });
          ms::wait();
          return std::count(all.begin(), all.end(), 2) == 200 ? 0 : 1;
        },
        0, "");
}

TEST(Stacks, WaitsForUrgentTasksGoOnInPlaceWhenThereAreNoMoreStacks) {
  if (sanitized) GTEST_SKIP() << "a limit on the address space leaves the sanitizers none; the plain builds run this";
  for (const int workers : {1, 2, 3})
    EXPECT_CHILD(
        [&] {
          ms::Runtime r({.workers = workers, .serial = false});
          ms::parallel_for(0, 100, [](ms::range) {});
          limit_address_space(12u << 20);  // room for a few stacks
          int levels = 0;
          ms::task([&] { levels = deep_waits_for_urgent_tasks(200); });
          ms::wait();
          return levels == 201 ? 0 : 1;
        },
        0, "");
}

// 1 MiB is the size of a stack.
[[gnu::noinline]] void use_too_much() {
  volatile char room[1100 << 10];
  for (std::size_t i = 0; i < sizeof room; i += 512) room[i] = 1;
}

struct overflow {
  const char* where;
  void (*run)();
  const char* message;
};

class Overflow : public testing::TestWithParam<std::tuple<overflow, const char*>> {};

// What runs is created in a task or stream, so that it runs on a fiber; the main thread's stack has 8 MiB.
TEST_P(Overflow, NamesWhatRanAndTheSetting) {
  if (sanitized) GTEST_SKIP() << "the sanitizers report it in their own way; the plain builds run this";
  const auto& [what, machine] = GetParam();
  EXPECT_EXIT(
      {
        unsetenv("MASLIN_STACK");
        choose_machine(machine);
        ms::Runtime r({.workers = 2, .serial = false});
        what.run();
        std::exit(0);
      },
      testing::KilledBySignal(SIGSEGV),
      std::string("maslin: the stack of a fiber is too small for what runs on it: ") + what.message +
          ".*MASLIN_STACK=1M");
}

/// Where the caller waits it may run its tasks itself, unless the machine is described: there nobody else would.
void leave_it_to_others() {
  if (std::getenv("MASLIN_MACHINE")) return ms::wait();
  std::this_thread::sleep_for(std::chrono::seconds(20));
}

const overflow overflows[] = {
    {"Task",
     [] {
       ms::task([] {
         ms::task(use_too_much);
         ms::wait();
       });
       leave_it_to_others();
     },
     "the task created at .*memory_test.cpp:[0-9]+, inside the task created at .*memory_test.cpp:[0-9]+"},
    {"Loop",
     [] {
       ms::task([] { ms::parallel_for(0, 10, [](ms::range) { use_too_much(); }); });
       leave_it_to_others();
     },
     "the loop at .*memory_test.cpp:[0-9]+, inside the task created at .*memory_test.cpp:[0-9]+"},
    {"Stream", [] { ms::phase("large", 4, [](std::int64_t) { use_too_much(); }); },
     "stream [0-3] of the phase .large. at .*memory_test.cpp:[0-9]+"}};

INSTANTIATE_TEST_SUITE_P(, Overflow, testing::Combine(testing::ValuesIn(overflows), testing::ValuesIn(machines)),
                         [](const testing::TestParamInfo<std::tuple<overflow, const char*>>& which) {
                           return std::get<0>(which.param).where + machine_name(std::get<1>(which.param));
                         });

int chain(int depth) {
  if (depth == 0) return 1;
  int below = 0;
  ms::task([&] { below = chain(depth - 1); });
  ms::wait();
  return below + 1;
}

// There is neither another stack nor room on those that there are.
TEST(Stacks, AChainOfWaitsThatIsTooDeepForTheAddressSpaceIsAnError) {
  if (sanitized) GTEST_SKIP() << "a limit on the address space leaves the sanitizers none; the plain builds run this";
  for (const int workers : {1, 2, 3})
    EXPECT_CHILD(
        [&] {
          ms::Runtime r({.workers = workers, .serial = false});
          ms::parallel_for(0, 100, [](ms::range) {});
          limit_address_space(60u << 20);  // tasks are small: of this the stacks are used up before the memory
          int depth = 0;
          ms::task([&] { depth = chain(1'000'000); });
          return told_of_a_chain([] { ms::wait(); });
        },
        2, told);
}

// On a described machine nobody could be told by an exception (docs/described.md).
TEST(Stacks, AChainOfWaitsThatIsTooDeepForADescribedMachineIsNamed) {
  if (sanitized) GTEST_SKIP() << "a limit on the address space leaves the sanitizers none; the plain builds run this";
  for (const char* machine : {"origin2000-16.toml", "cell-qs20.toml"})
    EXPECT_EXIT(
        {
          end_with(test_process);
          setenv("MASLIN_MACHINE", spec(machine).c_str(), 1);
          ms::parallel_for(0, 100, [](ms::range) {});
          limit_address_space(60u << 20);
          ms::task([] { chain(1'000'000); });
          ms::wait();
        },
        testing::KilledBySignal(SIGABRT), "needs one more stack than the system gives memory");
}

}  // namespace
