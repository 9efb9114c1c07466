#include "model/layers/equations.hpp"

#include <gtest/gtest.h>

namespace maslin::layers {
namespace {

TEST(Equations, ThreadsOnOneHardwareThreadComputeSlowerByAStraightLine) {
  EXPECT_DOUBLE_EQ(slow_down(0.2, 1), 1);
  EXPECT_DOUBLE_EQ(slow_down(0.2, 3), 1.4);  // 1 + 0.2 · 2
  EXPECT_DOUBLE_EQ(slow_down(0.2, 0.5), 1);  // fewer threads than hardware threads
}

TEST(Equations, Equation2CountsASignalAWorkerAndSwitchesAThread) {
  // 3 workers at 0.5 us; 6 threads on 2 contexts switch 3 times at 1.5 us.
  EXPECT_DOUBLE_EQ(host_overhead(3, 0.5, 6, 2, 1.5), 3 * 0.5 + 3 * 1.5);
  EXPECT_DOUBLE_EQ(host_overhead(3, 0.5, 2, 2, 1.5), 1.5);  // each has a hardware thread: nobody switches
  EXPECT_DOUBLE_EQ(host_overhead(1, 0.5, 3, 2, 2), 0.5 + 3);
}

TEST(Equations, Equation4DividesTheParallelPartAmongTheTeam) {
  EXPECT_DOUBLE_EQ(kernel_time(36, 8, 1), 44);  // equation 3
  EXPECT_DOUBLE_EQ(kernel_time(36, 8, 6), 14);
}

TEST(Equations, Equation5AddsWhatIsNotOverlapped) { EXPECT_DOUBLE_EQ(accelerator_overhead(1, 2, 4, 8), 15); }

TEST(Equations, Equations1And6AddUp) {
  // One thread of three on its hardware thread: α = 1.4; 20 us of its own, a kernel of 36 + 8 us on 2 workers.
  terms t;
  t.host = slow_down(0.2, 3) * 20;
  t.host_overhead = host_overhead(2, 0.5, 6, 2, 1.5);
  t.parallel = 36.0 / 2;
  t.serial = 8;
  t.accelerator_overhead = accelerator_overhead(0.5, 0.5, 0, 0);
  EXPECT_DOUBLE_EQ(t.sum(), 28 + 5.5 + 18 + 8 + 1);  // (1)
  t.communication = 40;
  EXPECT_DOUBLE_EQ(t.sum(), 60.5 + 40);  // (6)
  terms twice = t;
  twice += t;
  EXPECT_DOUBLE_EQ(twice.sum(), 2 * t.sum());
}

}  // namespace
}  // namespace maslin::layers
