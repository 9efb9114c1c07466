// Promises about the runtime as a part of its process. Most run in a child process, so that each begins afresh.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>
#include <string>
#include <thread>

#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// Runs `body` in a process of its own, which ends with what `body` returns; EXPECT_EXIT sees status and stderr.
#define EXPECT_CHILD(body, status, message) EXPECT_EXIT(std::exit((body)()), testing::ExitedWithCode(status), message)

int run_a_loop() {
  std::atomic<int> ran{0};
  ms::parallel_for(0, 100, [&](ms::range r) { ran += static_cast<int>(r.size()); });
  return ran == 100 ? 0 : 1;
}

struct bad_variable {
  const char* name;
  const char* value;
};

class BadEnvironment : public testing::TestWithParam<bad_variable> {};

TEST_P(BadEnvironment, IsOneClearErrorAtTheFirstCall) {
  const bad_variable bad = GetParam();
  EXPECT_CHILD(
      [&] {
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

INSTANTIATE_TEST_SUITE_P(, BadEnvironment,
                         testing::Values(bad_variable{"MASLIN_WORKERS", "banana"}, bad_variable{"MASLIN_WORKERS", "0"},
                                         bad_variable{"MASLIN_WORKERS", "-3"}, bad_variable{"MASLIN_SERIAL", "yes"},
                                         bad_variable{"MASLIN_STACK", "huge"}, bad_variable{"MASLIN_PIN", "p=4y2"},
                                         bad_variable{"MASLIN_LOOP", "guided"},
                                         bad_variable{"MASLIN_WATCHDOG", "soon"}));

TEST(Process, DescribedMachinesAreRefusedUntilTheyCanRun) {
  EXPECT_CHILD(
      [] {
        setenv("MASLIN_MACHINE", "/nonexistent/machine.toml", 1);
        try {
          run_a_loop();
          return 1;
        } catch (const ms::error& e) {
          std::cerr << e.what() << "\n";
          return 2;
        }
      },
      2, "machine.toml");
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

// The starter waits by other means than Maslin's, so nobody is on worker 0's seat.
TEST(Process, ATaskRunsThoughItsCreatorWaitsForAFuture) {
  for (const int workers : {1, 2, 3}) {
    ms::Runtime r({.workers = workers, .serial = false});
    for (int i = 0; i < 3; ++i) {
      std::promise<int> promise;
      ms::task([&] {
        ms::task([] { std::this_thread::yield(); });
        ms::wait();
        ms::phase("while the starter is outside", 4, [](std::int64_t) { std::this_thread::yield(); });
        promise.set_value(7);
      });
      EXPECT_EQ(promise.get_future().get(), 7);
      ms::wait();
    }
  }
}

int deep_waits(int depth) {
  if (depth == 0) return 1;
  int below = 0;
  ms::task([&] { below = deep_waits(depth - 1); });
  std::this_thread::yield();
  ms::wait();
  return below + 1;
}

TEST(Process, WaitsGoOnInPlaceWhenThereAreNoMoreStacks) {
  if (sanitized) GTEST_SKIP() << "a limit on the address space leaves the sanitizers none; the plain builds run this";
  EXPECT_CHILD(
      [] {
        ms::Runtime r({.workers = 3, .serial = false});
        run_a_loop();
        // What the process has, and room for a few stacks more.
        std::ifstream statm("/proc/self/statm");
        std::size_t pages = 0;
        statm >> pages;
        const rlim_t bytes = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + (12u << 20);
        rlimit limit;
        limit.rlim_cur = limit.rlim_max = bytes;
        setrlimit(RLIMIT_AS, &limit);
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

}  // namespace
