#include "phylo/run/monitor.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "phylo/run/draw.hpp"

namespace phylo {
namespace {

ProgressState state() {
  ProgressState s;
  s.done = 7;
  s.total = 25;
  s.lnl = -11983.209;
  s.elapsed_seconds = 31.4;
  s.left_seconds = 3725;
  s.phase.emplace();
  s.phase->current = {2, 1};
  return s;
}

TEST(Progress, ALineForALog) {
  EXPECT_EQ(format_progress(state(), 0, true), "trees 7/25  lnL -11983.21  0:31 elapsed, 1:02:05 left  2 x 1 sampling");
  ProgressState s = state();
  s.phase->chosen = maslin::configuration{2, 1};
  s.left_seconds.reset();
  EXPECT_EQ(format_progress(s, 0, true), "trees 7/25  lnL -11983.21  0:31 elapsed  2 x 1");
  s.phase->pinned_by = "MASLIN_PIN";
  EXPECT_EQ(format_progress(s, 0, true), "trees 7/25  lnL -11983.21  0:31 elapsed  2 x 1 pinned");
}

TEST(Progress, TheBarKeepsWithinTheTerminal) {
  EXPECT_EQ(format_progress(state(), 88, true),
            "trees 7/25 ████░░░░░░░░░░░  lnL -11983.21  0:31 elapsed, 1:02:05 left  2 x 1 sampling");
  for (int columns = 1; columns < 140; ++columns)
    for (const bool unicode : {false, true})
      EXPECT_LT(columns_of(format_progress(state(), columns, unicode)), static_cast<std::size_t>(columns)) << columns;
}

TEST(Progress, TheTimeLeftFollowsTheTreesOfThisRun) {
  EXPECT_FALSE(estimate_left(0, 10, 5));
  EXPECT_DOUBLE_EQ(*estimate_left(2, 10, 5), 20);
  EXPECT_DOUBLE_EQ(*estimate_left(10, 10, 5), 0);
}

TEST(Monitor, HearsTheFirstSignalAndLeavesTheProcessAlive) {
  const StopSignals stop;
  Monitor monitor(10, 0, "nothing", true);
  EXPECT_FALSE(monitor.stopping());
  ASSERT_EQ(::kill(::getpid(), SIGTERM), 0);
  while (!monitor.stopping()) ::usleep(1000);
  EXPECT_EQ(monitor.signal(), SIGTERM);
}

TEST(Monitor, OfAJobHearsWhatComesToOtherThreads) {
  std::atomic<bool> over{false};
  std::thread earlier([&] {
    while (!over) ::usleep(1000);
  });
  {
    const StopSignals stop(true);
    Monitor monitor(10, 0, "nothing", true);
    for (int i = 0; i < 2; ++i) ASSERT_EQ(::pthread_kill(earlier.native_handle(), SIGTERM), 0);
    while (!monitor.stopping()) ::usleep(1000);
    ASSERT_EQ(::pthread_kill(earlier.native_handle(), SIGTERM), 0);
    EXPECT_EQ(monitor.signal(), SIGTERM);
    ::usleep(150000);  // it looks once more
  }
  over = true;
  earlier.join();
}

TEST(Monitor, EndsWithoutWaitingForItsNextLook) {
  const StopSignals stop;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) {
    const Monitor monitor(10, 0, "nothing", true);
    ::usleep(1000);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(600));  // a look each 100
}

}  // namespace
}  // namespace phylo
