#include "exec/phase/team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "exec/core/grain_lock.hpp"

namespace maslin {
namespace {

TEST(Team, ThatBecomesAnotherIsNeverHalfOfBoth) {
  constexpr int workers = 64;
  team pooled(1);
  std::atomic<bool> begun{false};
  std::atomic<bool> over{false};
  std::thread looks([&] {
    begun = true;
    while (!over) {
      const auto [first, width] = pooled.workers();
      EXPECT_LE(first + width, workers);
    }
  });
  while (!begun) std::this_thread::yield();
  core::grain_lock lock;
  lock.lock();
  for (int i = 0; i < 5'000'000; ++i)
    pooled.set_workers(i % 2 == 0 ? team::span{0, workers} : team::span{workers - 1, 1});
  lock.unlock();
  over = true;
  looks.join();
}

}  // namespace
}  // namespace maslin
