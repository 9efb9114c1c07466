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

TEST(KernelTimes, TheMeanExecutionIsOfAllKernels) {
  kernel_times times;
  EXPECT_EQ(times.mean_execution(), 0);
  times.add(std::vector<kernel_record>{
      {.executions = 3, .completed = 3, .one_worker = 3, .one_worker_seconds = 3, .worker_seconds = 3},
      {.executions = 1, .completed = 50, .one_worker = 50, .one_worker_seconds = 5, .worker_seconds = 5}});
  EXPECT_DOUBLE_EQ(times.mean_execution(), 2) << "a loop of 50 iterations is one execution";
}

TEST(KernelTimes, TheSpreadIsThatOfExecutionsOfOneStretch) {
  const auto stretch = [](double a, double b) {
    return std::vector<kernel_record>{
        {.executions = 2, .completed = 2, .worker_seconds = a + b, .squares = a * a + b * b}};
  };
  kernel_times times;
  EXPECT_EQ(times.spread(0), 0);
  times.add(std::vector<kernel_record>{{.executions = 1, .completed = 1, .worker_seconds = 5, .squares = 25}});
  EXPECT_EQ(times.spread(0), 0) << "one says nothing";
  times.add(stretch(1, 3));  // mean 2, variance 2
  EXPECT_DOUBLE_EQ(times.spread(0), 0.5);
  times.add(stretch(30, 10));  // another configuration: as unequal, ten times as long
  EXPECT_DOUBLE_EQ(times.spread(0), 0.5);
}

TEST(KernelTimes, ALoopOfAsManyIterationsHasNoSpread) {
  kernel_times times;
  times.add(std::vector<kernel_record>{
      {.executions = 3, .completed = 150, .worker_seconds = 6, .squares = 3 * 2.0 * 2.0 / 50}});
  EXPECT_NEAR(times.spread(0), 0, 1e-12);
}

TEST(KernelTimes, RecordsOfDifferentLengthsAddUp) {
  std::vector<kernel_record> sum;
  accumulate(sum, std::vector<kernel_record>{{.executions = 1, .completed = 1}});
  accumulate(sum, std::vector<kernel_record>{{.completed = 2}, {.completed = 5, .one_worker = 3}});
  ASSERT_EQ(sum.size(), 2u);
  EXPECT_EQ(sum[0].executions, 1u);
  EXPECT_EQ(sum[0].completed, 3u);
  EXPECT_EQ(sum[1].completed, 5u);
  EXPECT_EQ(sum[1].one_worker, 3u);
}

}  // namespace
}  // namespace maslin::grain
