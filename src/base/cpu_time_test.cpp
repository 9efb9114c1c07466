#include "base/cpu_time.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace maslin::base {
namespace {

TEST(CpuTime, OfAThreadThatIsNoneNothingIsKnown) { EXPECT_EQ(seconds_without_cpu(0), 0); }

// Two threads that compute all the time on one CPU: each has it for half of the time.
TEST(CpuTime, WhoSharesACpuHasItForAPartOfTheTime) {
  if (access("/proc/thread-self/schedstat", R_OK) != 0)
    GTEST_SKIP() << "the kernel does not say who waits for CPUs; it runs on one with CONFIG_SCHED_INFO";
  using clock = std::chrono::steady_clock;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  std::atomic<int> ready{0};
  double without[2] = {};
  double seconds[2] = {};
  std::thread threads[2];
  for (int i = 0; i < 2; ++i)
    threads[i] = std::thread([&, i] {
      ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
      ++ready;
      while (ready < 2) std::this_thread::yield();
      const double before = seconds_without_cpu(gettid());
      const auto begin = clock::now();
      while (clock::now() < begin + std::chrono::milliseconds(200)) {
      }
      std::this_thread::yield();  // a wait counts when it has ended
      seconds[i] = std::chrono::duration<double>(clock::now() - begin).count();
      without[i] = seconds_without_cpu(gettid()) - before;
    });
  for (std::thread& t : threads) t.join();
  for (int i = 0; i < 2; ++i) {
    EXPECT_GT(without[i], 0.2 * seconds[i]) << i;
    EXPECT_LT(without[i], seconds[i]) << i;
  }
}

}  // namespace
}  // namespace maslin::base
