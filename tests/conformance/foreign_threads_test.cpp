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

int leaves_of(int depth) {
  if (depth == 0) return 1;
  const auto [left, right] = ms::fork([=] { return leaves_of(depth - 1); }, [=] { return leaves_of(depth - 1); });
  return left + right;
}

void run_forks() {
  EXPECT_EQ(leaves_of(10), 1024);
  std::atomic<int> sum{0};
  const auto branch = [&] {
    sum += leaves_of(2);
    for (int i = 0; i < 3; ++i) ms::task([&] { sum += leaves_of(2); });
    ms::parallel_for(0, 10, [&](ms::range r) { sum += static_cast<int>(r.size()); });
  };
  ms::fork(branch, branch);
  EXPECT_EQ(sum, 2 * (4 + 12 + 10));
  EXPECT_THROW(ms::fork([] { throw std::runtime_error("a branch"); }, [] {}), std::runtime_error);
}

/// What is waited for needs data of tasks that the wait does not cover.
void wait_for_data() {
  int chain = 0;
  const auto add = [](ms::view<int> sum) { ++sum[0]; };
  const auto create = [&] {
    for (int i = 0; i < 5; ++i) ms::task(add, ms::inout(chain));
  };
  create();
  ms::wait_on(chain);
  EXPECT_EQ(chain, 5);
  create();
  ms::group one;
  one.task(add, ms::inout(chain));
  one.wait();
  EXPECT_EQ(chain, 11);
  create();
  EXPECT_EQ(ms::async([](ms::view<const int> sum) { return sum[0]; }, ms::in(chain)).get(), 16);
}

TEST_P(ForeignThreads, RunTheirLoopsWhileTasksWaitForThem) { join_in_tasks(run_loops); }
TEST_P(ForeignThreads, RunTheirLoopsWhileStreamsWaitForThem) { join_in_streams(run_loops); }
TEST_P(ForeignThreads, RunTheirTasksWhileTasksWaitForThem) { join_in_tasks(run_tasks); }
TEST_P(ForeignThreads, RunTheirTasksWhileStreamsWaitForThem) { join_in_streams(run_tasks); }
TEST_P(ForeignThreads, RunWhatTheirDataNeedWhileTasksWaitForThem) { join_in_tasks(wait_for_data); }
TEST_P(ForeignThreads, RunWhatTheirDataNeedWhileStreamsWaitForThem) { join_in_streams(wait_for_data); }
TEST_P(ForeignThreads, RunTheirForksWhileTasksWaitForThem) { join_in_tasks(run_forks); }
TEST_P(ForeignThreads, RunTheirForksWhileStreamsWaitForThem) { join_in_streams(run_forks); }
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

/// Calls everything that a stream may call. What it did before `leave` is still there when it goes on elsewhere.
void run_stream(std::int64_t stream, const std::function<void()>& leave, std::atomic<std::int64_t>& sum) {
  const auto two_more = [stream, &sum] {
    ms::offload(add_all, &sum, stream);
    ++sum;
  };
  ms::group some;
  int chain = 0;
  for (int i = 0; i < 3; ++i) ms::task([&](ms::view<int> all) { ++all[0]; }, ms::inout(chain));
  for (int i = 0; i < 3; ++i) some.task(two_more);
  for (int i = 0; i < 3; ++i) ms::task(two_more);
  leave();
  try {
    throw stream;
  } catch (std::int64_t) {
    ms::offload(add_all, &sum, stream);
    try {
      throw;
    } catch (std::int64_t same) {
      EXPECT_EQ(same, stream);
    }
  }
  EXPECT_GE(ms::width(), 1);
  for (int i = 0; i < 3; ++i) some.task(two_more);
  some.wait();
  ms::task([&](ms::view<int> all) { EXPECT_EQ(all[0], 3); }, ms::inout(chain));
  for (const auto policy : schedules)
    ms::parallel_for(
        0, 100, [&](ms::range r) { sum += r.size(); }, policy);
  sum += leaves_of(8);
  ms::phase("inner", 3, [&](std::int64_t inner) { ms::offload(add_all, &sum, inner); });
  for (int i = 0; i < 3; ++i) ms::task(two_more);
  ms::wait();
  EXPECT_THROW(ms::offload(ms::kernel{"foreign_throws", [] { throw std::runtime_error("a kernel"); }}),
               std::runtime_error);
  two_more();
  ms::task(two_more);
}
std::int64_t sum_of_stream(std::int64_t stream) { return 100 * stream * 15 + 14 + 5 * 100 + 256 + 100 * (0 + 1 + 2); }

/// A stream is suspended at an off-load because its worker serves another phase, and the workers that its own phase has
/// are blocked until that phase is over.
TEST_P(ForeignThreads, GoOnWithStreamsWhoseWorkersServeAnotherPhase) {
  if (serial()) GTEST_SKIP() << "there are no workers";
  const auto starter = std::this_thread::get_id();
  std::atomic<bool> is_free{false}, begun{false}, over{false};
  std::atomic<int> met{0}, others{0};
  std::atomic<std::int64_t> sum{0};
  const std::int64_t streams = workers();
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    while (met < workers()) std::this_thread::yield();
    // The first stream is on the only free worker, unless that one came too late.
    const auto wait_for_others = [&] {
      if (begun.exchange(true)) return;
      while (others < workers() - 1) std::this_thread::yield();
    };
    EXPECT_THROW(ms::phase("first", streams,
                           [&](std::int64_t stream) {
                             run_stream(stream, wait_for_others, sum);
                             throw std::runtime_error("a stream");
                           }),
                 std::runtime_error);
    over = true;
    over.notify_all();
  });
  // Among as many phases as workers, the first has one worker: the starter, which is blocked.
  for (int i = 1; i < workers(); ++i)
    threads.emplace_back([&] {
      while (!begun) std::this_thread::yield();
      ms::phase("other", 2, [&](std::int64_t stream) {
        if (stream == 0) ++others;
        over.wait(false);
      });
    });
  for (int i = 0; i < workers(); ++i)
    ms::task([&] {
      meet();
      const bool goes_on = std::this_thread::get_id() != starter && !is_free.exchange(true);
      ++met;
      if (!goes_on) over.wait(false);
    });
  ms::wait();
  for (std::thread& one : threads) one.join();
  std::int64_t all = 0;
  for (std::int64_t stream = 0; stream < streams; ++stream) all += sum_of_stream(stream);
  EXPECT_EQ(sum, all);
}

MASLIN_ON_EVERY_EXECUTOR(ForeignThreads);

}  // namespace
