#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "maslin/access.hpp"
#include "maslin/runtime.hpp"
#include "maslin/task.hpp"
#include "task/node.hpp"

namespace maslin {
namespace {

/// What brings data home is a member of the group that is waited for. Whoever waits for it need not be its creator,
/// who alone counts members privately.
TEST(Home, TasksThatBringDataHomeAreCountedBesideTheGroupsCreator) {
  const Runtime runtime({.workers = 4, .serial = false});
  constexpr int all = 100'000;
  for (int round = 0; round < 60; ++round) {
    std::vector<double> data(64);
    std::atomic<bool> begun{false};
    std::atomic<bool> made_all{false};
    std::atomic<long> done{0};
    group creator;
    creator.task([&] {
      group own;
      group other;
      other.task([&] {
        begun = true;
        while (!made_all) {
          own.task(
              [](view<const double> v) {
                volatile double sum = 0;
                for (int k = 0; k < 30; ++k)
                  for (const double x : v) sum = sum + x;
              },
              in(data));
          own.task([](view<double> v) { std::fill(v.begin(), v.end(), 1); }, out(data));
          own.wait();
        }
      });
      while (!begun) std::this_thread::yield();
      for (int i = 0; i < all; ++i) own.task([&] { done.fetch_add(1, std::memory_order_relaxed); });
      made_all = true;
      other.wait();
      own.wait();
      EXPECT_EQ(own.get().members.in_flight(), 0);
    });
    creator.wait();
  }
}

}  // namespace
}  // namespace maslin
