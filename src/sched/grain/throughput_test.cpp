#include "sched/grain/throughput.hpp"

#include <gtest/gtest.h>

namespace maslin::grain {
namespace {

TEST(KernelTimes, TheMeanIsOfExecutionsOnOneWorker) {
  kernel_times times;
  times.add(
      std::vector<kernel_record>{{.completed = 30, .one_worker = 10, .one_worker_seconds = 2, .worker_seconds = 9}});
  EXPECT_DOUBLE_EQ(times.mean(0), 0.2);
}

TEST(KernelTimes, WithoutOneTheMeanIsOfWorkerSeconds) {
  kernel_times times;
  times.add(std::vector<kernel_record>{{}, {.completed = 30, .worker_seconds = 9}});
  EXPECT_DOUBLE_EQ(times.mean(1), 0.3);
  EXPECT_EQ(times.mean(0), 0);
  EXPECT_EQ(times.mean(7), 0);
}

TEST(KernelTimes, WhatIsLearnedLaterCorrectsWhatWasCountedBefore) {
  kernel_times times;
  const std::vector<kernel_record> wide{{.completed = 10, .worker_seconds = 10}};
  times.add(wide);
  EXPECT_DOUBLE_EQ(times.work(wide), 10);
  times.add(
      std::vector<kernel_record>{{.completed = 5, .one_worker = 5, .one_worker_seconds = 2, .worker_seconds = 2}});
  EXPECT_DOUBLE_EQ(times.work(wide), 4);
}

TEST(KernelTimes, WorkWeighsEachKernelWithItsOwnMean) {
  kernel_times times;
  times.add(
      std::vector<kernel_record>{{.completed = 4, .one_worker = 4, .one_worker_seconds = 4, .worker_seconds = 4},
                                 {.completed = 2, .one_worker = 2, .one_worker_seconds = 6, .worker_seconds = 6}});
  EXPECT_DOUBLE_EQ(times.work(std::vector<kernel_record>{{.completed = 10}, {.completed = 10}}), 10 * 1.0 + 10 * 3.0);
}

TEST(KernelTimes, RecordsOfDifferentLengthsAddUp) {
  std::vector<kernel_record> sum;
  accumulate(sum, std::vector<kernel_record>{{.completed = 1}});
  accumulate(sum, std::vector<kernel_record>{{.completed = 2}, {.completed = 5, .one_worker = 3}});
  ASSERT_EQ(sum.size(), 2u);
  EXPECT_EQ(sum[0].completed, 3u);
  EXPECT_EQ(sum[1].completed, 5u);
  EXPECT_EQ(sum[1].one_worker, 3u);
}

}  // namespace
}  // namespace maslin::grain
