#include "exec/virtual/kernel_lengths.hpp"

#include <gtest/gtest.h>

namespace maslin {
namespace {

TEST(KernelLengths, WhatHasNotRunIsNotKnown) {
  kernel_lengths all;
  EXPECT_EQ(all.at_width(3, 1), 0);
  all.ran(3, 4, 100);
  EXPECT_EQ(all.at_width(3, 1), 0);
  EXPECT_EQ(all.at_width(3, 8), 0);
  EXPECT_EQ(all.at_width(2, 4), 0);
}

TEST(KernelLengths, EachWidthHasItsMean) {
  kernel_lengths all;
  all.ran(0, 4, 100);
  all.ran(0, 4, 200);
  all.ran(0, 2, 300);
  EXPECT_EQ(all.at_width(0, 4), 150);
  EXPECT_EQ(all.at_width(0, 2), 300);
}

TEST(KernelLengths, OneWorkerTakesWhatOneTookOtherwiseWhatATeamTookTogether) {
  kernel_lengths all;
  all.ran(0, 4, 100);
  EXPECT_EQ(all.of_one_worker(0, 4), 400);
  all.ran(0, 1, 250);
  EXPECT_EQ(all.of_one_worker(0, 4), 250);
}

TEST(KernelLengths, AKernelWhoseLengthChangesIsKnownAnew) {
  kernel_lengths all;
  for (int i = 0; i < 1000; ++i) all.ran(0, 1, 1000);
  for (int i = 0; i < 200; ++i) all.ran(0, 1, 10);
  EXPECT_LT(all.at_width(0, 1), 20);
}

}  // namespace
}  // namespace maslin
