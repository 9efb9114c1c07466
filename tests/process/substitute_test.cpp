// Worker 0 while its thread, the starter, is outside Maslin: its substitute (exec/threads/worker_0_role.hpp).

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <string>
#include <thread>

#include "expect_child.hpp"
#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {

// The starter waits by other means than Maslin's, so nobody is in worker 0's role.
TEST(Substitute, ATaskRunsThoughItsCreatorWaitsForAFuture) {
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

// Both fibers of worker 0 may go on when its starter does, who then waits outside for what the other one will do.
TEST(Substitute, ATaskGoesOnThoughItsWorkersThreadHasGone) {
  EXPECT_CHILD(
      [] {
        ms::Runtime r({.workers = 2, .serial = false});
        ms::group first;
        ms::group second;
        std::atomic<bool> elsewhere{false};
        std::atomic<bool> both_sleep{false};
        std::atomic<bool> both_woken{false};
        std::promise<int> promise;
        int order = 0;
        first.task([&] {
          elsewhere = true;
          while (!both_sleep) std::this_thread::yield();
        });
        while (!elsewhere) std::this_thread::yield();
        // The other worker does these two after that one.
        second.task([](auto) {}, ms::inout(order));
        ms::task([&](auto) { both_woken = true; }, ms::inout(order));
        // And worker 0 this one, then the one before.
        ms::task([&] {
          both_sleep = true;
          while (!both_woken) std::this_thread::yield();
        });
        ms::task([&] {
          second.wait();
          promise.set_value(7);
        });
        first.wait();
        const int got = promise.get_future().get();
        ms::wait();
        return got == 7 ? 0 : 1;
      },
      0, "");
}

/// Gives how often the threads of this process but the calling one have slept; -1 where the system does not say.
long sleeps_of_other_threads() {
  long sum = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    if (thread.path().filename() == std::to_string(gettid())) continue;
    std::ifstream status(thread.path() / "status");
    const std::string name = "voluntary_ctxt_switches:";
    std::string word;
    while (status >> word && word != name) {
    }
    long times = 0;
    if (!(status >> times)) return -1;
    sum += times;
  }
  return sum;
}

/// While the caller sleeps for half a second, do other threads wake up at most once in every so many milliseconds, all
/// together, besides eight times? One that falls asleep meanwhile does so once.
bool others_wake_up_every(std::int64_t milliseconds) {
  using namespace std::chrono;
  std::this_thread::sleep_for(100ms);  // what goes on of its own accord ends
  const auto began = steady_clock::now();
  const long before = sleeps_of_other_threads();
  std::this_thread::sleep_for(500ms);
  const long times = sleeps_of_other_threads() - before;
  // Beside other processes the sleep may last longer.
  const auto slept = duration_cast<std::chrono::milliseconds>(steady_clock::now() - began).count();
  const bool well = before < 0 || times <= slept / milliseconds + 8;
  if (!well) std::cerr << times << " wake-ups in " << slept << " ms\n" << std::flush;
  return well;
}
bool all_others_stay_asleep() { return others_wake_up_every(1'000'000); }

TEST(Substitute, AnIdleRuntimeWithASubstituteWakesNoThread) {
  for (const int workers : {1, 2, 3})
    EXPECT_CHILD(
        [workers] {
          unsetenv("MASLIN_WATCHDOG");  // a thread that looks around
          ms::Runtime r({.workers = workers, .serial = false});
          std::promise<void> done;
          ms::task([&] { done.set_value(); });  // by the substitute where there is one worker
          done.get_future().wait();
          std::thread([] { ms::task([] {}), ms::wait(); }).join();
          ms::wait();
          return all_others_stay_asleep() ? 0 : 1;
        },
        0, "");
}

TEST(Substitute, AForeignThreadThatWaitsWakesUpEvery32MillisecondsAndNobodyElseDoes) {
  EXPECT_CHILD(
      [] {
        unsetenv("MASLIN_WATCHDOG");
        ms::Runtime r({.workers = 2, .serial = false});
        std::promise<void> waits;
        std::promise<void> end;
        std::thread foreign([&] {
          std::promise<void> elsewhere;
          ms::task([&] {
            elsewhere.set_value();
            end.get_future().wait();
          });
          elsewhere.get_future().wait();
          waits.set_value();
          ms::wait();
        });
        waits.get_future().wait();
        const bool well = others_wake_up_every(32);
        end.set_value();
        foreign.join();
        return well ? 0 : 1;
      },
      0, "");
}

// There is work that only worker 0 can do, and its thread is in a call for long: a thread that stands in has nothing to
// look for before that ends.
TEST(Substitute, ASubstituteSleepsWhileWorker0IsNeededAndTheStarterIsThere) {
  EXPECT_CHILD(([] {
                 unsetenv("MASLIN_WATCHDOG");
                 ms::Runtime r({.workers = 1, .serial = false});
                 std::atomic<int> ran{0};
                 std::atomic<bool> well{false};
                 // Where the starter loses its CPU before it waits, the substitute is first; the starter then looks now
                 // and then.
                 const auto looks_if_first = [&, starter = std::this_thread::get_id()] {
                   if (ran++ > 0) return;
                   well = std::this_thread::get_id() == starter ? all_others_stay_asleep() : others_wake_up_every(32);
                 };
                 ms::task(looks_if_first);
                 ms::task(looks_if_first);
                 ms::wait();
                 return well && ran == 2 ? 0 : 1;
               }),
               0, "");
}

// The starter comes back while the substitute is busy with worker 0's work, and waits: that is one worker, not two.
TEST(Substitute, TheStarterAndItDoNoMoreAtATimeThanOneWorker) {
  using namespace std::chrono_literals;
  ms::Runtime r({.workers = 1, .serial = false});
  for (const bool in_group : {false, true}) {
    std::atomic<int> running{0};
    std::atomic<int> most{0};
    const auto task = [&] {
      const int now = ++running;
      for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
      }
      std::this_thread::sleep_for(10ms);
      --running;
    };
    ms::group group;
    const auto create = [&](auto&& body) { in_group ? group.task(body) : ms::task(body); };
    std::promise<void> begun;
    create([&] { begun.set_value(), task(); });
    begun.get_future().wait();
    for (int i = 0; i < 5; ++i) create(task);
    if (in_group)
      group.wait();
    else
      ms::wait();
    EXPECT_EQ(most, 1);
  }
}

// What the substitute is busy with may wait for the starter, who waits for something else.
TEST(Substitute, TheStarterDoesWhatItWaitsForIfThatIsBlocked) {
  ms::Runtime r({.workers = 1, .serial = false});
  std::promise<void> inside;
  std::promise<void> over;
  ms::task([&] {
    inside.set_value();
    over.get_future().wait();
  });
  inside.get_future().wait();
  bool ran = false;
  ms::group group;
  group.task([&] { ran = true; });
  group.wait();
  EXPECT_TRUE(ran);
  over.set_value();
  ms::wait();
}

}  // namespace
