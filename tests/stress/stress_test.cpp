// What phases promise while their configurations change often: under each policy and on every number of workers nothing
// is lost and nobody waits for ever. The answers are asserted, never a time; a hang ends with the test's time.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {

using testing::Combine;
using testing::Values;

/// A runtime with that many workers, whose phases choose their configurations by that policy.
class Stress : public testing::TestWithParam<std::tuple<int, const char*>> {
 protected:
  static ms::Runtime::options options() {
    setenv("MASLIN_GRAIN", std::get<1>(GetParam()), 1);
    return {.workers = std::get<0>(GetParam()), .serial = false};
  }
  ~Stress() override { unsetenv("MASLIN_GRAIN"); }

  ms::Runtime runtime{options()};
};

std::int64_t shared_sum(std::int64_t n) {
  std::atomic<std::int64_t> sum{0};
  ms::parallel_for(
      0, n,
      [&](ms::range r) {
        std::int64_t own = 0;
        for (const auto i : r) own += i;
        sum += own;
      },
      ms::block{16});
  return sum;
}

const ms::kernel sum_of{"sum", [](std::int64_t n) { return shared_sum(n); }};

constexpr std::int64_t iterations = 600;
constexpr std::int64_t right = iterations * (iterations - 1) / 2;

/// Off-loads until so much time has passed: a few slices of right-sizing. Gives how many answers were wrong.
int off_load_for(std::chrono::milliseconds long_enough) {
  int wrong = 0;
  const auto end = std::chrono::steady_clock::now() + long_enough;
  do wrong += ms::offload(sum_of, iterations) != right;
  while (std::chrono::steady_clock::now() < end);
  return wrong;
}

using std::chrono::milliseconds;

TEST_P(Stress, AMutexMayBeHeldOverOffLoadsWhileTheStarterIsOutside) {
  std::atomic<int> wrong{0};
  int held = 0;
  std::thread([&] {
    for (int round = 0; round < 2; ++round) {
      ms::mutex lock;
      ms::phase("locks", 5, [&](std::int64_t) {
        for (int k = 0; k < 4; ++k) {
          const std::lock_guard holding(lock);
          wrong += off_load_for(milliseconds(3));
          ++held;
        }
      });
    }
  }).join();
  EXPECT_EQ(held, 2 * 5 * 4);
  EXPECT_EQ(wrong, 0);
}

// Long enough for the configuration to change under the one that holds the lock, while the other waits for it.
TEST_P(Stress, TheOneThatHoldsTheMutexGoesOnAfterAChangeOfConfiguration) {
  std::atomic<int> wrong{0};
  int held = 0;
  std::thread([&] {
    for (int round = 0; round < 3; ++round) {
      ms::mutex lock;
      ms::phase("long holds", 2, [&](std::int64_t) {
        wrong += off_load_for(milliseconds(1));
        const std::lock_guard holding(lock);
        wrong += off_load_for(milliseconds(40));
        ++held;
      });
    }
  }).join();
  EXPECT_EQ(held, 3 * 2);
  EXPECT_EQ(wrong, 0);
}

TEST_P(Stress, StreamsWaitForTasksAndGroupsOfOthers) {
  constexpr int streams = 7;
  std::atomic<int> ran{0};
  std::atomic<int> wrong{0};
  ms::group later;
  ms::phase("groups", streams, [&](std::int64_t) {
    ms::group own;
    for (int k = 0; k < 5; ++k) {
      for (int i = 0; i < 20; ++i) own.task([&] { ++ran; });
      later.task([&] {
        wrong += off_load_for(milliseconds(0));
        ++ran;
      });
      wrong += off_load_for(milliseconds(2));
      own.wait();
    }
  });
  later.wait();
  EXPECT_EQ(ran, streams * 5 * 21);
  EXPECT_EQ(wrong, 0);
}

TEST_P(Stress, MoreTasksThanAQueueHoldsAreAllRun) {
  constexpr int per_group = 3000;
  std::atomic<int> ran{0};
  std::atomic<int> wrong{0};
  std::vector<ms::group> groups(6);
  ms::phase("many tasks", 3, [&](std::int64_t) {
    for (ms::group& g : groups) {
      for (int i = 0; i < per_group; ++i) g.task([&] { ++ran; });
      wrong += off_load_for(milliseconds(1));
    }
  });
  for (ms::group& g : groups) g.wait();
  EXPECT_EQ(ran, 3 * 6 * per_group);
  EXPECT_EQ(wrong, 0);
}

TEST_P(Stress, PhasesInsideAndBesideEachOtherFromEveryThread) {
  std::atomic<int> ran{0};
  std::atomic<int> wrong{0};
  const auto phases = [&] {
    ms::phase("outer", 3, [&](std::int64_t) {
      wrong += off_load_for(milliseconds(1));
      ms::phase("inner", 3, [&](std::int64_t) {
        wrong += off_load_for(milliseconds(1));
        ++ran;
      });
      wrong += off_load_for(milliseconds(1));
    });
  };
  std::vector<std::thread> foreign;
  for (int t = 0; t < 2; ++t) foreign.emplace_back(phases);
  ms::task(phases);
  phases();
  ms::wait();
  for (std::thread& t : foreign) t.join();
  EXPECT_EQ(ran, 4 * 9);
  EXPECT_EQ(wrong, 0);
}

TEST_P(Stress, TwoThreadsMayWaitForAGroupToWhichTheyAdd) {
  std::atomic<int> ran{0};
  std::atomic<int> early{0};
  ms::group shared;
  const auto adds_and_waits = [&] {
    for (int k = 0; k < 300; ++k) {
      std::atomic<int> own{0};
      for (int i = 0; i < 3; ++i)
        shared.task([&] {
          ++own;
          ++ran;
        });
      shared.wait();
      early += own != 3;
    }
  };
  std::thread foreign(adds_and_waits);
  adds_and_waits();
  foreign.join();
  EXPECT_EQ(ran, 2 * 300 * 3);
  EXPECT_EQ(early, 0);
}

INSTANTIATE_TEST_SUITE_P(, Stress, Combine(Values(1, 2, 3, 8, 64), Values("auto", "ucb", "mgps", "edtlp")),
                         [](const auto& of) {
                           return "Workers" + std::to_string(std::get<0>(of.param)) + "_" + std::get<1>(of.param);
                         });

}  // namespace
