#include "model/layers/host_sharing.hpp"

#include <gtest/gtest.h>

namespace maslin::layers {
namespace {

TEST(HostSharing, OneThreadWaitsForNobody) { EXPECT_DOUBLE_EQ(turn_time({20, 44, 1, 1.5}, 1), 64); }

TEST(HostSharing, OfEqualLengthsTheHostIsTheBoundOrTheKernelIs) {
  EXPECT_DOUBLE_EQ(turn_time({20, 44, 0, 0}, 2), 64);  // the other computes while its kernel runs
  EXPECT_DOUBLE_EQ(turn_time({20, 44, 0, 0}, 4), 80);  // four times 20 fill the host
  EXPECT_DOUBLE_EQ(turn_time({20, 44, 0, 0}, 12), 240);
}

TEST(HostSharing, ExponentialLengthsQueue) {
  // Mean value analysis by hand. n = 1: R = 20, queued 20/64. n = 2: R = 20 (1 + 0.3125) = 26.25.
  EXPECT_DOUBLE_EQ(turn_time({20, 44, 1, 0}, 2), 26.25 + 44);
  // What varies half as much lies half of the way.
  EXPECT_DOUBLE_EQ(turn_time({20, 44, 0.5, 0}, 2), 64 + 0.5 * 6.25);
}

TEST(HostSharing, WhoPollsSeesTheEndOfItsKernelLater) {
  // Two threads that look every 2 us: on average a whole look, as far as the host is idle (40 of 64).
  EXPECT_DOUBLE_EQ(turn_time({20, 44, 0, 2}, 2), 64 + 2 * (1 - 40.0 / 64));
}

}  // namespace
}  // namespace maslin::layers
