#include "sched/loop/grain.hpp"

#include <gtest/gtest.h>

namespace maslin::loop_policy {
namespace {

void body(void*, range, std::int64_t) {}
void other_body(void*, range, std::int64_t) {}

detail::loop at(void (*run)(void*, range, std::int64_t), unsigned line) {
  return {0, 100, 1, run, nullptr, schedule::of_the_run, location::current("f.cpp", line)};
}

TEST(SiteTime, IsUnknownAtFirstAndThenWhatWasSeen) {
  site_time t;
  EXPECT_EQ(t.expected(1000), 0);
  t.learn(100, 500);
  EXPECT_DOUBLE_EQ(t.expected(1000), 5000);
}

TEST(SiteTime, FollowsALoopThatChanges) {
  site_time t;
  t.learn(100, 100);
  for (int i = 0; i < 30; ++i) t.learn(10, 1000);
  EXPECT_NEAR(t.expected(1), 100, 1);
  for (int i = 0; i < 30; ++i) t.learn(10, 10);
  EXPECT_NEAR(t.expected(1), 1, 0.1);
}

TEST(SiteTimes, KeepBodiesAndLinesApart) {
  site_times all;
  all.of(at(body, 3)).learn(1, 10);
  EXPECT_EQ(all.of(at(body, 3)).expected(1), 10);
  EXPECT_EQ(all.of(at(other_body, 3)).expected(1), 0);
  EXPECT_EQ(all.of(at(body, 4)).expected(1), 0);
}

TEST(SiteTimes, APlaceThatTwoSitesShareForgetsTheEarlier) {
  site_times all;
  all.of(at(body, 3)).learn(1, 10);
  // The same place of the table, another line.
  EXPECT_EQ(all.of(at(body, 3 + 1024)).expected(1), 0);
  EXPECT_EQ(all.of(at(body, 3)).expected(1), 0);
}

}  // namespace
}  // namespace maslin::loop_policy
