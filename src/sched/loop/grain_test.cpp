#include "sched/loop/grain.hpp"

#include <gtest/gtest.h>

namespace maslin::loop_policy {
namespace {

TEST(SiteTime, IsUnknownAtFirstAndThenWhatWasSeen) {
  site_time t;
  EXPECT_EQ(t.expected(1000), 0);
  t = t.learned(100, 500);
  EXPECT_DOUBLE_EQ(t.expected(1000), 5000);
}

TEST(SiteTime, FollowsALoopThatChanges) {
  site_time t = site_time().learned(100, 100);
  for (int i = 0; i < 30; ++i) t = t.learned(10, 1000);
  EXPECT_NEAR(t.expected(1), 100, 1);
  for (int i = 0; i < 30; ++i) t = t.learned(10, 10);
  EXPECT_NEAR(t.expected(1), 1, 0.1);
}

}  // namespace
}  // namespace maslin::loop_policy
