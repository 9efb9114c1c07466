// Promises about programs in which nothing moves: MASLIN_WATCHDOG says who waits for whom. Each in a process of its
// own.

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "executors.hpp"
#include "expect_child.hpp"
#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {

/// Runs a body that never ends with a watchdog, and ends the process when it has had time to speak.
template <class Body>
int stuck(const char* patience, int workers, Body&& body) {
  setenv("MASLIN_WATCHDOG", patience, 1);
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));
    _exit(7);
  }).detach();
  ms::Runtime r({.workers = workers, .serial = false});
  body();
  return 0;
}

// Each says who waits for whom: the tasks, their lines and data, the cycle.
TEST(Stall, TwoLocksInBothOrders) {
  EXPECT_CHILD(
      [] {
        return stuck("0.3", 2, [] {
          ms::mutex locks[2];
          std::atomic<int> holding{0};
          double mine[2] = {};
          double next = 0;
          for (int i : {0, 1})
            ms::task(
                [&, i](ms::view<double>) {
                  std::lock_guard first(locks[i]);
                  ++holding;
                  while (holding < 2) std::this_thread::yield();
                  std::lock_guard second(locks[1 - i]);
                },
                ms::inout(mine[i]));
          ms::task([](ms::view<const double>, ms::view<double>) {}, ms::in(mine[0]), ms::out(next));
          ms::wait();
        });
      },
      7,
      "no progress for.*task .*created at .*stall_test.cpp:.*inout 8 bytes at .*waits for an ms::mutex: "
      ".*1 tasks wait behind it:.*in 8 bytes at .*, out 8 bytes.*a cycle: \\[.\\] waits for \\[.\\] waits for");
}

TEST(Stall, AMemberThatWaitsForItsGroup) {
  EXPECT_CHILD(
      [] {
        return stuck("0.3", 3, [] {
          ms::group g;
          int x = 0;
          g.task([&](ms::view<int>) { g.wait(); }, ms::inout(x));
          g.wait();
        });
      },
      7,
      "no progress for.*inout 4 bytes.*waits for 1 members of a group or phase: \\[1\\].*"
      "a cycle: \\[1\\] waits for \\[1\\]");
}

TEST(Stall, AMutexThatATaskForgotToUnlock) {
  EXPECT_CHILD(
      [] {
        return stuck("0.3", 2, [] {
          ms::mutex lock;
          ms::task([&] { lock.lock(); });
          ms::wait();
          ms::task([&] { lock.lock(); });
          ms::wait();
        });
      },
      7, "waits for an ms::mutex, held by code that does not wait, or that ended without unlocking it");
}

// Nothing is left to happen there; that it stays so is waited for in real time.
TEST(Stall, OfADescribedMachine) {
  for (const char* machine : {"origin2000-16.toml", "cell-qs20.toml"})
    EXPECT_CHILD(
        [&] {
          setenv("MASLIN_MACHINE", spec(machine).c_str(), 1);
          return stuck("0.3", 4, [] {
            ms::mutex locks[2];
            int holding = 0;  // one body runs at a time
            double mine[2] = {};
            for (int i : {0, 1})
              ms::task(
                  [&, i](ms::view<double>) {
                    std::lock_guard first(locks[i]);
                    ++holding;
                    ms::group g;
                    while (holding < 2) {
                      g.task([] {});
                      g.wait();
                    }
                    g.task([&] { std::lock_guard second(locks[1 - i]); });
                    g.wait();
                  },
                  ms::inout(mine[i]));
            ms::wait();
          });
        },
        7,
        "no progress for.*task .*created at .*stall_test.cpp:.*inout 8 bytes at .*, on worker .*waits for an "
        "ms::mutex: .*a cycle: \\[.\\] waits for \\[.\\] waits for");
}

// A phase beside it takes its worker, and neither phase ends.
TEST(Stall, AStreamThatIsSuspendedAtAnOffLoad) {
  EXPECT_CHILD(
      [] {
        setenv("MASLIN_GRAIN", "edtlp", 1);  // a worker a stream
        return stuck("0.3,0.3", 2, [] {
          static const ms::kernel kernel{"kernel", [] { std::this_thread::yield(); }};
          std::atomic<int> streams{0};
          std::atomic<bool> other_runs{false};
          const auto stop = [] {
            for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
          };
          std::thread beside([&] {
            while (streams < 2) std::this_thread::yield();
            ms::phase("beside", 1, [&](std::int64_t) {
              other_runs = true;
              stop();
            });
          });
          ms::phase("suspended", 2, [&](std::int64_t) {
            ++streams;
            while (!other_runs) ms::offload(kernel);
            stop();
          });
          beside.join();
        });
      },
      7, "no progress for.*is busy.*waits at an off-load until another stream of its phase");
}

TEST(Stall, ABodyThatDoesNotComeBack) {
  EXPECT_CHILD(
      [] {
        return stuck("0.1,0.5", 2, [] {
          std::atomic<bool> never{false};
          int x = 0;
          ms::task([&](ms::view<int>) { never.wait(false); }, ms::inout(x));
          ms::wait_on(x);
        });
      },
      7, "is busy: what it runs has not come back");
}

}  // namespace
