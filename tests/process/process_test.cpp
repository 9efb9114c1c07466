// Promises about the runtime as a part of its process. Most run in a child process, so that each begins afresh.

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <tuple>

#include "executors.hpp"
#include "expect_child.hpp"
#include "maslin/maslin.hpp"
#include "sanitized.hpp"

namespace ms = maslin;

namespace {

int run_a_loop() {
  std::atomic<int> ran{0};
  ms::parallel_for(0, 100, [&](ms::range r) { ran += static_cast<int>(r.size()); });
  return ran == 100 ? 0 : 1;
}

struct bad_variable {
  const char* name;
  const char* value;
  const char* machine = nullptr;  ///< described, in specs/
};

/// This machine, and two that are described: with cores alone, and with accelerators behind hosts.
constexpr const char* machines[] = {nullptr, "epyc-128.toml", "cell-qs20.toml"};

void choose_machine(const char* described) {
  setenv("MASLIN_QUIET", "1", 1);
  if (described) setenv("MASLIN_MACHINE", spec(described).c_str(), 1);
}

std::string machine_name(const char* described) {
  if (!described) return "OnThisMachine";
  return described == machines[1] ? "OnDescribedCores" : "OnDescribedAccelerators";
}

class BadEnvironment : public testing::TestWithParam<bad_variable> {};

TEST_P(BadEnvironment, IsOneClearErrorAtTheFirstCall) {
  const bad_variable bad = GetParam();
  EXPECT_CHILD(
      [&] {
        if (bad.machine) setenv("MASLIN_MACHINE", spec(bad.machine).c_str(), 1);
        setenv(bad.name, bad.value, 1);
        try {
          run_a_loop();
          return 1;
        } catch (const ms::error& e) {
          std::cerr << e.what() << "\n";
          return 2;
        }
      },
      2, std::string(bad.name) + "=.?" + bad.value);
}

TEST_P(BadEnvironment, EndsTheProcessWithStatus2AndOneLineWhereNobodyCatches) {
  const bad_variable bad = GetParam();
  EXPECT_CHILD(([&]() noexcept {
                 if (bad.machine) setenv("MASLIN_MACHINE", spec(bad.machine).c_str(), 1);
                 setenv(bad.name, bad.value, 1);
                 return run_a_loop();
               }),
               2, "^maslin: [^\n]*" + std::string(bad.value) + "[^\n]*\n$");
}

INSTANTIATE_TEST_SUITE_P(, BadEnvironment,
                         testing::Values(bad_variable{"MASLIN_WORKERS", "banana"}, bad_variable{"MASLIN_WORKERS", "0"},
                                         bad_variable{"MASLIN_WORKERS", "-3"}, bad_variable{"MASLIN_SERIAL", "yes"},
                                         bad_variable{"MASLIN_STACK", "huge"}, bad_variable{"MASLIN_PIN", "p=4y2"},
                                         bad_variable{"MASLIN_GRAIN", "mgsp"}, bad_variable{"MASLIN_WAIT", "yeild"},
                                         bad_variable{"MASLIN_PIN", "wait=yeild"},
                                         bad_variable{"MASLIN_LOOP", "guided"}, bad_variable{"MASLIN_WATCHDOG", "soon"},
                                         bad_variable{"MASLIN_FOREIGN", "off"}, bad_variable{"MASLIN_NODE", "a/b"},
                                         bad_variable{"MASLIN_AT_ONCE", "no"}, bad_variable{"MASLIN_RENAME", "much"},
                                         bad_variable{"MASLIN_TRACE", "/nonexistent/t"},
                                         bad_variable{"MASLIN_TRACE_DETAIL", "some"},
                                         bad_variable{"MASLIN_WATCHDOG", "5,late"},
                                         bad_variable{"MASLIN_CHECK", "perhaps"}));

INSTANTIATE_TEST_SUITE_P(OfDescribedMachines, BadEnvironment,
                         testing::Values(bad_variable{"MASLIN_DURATIONS", "guessed", "epyc-128.toml"},
                                         bad_variable{"MASLIN_HOST", "Linux", "cell-qs20.toml"},
                                         bad_variable{"MASLIN_QUIET", "yes", "epyc-128.toml"},
                                         bad_variable{"MASLIN_WORKERS", "many", "epyc-128.toml"}));

[[noreturn]] void fail() { throw ms::error("of the program's own"); }

TEST(Process, AnErrorOfTheProgramsOwnThatNobodyCatchesEndsItAsEver) {
  EXPECT_EXIT(([]() noexcept {
                std::set_terminate([] { _exit(9); });
                setenv("MASLIN_WORKERS", "banana", 1);
                run_a_loop();
              }()),
              testing::ExitedWithCode(9), "");
  EXPECT_EXIT(([]() noexcept {
                setenv("MASLIN_WORKERS", "banana", 1);
                try {
                  run_a_loop();
                } catch (const ms::error&) {
                }
                fail();
              }()),
              testing::KilledBySignal(SIGABRT), "of the program's own");
}

TEST(Process, ADescribedMachineThatIsNotThereIsAnErrorAndEndsTheProcessWithOneLineWhereNobodyCatches) {
  const auto first_call = [] {
    setenv("MASLIN_MACHINE", "/nonexistent/machine.toml", 1);
    return run_a_loop();
  };
  EXPECT_CHILD(
      [&] {
        try {
          return first_call();
        } catch (const ms::error& e) {
          std::cerr << e.what() << "\n";
          return 2;
        }
      },
      2, "machine.toml");
  EXPECT_CHILD(([&]() noexcept { return first_call(); }), 2, "^maslin: /nonexistent/machine.toml: [^\n]*\n$");
}

TEST(Process, TheFirstCallStartsTheRuntimeAndTheEndOfTheProcessEndsIt) {
  EXPECT_CHILD(
      [] {
        ms::task([] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
        return run_a_loop();  // and the task is done before the process ends
      },
      0, "");
}

TEST(Process, RuntimesMayFollowEachOtherWithOtherOptions) {
  for (const int workers : {1, 3, 2, 8, 1}) {
    ms::Runtime r({.workers = workers, .serial = false});
    EXPECT_EQ(ms::workers(), workers);
    EXPECT_EQ(run_a_loop(), 0);
  }
  ms::Runtime a({.workers = 2, .serial = false});
  ms::Runtime b;  // counted
  EXPECT_THROW(ms::Runtime({.workers = 3, .serial = false}), ms::error);
  EXPECT_EQ(ms::workers(), 2);
}

TEST(Process, SerialByTheEnvironment) {
  EXPECT_CHILD(
      [] {
        setenv("MASLIN_SERIAL", "1", 1);
        const auto here = std::this_thread::get_id();
        bool elsewhere = false;
        ms::task([&] { elsewhere = std::this_thread::get_id() != here; });
        ms::parallel_for(0, 100, [&](ms::range) { elsewhere = elsewhere || std::this_thread::get_id() != here; });
        return elsewhere ? 1 : 0;
      },
      0, "");
}

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

/// Gives what the wait says about a task that writes through `in`.
template <class Create>
int caught_writing(Create&& create) {
  setenv("MASLIN_CHECK", "1", 1);
  ms::Runtime r({.workers = 2, .serial = false});
  try {
    create();
    ms::wait();
    return 1;
  } catch (const ms::error& e) {
    std::cerr << e.what() << "\n";
    return 2;
  }
}

TEST(Check, AWriteThroughInIsFound) {
  EXPECT_CHILD(
      [] {
        std::vector<double> x(100, 1.0);
        return caught_writing(
            [&] { ms::task([](ms::view<const double> v) { const_cast<double&>(v[37]) = 2; }, ms::in(x)); });
      },
      2,
      "800 bytes at .* changed while a task ran that declared them with in.*inout.*process_test.cpp:.*: in 800 bytes");
}

TEST(Check, AWriteIntoATileIsFoundInARecordingToo) {
  EXPECT_CHILD(
      [] {
        std::vector<float> x(100, 1.0F);
        return caught_writing([&] {
          ms::record([&] {
            ms::task([](ms::tile<const float> t) { const_cast<float&>(t(2, 1)) = 2; },
                     ms::in(ms::tile<const float>{x.data() + 12, 4, 3, 10}));
          });
        });
      },
      2, "48 bytes at .* changed while a task ran.*in 3 columns of 16 bytes");
}

TEST(Check, WhatATaskMayWriteIsNoneOfIts) {
  EXPECT_CHILD(
      [] {
        std::vector<double> x(100, 1.0);
        return caught_writing([&] {
          ms::task([](ms::view<const double>, ms::view<double> v) { v[1] = 2; }, ms::in(x), ms::inout(x[1]));
          ms::task([](ms::view<const double> v, ms::view<double> w) { w[0] = v[0]; }, ms::in(x[1]), ms::out(x[2]));
        });
      },
      1, "");
}

TEST(Process, ExceptionsThatNobodyObservedArePrintedAtTheEnd) {
  EXPECT_CHILD(
      [] {
        ms::Runtime r({.workers = 2, .serial = false});
        ms::task([] { throw std::runtime_error("nobody looked"); });
        return 0;
      },
      0, "nobody looked");
}

TEST(Process, ShutdownWaitsForEverything) {
  std::atomic<int> ran{0};
  {
    ms::Runtime r({.workers = 3, .serial = false});
    for (int i = 0; i < 50; ++i)
      ms::task([&] {
        ms::task([&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          ++ran;
        });
      });
  }
  EXPECT_EQ(ran, 50);
}

TEST(Process, AForkedChildStartsAfreshAndTheParentGoesOn) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer ends a forked child that starts threads; the other builds run this";
#endif
  EXPECT_CHILD(
      [] {
        ms::Runtime r({.workers = 2, .serial = false});
        if (run_a_loop() != 0) return 1;
        const pid_t child = fork();
        if (child == 0) _exit(run_a_loop() + (ms::workers() >= 1 ? 0 : 1));
        int status = 1;
        waitpid(child, &status, 0);
        return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? run_a_loop() : 1;
      },
      0, "");
}

TEST(Process, AForkedChildEndsWithItsOwnRuntimeOrWithNone) {
  if (sanitized) GTEST_SKIP() << "what the parent's threads held looks like leaks there; the plain builds run this";
  for (const bool calls : {true, false})
    EXPECT_CHILD(
        [&] {
          if (run_a_loop() != 0) return 1;  // starts a runtime that lives until the process ends
          const pid_t child = fork();
          if (child == 0) {
            alarm(60);
            std::exit(calls ? run_a_loop() : 0);
          }
          int status = 1;
          waitpid(child, &status, 0);
          return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? run_a_loop() : 1;
        },
        0, "");
}

TEST(Process, AForkInsideATaskIsAnErrorAtTheChildsFirstCall) {
  EXPECT_CHILD(
      [] {
        ms::Runtime r({.workers = 2, .serial = false});
        std::atomic<int> result{1};
        ms::task([&] {
          const pid_t child = fork();
          if (child == 0) {
            try {
              run_a_loop();
              _exit(1);
            } catch (const ms::error& e) {
              std::cerr << e.what() << "\n" << std::flush;
              _exit(0);
            }
          }
          int status = 1;
          waitpid(child, &status, 0);
          result = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
        });
        ms::wait();
        return result.load();
      },
      0, "forked inside a task");
}

/// What this process has used, in seconds.
struct cpu_time {
  double user, system;

  static cpu_time now() {
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    return {seconds(used.ru_utime), seconds(used.ru_stime)};
  }
};

// Workers that start, sleep, wake and end take system time, workers that stay awake for nothing user time; a busy
// machine changes neither. Where all workers of a team ask for its stream, most phases take 5 to 20 times as much user
// time as system time.
TEST(Process, FarMoreWorkersThanCpusStartWorkAndEndAndDoNotStayAwake) {
  EXPECT_CHILD(
      [] {
        setenv("MASLIN_WORKERS", sanitized ? "1024" : "4096", 1);
        const auto stay_awake = [] {
          const cpu_time used = cpu_time::now();
          std::cerr << used.user << " s, " << used.system << " s of the system\n";
          return !sanitized && used.user > 2 * used.system;
        };
        const ms::Runtime r;
        std::atomic<int> ran{0};
        for (int i = 0; i < 100; ++i) ms::task([&] { ++ran; });
        ms::wait();
        ms::parallel_for(0, 10'000, [&](ms::range all) { ran += static_cast<int>(all.size()); });
        for (int phases = 0; phases < 5; ++phases) {
          ms::phase("for many", 20, [&](std::int64_t) {
            ms::parallel_for(0, 100, [&](ms::range all) { ran += static_cast<int>(all.size()); });
          });
          if (stay_awake()) return 1;
        }
        return ran == 100 + 10'000 + 5 * 20 * 100 ? 0 : 1;
      },
      0, "of the system");
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

class Stacks : public testing::TestWithParam<const char*> {};

TEST_P(Stacks, GiveTheirMemoryBackWhenNothingIsDeepAnyMore) {
  if (sanitized) GTEST_SKIP() << "what is left on a stack may be poisoned there; the plain builds run this";
  EXPECT_CHILD(
      [] {
        choose_machine(GetParam());
        ms::Runtime r({.workers = 2, .serial = false});
        run_a_loop();
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

INSTANTIATE_TEST_SUITE_P(, Stacks, testing::ValuesIn(machines),
                         [](const testing::TestParamInfo<const char*>& which) { return machine_name(which.param); });

/// What each level waits for is an urgent task of its task's.
int deep_waits_for_urgent_tasks(int depth) {
  if (depth == 0) return 1;
  int below = 0;
  ms::task([&] { ms::task([&] { below = deep_waits_for_urgent_tasks(depth - 1); }, ms::priority{1}); });
  ms::wait();
  return below + 1;
}

/// From now on the process may have so many bytes more than it has.
void limit_memory_to(std::size_t more) {
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  statm >> pages;
  rlimit limit;
  limit.rlim_cur = limit.rlim_max = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + more;
  setrlimit(RLIMIT_AS, &limit);
}

TEST(Process, WaitsGoOnInPlaceWhenThereAreNoMoreStacks) {
  if (sanitized) GTEST_SKIP() << "a limit on the address space leaves the sanitizers none; the plain builds run this";
  EXPECT_CHILD(
      [] {
        ms::Runtime r({.workers = 3, .serial = false});
        run_a_loop();
        limit_memory_to(12u << 20);  // room for a few stacks
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

TEST(Process, WaitsForUrgentTasksGoOnInPlaceWhenThereAreNoMoreStacks) {
  if (sanitized) GTEST_SKIP() << "a limit on the address space leaves the sanitizers none; the plain builds run this";
  for (const int workers : {1, 2, 3})
    EXPECT_CHILD(
        [&] {
          ms::Runtime r({.workers = workers, .serial = false});
          run_a_loop();
          limit_memory_to(12u << 20);  // room for a few stacks
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
     "the task created at .*process_test.cpp:[0-9]+, inside the task created at .*process_test.cpp:[0-9]+"},
    {"Loop",
     [] {
       ms::task([] { ms::parallel_for(0, 10, [](ms::range) { use_too_much(); }); });
       leave_it_to_others();
     },
     "the loop at .*process_test.cpp:[0-9]+, inside the task created at .*process_test.cpp:[0-9]+"},
    {"Stream", [] { ms::phase("large", 4, [](std::int64_t) { use_too_much(); }); },
     "stream [0-3] of the phase .large. at .*process_test.cpp:[0-9]+"}};

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
TEST(Process, AChainOfWaitsThatIsTooDeepForTheAddressSpaceIsAnError) {
  if (sanitized) GTEST_SKIP() << "a limit on the address space leaves the sanitizers none; the plain builds run this";
  for (const int workers : {1, 2, 3})
    EXPECT_CHILD(
        [&] {
          ms::Runtime r({.workers = workers, .serial = false});
          run_a_loop();
          limit_memory_to(60u << 20);  // tasks are small: of this the stacks are used up before the memory
          int depth = 0;
          ms::task([&] { depth = chain(1'000'000); });
          try {
            ms::wait();
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

// On a described machine nobody could be told by an exception (docs/described.md).
TEST(Process, AChainOfWaitsThatIsTooDeepForADescribedMachineIsNamed) {
  if (sanitized) GTEST_SKIP() << "a limit on the address space leaves the sanitizers none; the plain builds run this";
  for (const char* machine : {"origin2000-16.toml", "cell-qs20.toml"})
    EXPECT_EXIT(
        {
          end_with(test_process);
          setenv("MASLIN_MACHINE", spec(machine).c_str(), 1);
          run_a_loop();
          limit_memory_to(60u << 20);
          ms::task([] { chain(1'000'000); });
          ms::wait();
        },
        testing::KilledBySignal(SIGABRT), "needs one more stack than the system gives memory");
}

}  // namespace
