// Promises to threads that are no workers: what they ask for does not need a worker that is free. A worker that is
// blocked outside Maslin, even by waiting for such a thread, holds nobody up who would come to an end serially.

#include <atomic>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "executors.hpp"

namespace {

class ForeignThreads : public Promise {
 protected:
  void SetUp() override {
    if (GetParam().described) GTEST_SKIP() << "on a described machine one body runs at a time, so it must not wait so";
  }
  static int workers() { return std::max(GetParam().workers, 1); }

  /// For bodies of which each worker runs one, at the same time: returns when all have come.
  void meet() {
    ++here_;
    while (here_ < workers() && !serial()) std::this_thread::yield();
  }

  /// Has every worker wait, in a task, for a thread of its own that calls `work`.
  void join_in_tasks(const std::function<void()>& work) {
    for (int i = 0; i < workers(); ++i)
      ms::task([&] {
        meet();
        std::thread(work).join();
      });
    ms::wait();
  }
  /// The same in the streams of a phase.
  void join_in_streams(const std::function<void()>& work) {
    if (std::getenv("MASLIN_GRAIN")) GTEST_SKIP() << "a named policy may run fewer streams at a time than would meet";
    ms::phase("joins", workers(), [&](std::int64_t) {
      meet();
      std::thread(work).join();
    });
  }

 private:
  std::atomic<int> here_{0};
};

constexpr ms::schedule schedules[] = {ms::schedule::of_the_run, ms::schedule::dbs, ms::schedule::static_,
                                      ms::schedule::gss, ms::schedule::afs};

void run_loops() {
  for (int repeat = 0; repeat < 10; ++repeat)
    for (const auto policy : schedules) {
      const auto sum = ms::parallel_reduce(
          0, 1000, std::int64_t{0}, std::plus{},
          [](ms::range r) {
            std::int64_t part = 0;
            for (const auto i : r) part += i;
            EXPECT_EQ(ms::width(), 1);
            return part;
          },
          policy);
      EXPECT_EQ(sum, 499'500);
      EXPECT_THROW(ms::parallel_for(
                       0, 100,
                       [](ms::range r) {
                         if (r.first == 50) throw std::runtime_error("50");
                       },
                       policy),
                   std::runtime_error);
    }
}

void run_tasks() {
  int chain = 0;
  std::atomic<int> leaves{0};
  for (int i = 0; i < 100; ++i)
    ms::task(
        [&leaves](ms::view<int> sum) {
          ++sum[0];
          for (int k = 0; k < 3; ++k) ms::task([&leaves] { ++leaves; });
          ms::wait();
        },
        ms::inout(chain));
  ms::group some;
  for (int i = 0; i < 50; ++i)
    some.task([&leaves] {
      ms::parallel_for(
          0, 4, [&](ms::range r) { leaves += static_cast<int>(r.size()); }, ms::block{1});
    });
  some.wait();
  ms::wait();
  EXPECT_EQ(chain, 100);
  EXPECT_EQ(leaves, 300 + 200);
  for (int i = 0; i < 10; ++i) ms::task([&leaves] { ++leaves; }, ms::priority{i - 5});
  ms::task([] { throw std::runtime_error("a task"); });
  EXPECT_THROW(ms::wait(), std::runtime_error);
  EXPECT_EQ(leaves, 510);
}

const ms::kernel add_all{"foreign_sums", [](std::atomic<std::int64_t>* sum, std::int64_t what) {
                           ms::parallel_for(0, 100, [&](ms::range r) { *sum += what * r.size(); });
                         }};

void run_phases() {
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::atomic<std::int64_t> sum{0};
    ms::phase("foreign", 5, [&](std::int64_t stream) {
      for (int k = 0; k < 4; ++k) ms::offload(add_all, &sum, stream);
      ms::task([&] { ++sum; });
    });
    EXPECT_EQ(sum, 4 * 100 * 10 + 5);
  }
}

TEST_P(ForeignThreads, RunTheirLoopsWhileTasksWaitForThem) { join_in_tasks(run_loops); }
TEST_P(ForeignThreads, RunTheirLoopsWhileStreamsWaitForThem) { join_in_streams(run_loops); }
TEST_P(ForeignThreads, RunTheirTasksWhileTasksWaitForThem) { join_in_tasks(run_tasks); }
TEST_P(ForeignThreads, RunTheirTasksWhileStreamsWaitForThem) { join_in_streams(run_tasks); }
TEST_P(ForeignThreads, RunTheirPhasesWhileTasksWaitForThem) { join_in_tasks(run_phases); }
TEST_P(ForeignThreads, RunTheirPhasesWhileStreamsWaitForThem) { join_in_streams(run_phases); }

TEST_P(ForeignThreads, FindTheirTasksInTheQueueOfAWorkerThatIsBlocked) {
  if (serial()) GTEST_SKIP() << "there are no queues";
  std::atomic<bool> begun{false}, done{false};
  std::atomic<int> blocked{0}, told{0}, ran{0};
  std::thread asks([&] {
    ms::task([&] {
      for (int i = 0; i < 40; ++i) ms::task([&] { ++ran; });
      begun = true;
      // The others are blocked, and what blocks this worker comes before the tasks in its queue.
      while (blocked < workers() - 1 || told < workers()) std::this_thread::yield();
    });
    while (!begun) std::this_thread::yield();
    ms::wait();
    done = true;
    done.notify_all();
  });
  std::thread blocks([&] {
    while (!begun) std::this_thread::yield();
    for (int i = 0; i < workers(); ++i, ++told)
      ms::task(
          [&] {
            ++blocked;
            done.wait(false);
          },
          ms::priority{1});
    ms::wait();
  });
  blocks.join();
  asks.join();
  EXPECT_EQ(ran, 40);
}

MASLIN_ON_EVERY_EXECUTOR(ForeignThreads);

}  // namespace
