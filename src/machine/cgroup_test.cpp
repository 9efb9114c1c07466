#include "machine/cgroup.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "checkout.hpp"

namespace maslin::machine {
namespace {

/// A folder with proc/ and sys/ as some machine shows them.
std::filesystem::path recorded(const std::string& name) { return checkout() / "src/machine/testdata" / name; }

std::optional<int> tightest(const std::vector<cpu_limit>& limits) {
  std::optional<int> least;
  for (const cpu_limit& l : limits)
    if (l.cpus && (!least || *l.cpus < *least)) least = l.cpus;
  return least;
}

bool mentions(const std::vector<cpu_limit>& limits, const std::string& text) {
  return std::any_of(limits.begin(), limits.end(), [&](auto& l) { return l.found.find(text) != std::string::npos; });
}

TEST(Cgroup, AQuotaOfOneAndAHalfCpusMeansTwo) {
  const auto limits = cgroup_limits(recorded("v2_fractional"));
  ASSERT_EQ(limits.size(), 1u);
  EXPECT_EQ(limits[0].cpus, 2);
  EXPECT_EQ(limits[0].source, "cgroup v2 quota");
  EXPECT_EQ(limits[0].found,
            "1.5 CPUs (150000 us every 100000 us in /sys/fs/cgroup/system.slice/job.service/cpu.max), rounded up");
}

TEST(Cgroup, QuotaMaxDoesNotLimit) {
  const auto limits = cgroup_limits(recorded("v2_unlimited"));
  ASSERT_EQ(limits.size(), 1u);
  EXPECT_FALSE(limits[0].cpus);
  EXPECT_EQ(limits[0].found, "none set (v2 at /sys/fs/cgroup/user.slice)");
}

TEST(Cgroup, AQuotaFurtherUpCounts) {
  const auto limits = cgroup_limits(recorded("v2_nested"));
  EXPECT_EQ(limits.size(), 3u);
  EXPECT_EQ(tightest(limits), 3);
  EXPECT_TRUE(mentions(limits, "/sys/fs/cgroup/batch/job 7/cpu.max"));
}

TEST(Cgroup, InsideANamespaceTheMountIsTheGroup) { EXPECT_EQ(tightest(cgroup_limits(recorded("v2_namespace"))), 3); }

TEST(Cgroup, AGroupThatCannotBeSeenLeavesWhatCan) { EXPECT_EQ(tightest(cgroup_limits(recorded("v2_outside"))), 4); }

TEST(Cgroup, WhatCannotBeUnderstoodIsIgnoredAndSaid) {
  const auto limits = cgroup_limits(recorded("v2_unreadable"));
  EXPECT_EQ(tightest(limits), std::nullopt);
  EXPECT_TRUE(mentions(limits, "banana"));
}

TEST(Cgroup, VersionOneIsReadUpItsHierarchy) {
  const auto limits = cgroup_limits(recorded("v1_fractional"));
  EXPECT_EQ(limits.size(), 2u);
  EXPECT_EQ(tightest(limits), 3);  // 2.5
  EXPECT_TRUE(mentions(limits, "2.5 CPUs"));
  EXPECT_EQ(limits[0].source, "cgroup v1 quota");
}

TEST(Cgroup, AContainerThatSeesOnlyItsOwnGroupHasItsQuota) {
  EXPECT_EQ(tightest(cgroup_limits(recorded("v1_container"))), 1);  // 0.5
}

TEST(Cgroup, BothVersionsAtOnceAreBothAsked) {
  const auto limits = cgroup_limits(recorded("hybrid"));
  EXPECT_EQ(tightest(limits), 7);
  EXPECT_TRUE(mentions(limits, "/sys/fs/cgroup v1/cpu/a/cpu.cfs_quota_us"));
}

TEST(Cgroup, WithoutControlGroupsNothingLimits) {
  for (const char* folder : {"none", "no such folder"}) {
    const auto limits = cgroup_limits(recorded(folder));
    ASSERT_EQ(limits.size(), 1u);
    EXPECT_FALSE(limits[0].cpus);
    EXPECT_EQ(limits[0].found, "no control group with a CPU controller is visible");
  }
}

}  // namespace
}  // namespace maslin::machine
