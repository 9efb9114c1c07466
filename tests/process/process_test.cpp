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
#include <future>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <tuple>

#include "expect_child.hpp"
#include "machines.hpp"
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
                                         bad_variable{"MASLIN_PLACE", "near"},
                                         bad_variable{"MASLIN_TRACE", "/nonexistent/t"},
                                         bad_variable{"MASLIN_TRACE_DETAIL", "some"},
                                         bad_variable{"MASLIN_WATCHDOG", "5,late"},
                                         bad_variable{"MASLIN_CHECK", "perhaps"}, bad_variable{"MASLIN_EAGER", "65K"}));

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

// A library that makes one wherever it is called: the one outside goes on, and waits, also while its end has begun.
TEST(Process, ARuntimeInsideATaskDoesNotCount) {
  EXPECT_CHILD(
      [] {
        int last = 0;
        {
          const ms::Runtime outside({.workers = 2, .serial = false});
          ms::task([] { const ms::Runtime inside; });
          ms::wait();
          ms::task([&last] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            const ms::Runtime inside;
            last = 1;
            try {
              const ms::Runtime other({.workers = 5, .serial = false});
            } catch (const ms::error&) {
              last = 2;
            }
          });
        }
        const ms::Runtime after({.workers = 3, .serial = false});
        return last == 2 && ms::workers() == 3 ? 0 : 1;
      },
      0, "");
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

// Tasks of a group are nobody's children, so that the end finds them in flight.
TEST(Process, ShutdownLetsTasksOfALivingGroupMakeCalls) {
  EXPECT_CHILD(
      [] {
        auto group = std::make_unique<ms::group>();
        std::atomic<int> ran{0};
        {
          const ms::Runtime r({.workers = 2, .serial = false});
          for (int i = 0; i < 4; ++i)
            group->task([&ran] {
              std::this_thread::sleep_for(std::chrono::milliseconds(50));
              ms::parallel_for(0, 1000, [&](ms::range all) { ran += static_cast<int>(all.size()); });
            });
        }
        return ran == 4000 ? 0 : 1;
      },
      0, "");
}

// They need workers that have had nothing to do for long.
TEST(Process, ShutdownLetsTasksOfALivingGroupBeginPhasesAndRanks) {
  for (const int workers : {1, 2, 3})
    EXPECT_CHILD(
        [&] {
          auto group = std::make_unique<ms::group>();
          std::atomic<int> ran{0};
          {
            const ms::Runtime r({.workers = workers, .serial = false});
            group->task([&ran] {
              std::this_thread::sleep_for(std::chrono::milliseconds(50));
              const ms::kernel late("late", [&ran] {
                ms::parallel_for(0, 100, [&](ms::range all) { ran += static_cast<int>(all.size()); });
              });
              ms::phase("late", 6, [&](std::int64_t) { ms::offload(late); });
              ms::ranks(4, [&](ms::communicator& world) {
                world.barrier();
                ran += 100;
              });
            });
          }
          return ran == 1000 ? 0 : 1;
        },
        0, "");
}

// A task is suspended on the starter's worker and waits for one that runs elsewhere, while the starter is outside of
// Maslin and another thread ends the runtime.
TEST(Process, AnotherThreadThanTheStarterEndsTheRuntime) {
  for (const int workers : {2, 3})
    EXPECT_CHILD(
        [&] {
          using namespace std::chrono_literals;
          auto group = std::make_unique<ms::group>();
          std::atomic<bool> is_there{false};
          std::atomic<bool> goes_on{false};
          std::atomic<int> ran{0};
          std::unique_ptr<ms::Runtime> runtime;
          std::promise<void> is_outside;
          std::promise<void> may_end;
          std::thread starter([&] {
            runtime = std::make_unique<ms::Runtime>(ms::Runtime::options{.workers = workers, .serial = false});
            const auto is_set = [](const std::atomic<bool>& flag) {
              while (!flag) std::this_thread::sleep_for(1ms);
            };
            const auto here = std::this_thread::get_id();
            while (!is_there) {
              std::atomic<bool> is_busy{false};
              std::atomic<bool> began{false};
              ms::task([&] {
                is_busy = true;
                is_set(began);
              });
              is_set(is_busy);  // with 3 workers the other may take the next, which then comes again
              group->task([&, here] {
                const bool on_worker_0 = std::this_thread::get_id() == here;
                std::atomic<bool> is_elsewhere{false};
                if (on_worker_0)
                  ms::task([&] {
                    is_elsewhere = true;
                    is_set(goes_on);
                  });
                began = true;  // the last use of what the starter holds
                if (!on_worker_0) return;
                is_set(is_elsewhere);
                is_there = true;
                ms::wait();
                ++ran;
              });
              ms::wait();
            }
            is_outside.set_value();
            may_end.get_future().wait();
          });
          is_outside.get_future().wait();
          std::thread later([&] {
            std::this_thread::sleep_for(100ms);
            goes_on = true;
          });
          runtime.reset();
          later.join();
          may_end.set_value();
          starter.join();
          return ran == 1 ? 0 : 1;
        },
        0, "");
}

/// Gives the status with which the child leaves, or 1.
int status_of(pid_t child) {
  int status = 1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

TEST(Process, AForkedChildStartsAfreshAndTheParentGoesOn) {
  if (thread_sanitized)
    GTEST_SKIP() << "ThreadSanitizer ends a forked child that starts threads; the other builds run this";
  EXPECT_CHILD(
      [] {
        ms::Runtime r({.workers = 2, .serial = false});
        if (run_a_loop() != 0) return 1;
        const pid_t child = fork();
        if (child == 0) _exit(run_a_loop() + (ms::workers() >= 1 ? 0 : 1));
        return status_of(child) == 0 ? run_a_loop() : 1;
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
          return status_of(child) == 0 ? run_a_loop() : 1;
        },
        0, "");
}

/// Runs `child` in a process that a task has forked; gives the status with which that leaves.
int status_of_a_fork_in_a_task(void (*child)()) {
  ms::Runtime r({.workers = 2, .serial = false});
  std::atomic<int> result{1};
  ms::task([&] {
    const pid_t forked = fork();
    if (forked == 0) child();
    result = status_of(forked);
  });
  ms::wait();
  return result.load();
}

/// Makes a first call, and leaves with 0 if that is an error.
void leave_by_an_error() {
  try {
    run_a_loop();
    _exit(1);
  } catch (const ms::error& e) {
    std::cerr << e.what() << "\n" << std::flush;
    _exit(0);
  }
}

TEST(Process, AForkInsideATaskIsAnErrorAtTheChildsFirstCall) {
  EXPECT_CHILD([] { return status_of_a_fork_in_a_task(leave_by_an_error); }, 0, "forked inside a task");
}

TEST(Process, AForkOfSuchAChildIsAnErrorToo) {
  EXPECT_CHILD(
      [] {
        return status_of_a_fork_in_a_task([] {
          const pid_t grandchild = fork();
          if (grandchild == 0) leave_by_an_error();
          _exit(status_of(grandchild));
        });
      },
      0, "forked inside a task");
}

// The starter is outside of Maslin, and rank 0's place is its worker; nobody has needed that yet.
TEST(Process, RanksOfATaskBeginWhileTheStarterIsElsewhere) {
  EXPECT_CHILD(
      [] {
        ms::Runtime r({.workers = 2, .serial = false});
        std::promise<void> met;
        ms::group g;
        g.task([&] {
          ms::ranks(2, [](ms::communicator& world) { world.barrier(); });
          met.set_value();
        });
        met.get_future().wait();
        g.wait();
        return 0;
      },
      0, "");
}

// A stream is suspended at its off-load and holds what the streams of an inner phase wait for, which has its place.
TEST(Process, ASuspendedStreamGoesOnThoughAnInnerPhaseHasItsPlace) {
  for (const char* policy : {"ucb", "s-mgps"})
    EXPECT_CHILD(
        [&] {
          setenv("MASLIN_GRAIN", policy, 1);
          ms::Runtime r({.workers = 4, .serial = false});
          const ms::kernel work("work", [] { std::this_thread::sleep_for(std::chrono::microseconds(20)); });
          std::atomic<int> ran{0};
          constexpr int rounds = sanitized ? 5 : 30;
          for (int round = 0; round < rounds; ++round) {
            ms::mutex lock;
            ms::phase("outer", 24, [&](std::int64_t i) {
              for (int k = 0; k < 3; ++k) {
                std::unique_lock held(lock, std::defer_lock);
                if ((i + k) % 3 == 0) held.lock();
                ms::offload(work);
                if (held) held.unlock();
                if ((i + k) % 4 != 0) continue;
                ms::phase("inner", 2, [&](std::int64_t) {
                  const std::lock_guard inner(lock);
                  ++ran;
                });
              }
            });
          }
          return ran == rounds * 36 ? 0 : 1;
        },
        0, "");
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

}  // namespace
