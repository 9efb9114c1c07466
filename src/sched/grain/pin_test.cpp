#include "sched/grain/pin.hpp"

#include <gtest/gtest.h>

#include <string>

#include "maslin/error.hpp"

namespace maslin::grain {
namespace {

std::string complaint(std::string_view text) {
  try {
    parse_pins(text);
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

TEST(Pin, EachPhaseGetsItsConfiguration) {
  const pins all = parse_pins("bootstraps=4x2,other=1x8").phases;
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.at("bootstraps"), (configuration{4, 2}));
  EXPECT_EQ(all.at("other"), (configuration{1, 8}));
  EXPECT_TRUE(parse_pins("").phases.empty());
  EXPECT_EQ(parse_pins("a phase=1x1").phases.at("a phase"), (configuration{1, 1}));
  EXPECT_FALSE(parse_pins("bootstraps=4x2").wait);
}

TEST(Pin, HowToWaitIsPinnedBesidePhases) {
  const pinned all = parse_pins("bootstraps=4x2,wait=yield");
  EXPECT_EQ(all.wait, wait_policy::yield);
  EXPECT_EQ(all.phases.size(), 1u);
  EXPECT_EQ(all.phases.at("bootstraps"), (configuration{4, 2}));
  EXPECT_EQ(parse_pins("wait=auto,a=1x1").wait, wait_policy::automatic);
  EXPECT_EQ(parse_pins("waits=1x1").phases.at("waits"), (configuration{1, 1}));
}

TEST(Pin, WhereAKernelRunsIsPinnedBesidePhases) {
  const pinned all = parse_pins("newview=host,newview=4x2,evaluate=accelerator,kernels=host");
  EXPECT_EQ(all.phases.size(), 1u);
  ASSERT_EQ(all.kernels.size(), 3u);
  EXPECT_EQ(all.kernels.at("newview"), kernel_place::host);
  EXPECT_EQ(all.kernels.at("evaluate"), kernel_place::accelerator);
  EXPECT_EQ(all.kernels.at("kernels"), kernel_place::host);
}

TEST(Pin, WhatCannotBeReadIsNamedWithItsColumn) {
  const std::pair<const char*, const char*> cases[] = {
      {"bootstraps", "column 11: expected '='"},
      {"bootstraps,x=1x1", "column 11: expected '='"},
      {"=4x2", "column 1: expected the name"},
      {"a=", "column 3: expected a number of streams"},
      {"a=x2", "column 3: expected a number of streams"},
      {"a=0x2", "column 3: expected a number of streams"},
      {"a=-1x2", "column 3: expected a number of streams"},
      {"a=99999999999x2", "column 3: expected a number of streams"},
      {"a=4", "column 4: expected 'x'"},
      {"a=4*2", "column 4: expected 'x'"},
      {"a=4x", "column 5: expected a width"},
      {"a=4x0", "column 5: expected a width"},
      {"a=4x2 ", "column 6: expected ',' or the end"},
      {"a=4x2,", "column 7: expected another entry"},
      {"a=4x2,,b=1x1", "column 7: expected the name"},
      {"a=4x2,a=1x1", "column 7: expected each name once"},
      {"a=hosts", "column 3: expected a number of streams, 1 or more (of a kernel: host or accelerator)"},
      {"a=host,b=host,a=accelerator", "column 15: expected each name once"},
      {"wait=yield,wait=spin", "column 12: expected each name once"},
      {"wait=yeild", "column 6: expected spin, yield, adaptive, park or auto, did you mean 'yield'?"},
      {"wait=4x2", "column 6: expected spin, yield, adaptive, park or auto; write NAME=STREAMSxWIDTH"},
      {"wait=", "column 6: expected spin, yield, adaptive, park or auto"},
      {"wait=spin,", "column 11: expected another entry"},
  };
  for (const auto& [text, expected] : cases)
    EXPECT_NE(complaint(text).find(expected), std::string::npos) << text << ": " << complaint(text);
}

TEST(Pin, APinThatExceedsTheWorkersSaysSo) {
  EXPECT_EQ(fit_pin("a", {4, 2}, 8), (configuration{4, 2}));
  try {
    fit_pin("bootstraps", {4, 2}, 7);
    FAIL();
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()).find("'bootstraps' is pinned to 4x2"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("needs 8 workers, but it has 7"), std::string::npos) << e.what();
  }
  EXPECT_THROW(fit_pin("a", {65536, 65536}, 8), error);
}

}  // namespace
}  // namespace maslin::grain
