#include "sched/grain/work_mix.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace maslin::grain {
namespace {

/// So many executions of a kernel, on one worker or on several.
kernel_record executions(std::uint64_t count, double seconds_each, int width = 1) {
  kernel_record k;
  k.executions = k.completed = count;
  k.stream_seconds = static_cast<double>(count) * seconds_each / width;
  k.worker_seconds = static_cast<double>(count) * seconds_each;
  if (width > 1) return k;
  k.one_worker = count;
  k.one_worker_seconds = k.worker_seconds;
  return k;
}

/// What a phase tells its mix.
struct told {
  work_mix mix;
  kernel_times times;
  std::vector<kernel_record> so_far;
  double own_so_far = 0;

  void slice(double own, const std::vector<kernel_record>& kernels, double share = 1, double stream_seconds = 0) {
    times.add(kernels);
    accumulate(so_far, kernels);
    own_so_far += own;
    mix.observe(parts_of(own, kernels, times), own_so_far, so_far, times, share, 1, stream_seconds);
  }
};

TEST(WorkMix, OfWholeStreamsCountsAllThatWasDone) {
  told phase;
  phase.slice(1, {});                        // a serial part
  phase.slice(0, {executions(100, 10e-3)});  // as much in kernels
  EXPECT_NEAR(phase.mix.to_come(true)[0], 0.5, 1e-9);
  EXPECT_NEAR(phase.mix.to_come(true)[1], 0.5, 1e-9);
  EXPECT_NEAR(phase.mix.of_all()[0], 0.5, 1e-9);
}

TEST(WorkMix, OfWhatRunsGoesByTheLatestSlices) {
  told phase;
  phase.slice(1, {});
  for (int k = 0; k < 20; ++k) phase.slice(0, {executions(100, 10e-3)});
  EXPECT_LT(phase.mix.to_come(false)[0], 0.01);
}

TEST(WorkMix, ASliceOfFewOfTheStreamsSaysLittleOfThem) {
  told phase;
  phase.slice(1, {executions(100, 10e-3)});
  phase.slice(0, {executions(100, 10e-3)}, 0.1);
  EXPECT_GT(phase.mix.to_come(false)[0], 0.48);
}

TEST(WorkMix, ForgetsWhatLiesFurtherBackThanAStreamTakes) {
  told phase;
  for (int k = 0; k < 10; ++k) phase.slice(0, {executions(100, 10e-3)}, 1, 2);
  for (int k = 0; k < 10; ++k) phase.slice(0, {{}, executions(100, 10e-3)}, 1, 2);
  EXPECT_GT(phase.mix.to_come(true)[2], 0.98);
  EXPECT_NEAR(phase.mix.of_all()[2], 0.5, 1e-9);
}

// A wait or a kernel counts when it ends. Until then it looks like own code.
TEST(WorkMix, WhatTurnsOutToBeNoOwnCodeIsTakenBack) {
  told phase;
  for (int k = 0; k < 10; ++k) {
    for (int open = 0; open < 9; ++open) phase.slice(0.1, {executions(1, 10e-3)});
    phase.slice(-0.9, {executions(1, 10e-3)});
  }
  EXPECT_NEAR(phase.mix.to_come(true)[0], 0, 1e-9);
  EXPECT_NEAR(phase.mix.of_all()[0], 0, 1e-9);
}

// Its time at a width is an upper bound, until it ran on one worker.
TEST(WorkMix, WeighsWhatWasSeenEarlierByWhatIsKnownOfTheKernelNow) {
  told phase;
  phase.slice(1, {executions(100, 80e-3, 8)});
  phase.slice(1, {executions(100, 10e-3)});
  EXPECT_NEAR(phase.mix.to_come(true)[0], 0.5, 1e-9);
}

TEST(WorkMix, OfNothingIsNothing) {
  EXPECT_TRUE(shares_of({}).empty());
  EXPECT_TRUE(shares_of({0, 0}).empty());
  EXPECT_EQ(shares_of({-1, 2}), (work_parts{0, 1}));
}

}  // namespace
}  // namespace maslin::grain
