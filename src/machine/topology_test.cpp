#include "machine/topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "checkout.hpp"
#include "maslin/error.hpp"

namespace maslin::machine {
namespace {

std::vector<const cache*> level(const topology& t, int n) {
  std::vector<const cache*> all;
  for (const cache& c : t.caches)
    if (c.level == n) all.push_back(&c);
  return all;
}

TEST(Topology, TwoPackagesOfFourCoresWithTwoThreadsEach) {
  const topology t = synthetic_topology("package:2 numa:1(memory=8GB) l3:1(size=16MB) l2:4(size=512kB) core:1 pu:2");
  EXPECT_EQ(t.packages, 2);
  EXPECT_EQ(t.cores, 8);
  EXPECT_EQ(t.cpus, 16);
  ASSERT_EQ(t.numa.size(), 2u);
  EXPECT_EQ(t.numa[1].cpus.size(), 8u);
  ASSERT_EQ(level(t, 3).size(), 2u);
  EXPECT_EQ(level(t, 3)[0]->cpus.size(), 8u);
  ASSERT_EQ(level(t, 2).size(), 8u);
  EXPECT_EQ(level(t, 2)[7]->cpus, (std::vector<int>{14, 15}));
  EXPECT_EQ(level(t, 2)[7]->kind, "unified");
  EXPECT_TRUE(level(t, 1).empty());
}

TEST(Topology, IsReadFromHwlocsXml) {
  const auto file = checkout() / "src/machine/testdata/two-cores.xml";
  const topology t = topology_from_xml(file.string());
  EXPECT_EQ(t.processor, "Example Processor 3000");
  EXPECT_EQ(t.cores, 2);
  EXPECT_EQ(t.cpus, 2);
  ASSERT_EQ(level(t, 3).size(), 1u);
  EXPECT_EQ(level(t, 3)[0]->bytes, 8388608);
  EXPECT_EQ(level(t, 3)[0]->cpus, (std::vector<int>{0, 1}));
  ASSERT_EQ(t.numa.size(), 1u);
  EXPECT_EQ(t.numa[0].bytes, 4294967296);
}

TEST(Topology, WhatHwlocCannotReadIsAnError) {
  EXPECT_THROW(synthetic_topology("banana:x"), error);
  EXPECT_THROW(topology_from_xml("no such file.xml"), error);
}

TEST(Topology, OfThisMachineHoldsTogether) {
  const topology t = detect_topology();
  EXPECT_GE(t.cpus, 1);
  for (const cache& c : t.caches) {
    EXPECT_GE(c.level, 1);
    EXPECT_FALSE(c.cpus.empty());
    EXPECT_LE(c.cpus.size(), static_cast<std::size_t>(t.cpus));
    EXPECT_TRUE(std::is_sorted(c.cpus.begin(), c.cpus.end()));
  }
  EXPECT_FALSE(t.numa.empty());
}

}  // namespace
}  // namespace maslin::machine
