// Recorded tasks run again as they ran first, on the same data or on other data of the same shape.

#include <array>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "executors.hpp"

namespace {

class Replay : public Promise {};
MASLIN_ON_EVERY_EXECUTOR(Replay);

TEST_P(Replay, RunsTheTasksOnceAsItRecordsThem) {
  int x = 0;
  int calls = 0;
  ms::recording r = ms::record([&] {
    ++calls;
    ms::task([](ms::view<int> v) { ++v[0]; }, ms::inout(x));
  });
  EXPECT_EQ(x, 1);
  EXPECT_EQ(r.tasks(), 1u);
  for (int i = 0; i < 10; ++i) ms::replay(r);
  EXPECT_EQ(x, 11);
  EXPECT_EQ(calls, 1);
}

TEST_P(Replay, KeepsTheOrderOfAChain) {
  std::uint64_t x = 0;
  constexpr std::uint64_t n = 3000;
  const auto step = [](std::uint64_t before, std::uint64_t i) { return before * 31 + i; };
  ms::recording r = ms::record([&] {
    for (std::uint64_t i = 0; i < n; ++i)
      ms::task([&, i](ms::view<std::uint64_t> v) { v[0] = step(v[0], i); }, ms::inout(x));
  });
  for (int i = 0; i < 4; ++i) ms::replay(r);
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < 5 * n; ++i) expected = step(expected, i % n);
  EXPECT_EQ(x, expected);
}

TEST_P(Replay, KeepsTheOrderOfAWavefront) {
  constexpr std::size_t n = 40;
  std::vector<std::vector<int>> cells(n + 1, std::vector<int>(n + 1, 1));
  ms::recording r = ms::record([&] {
    for (std::size_t i = 1; i <= n; ++i)
      for (std::size_t j = 1; j <= n; ++j)
        ms::task([](ms::view<const int> up, ms::view<const int> left,
                    ms::view<int> here) { here[0] = (here[0] + up[0] + left[0]) % 1009; },
                 ms::in(cells[i - 1][j]), ms::in(cells[i][j - 1]), ms::inout(cells[i][j]));
  });
  for (int k = 0; k < 5; ++k) ms::replay(r);
  std::vector<std::vector<int>> expected(n + 1, std::vector<int>(n + 1, 1));
  for (int k = 0; k < 6; ++k)
    for (std::size_t i = 1; i <= n; ++i)
      for (std::size_t j = 1; j <= n; ++j)
        expected[i][j] = (expected[i][j] + expected[i - 1][j] + expected[i][j - 1]) % 1009;
  EXPECT_EQ(cells, expected);
}

TEST_P(Replay, RenamedDataComesHomeInEachReplay) {
  int scratch = 0;
  std::array<int, 50> sums{};
  int round = 0;
  ms::recording r = ms::record([&] {
    for (int i = 0; i < 50; ++i) {
      ms::task([i](ms::view<const int> k, ms::view<int> v) { v[0] = i * k[0]; }, ms::in(round), ms::out(scratch));
      ms::task([](ms::view<const int> v, ms::view<int> sum) { sum[0] += v[0]; }, ms::in(scratch), ms::inout(sums[i]));
    }
  });
  for (round = 1; round < 4; ++round) {
    ms::replay(r);
    EXPECT_EQ(scratch, 49 * round);
  }
  for (int i = 0; i < 50; ++i) EXPECT_EQ(sums[i], i * 6);
}

TEST_P(Replay, ReductionsBeginAnew) {
  long sum = 0;
  std::array<long, 3> most{};
  ms::recording r = ms::record([&] {
    for (int i = 0; i < 200; ++i) {
      ms::task([i](ms::view<long> s) { s[0] += i; }, ms::reduction(sum));
      ms::task([i](ms::view<long> m) { m[i % 3] = std::max(m[i % 3], static_cast<long>(i)); },
               ms::reduction<ms::maximum>(most));
    }
    ms::task([](ms::view<long> s) { s[0] *= 2; }, ms::inout(sum));
  });
  EXPECT_EQ(sum, 2 * 19900);
  ms::replay(r);
  EXPECT_EQ(sum, 2 * (2 * 19900 + 19900));
  EXPECT_EQ(most, (std::array<long, 3>{198, 199, 197}));
}

TEST_P(Replay, ConcurrentUpdatesTakeTurnsEachTime) {
  long count = 0;
  long others = 0;
  ms::recording r = ms::record([&] {
    for (int i = 0; i < 100; ++i)
      ms::task(
          [](ms::view<long> a, ms::view<long> b) {
            ++a[0];
            ++b[0];
          },
          ms::concurrent(count), ms::concurrent(others));
    ms::task([](ms::view<long> v) { v[0] *= 2; }, ms::inout(count));
  });
  for (int k = 0; k < 5; ++k) ms::replay(r);
  EXPECT_EQ(others, 600);
  long expected = 0;
  for (int k = 0; k < 6; ++k) expected = 2 * (expected + 100);
  EXPECT_EQ(count, expected);
}

TEST_P(Replay, TasksOfTasksAreCreatedAnew) {
  std::vector<int> x(10);
  ms::recording r = ms::record([&] {
    for (int& cell : x)
      ms::task(
          [](ms::view<int> v) {
            const bool waits = v[0] % 2 == 0;
            for (int k = 0; k < 5; ++k) ms::task([](ms::view<int> mine) { ++mine[0]; }, ms::inout(v));
            if (waits) ms::wait();
          },
          ms::inout(cell));
    ms::task([](ms::view<int> all) { all[0] += std::accumulate(all.begin() + 1, all.end(), 0); }, ms::inout(x));
  });
  ms::replay(r);
  EXPECT_EQ(x[9], 10);
  EXPECT_EQ(x[0], 5 + 45 + 5 + 90);
}

TEST_P(Replay, OtherDataOfTheSameShape) {
  std::vector<double> a{1, 2, 3, 4};
  std::vector<double> b{10, 20, 30, 40};
  double sum = 0;
  double other_sum = 0;
  const auto half = [](std::vector<double>& v, std::size_t k) { return std::span(v).subspan(2 * k, 2); };
  ms::recording r = ms::record([&] {
    for (std::size_t k = 0; k < 2; ++k)
      ms::task(
          [](ms::view<double> v) {
            for (double& e : v) e += 1;
          },
          ms::inout(half(a, k)));
    ms::task([](ms::view<const double> v, ms::view<double> s) { s[0] = std::accumulate(v.begin(), v.end(), 0.0); },
             ms::in(a), ms::out(sum));
  });
  EXPECT_EQ(sum, 14);
  ms::replay(r, ms::rebind(a, b), ms::rebind(sum, other_sum));
  EXPECT_EQ(sum, 14);
  EXPECT_EQ(other_sum, 104);
  EXPECT_EQ(b, (std::vector<double>{11, 21, 31, 41}));
  EXPECT_EQ(a, (std::vector<double>{2, 3, 4, 5}));
  ms::replay(r, ms::rebind(a, b));
  EXPECT_EQ(sum, 108);
  ms::replay(r);
  EXPECT_EQ(sum, 18);
  ms::replay(r, ms::rebind(a, b), ms::rebind(b, a));  // as if they had changed places
  EXPECT_EQ(sum, 112);
}

TEST_P(Replay, WrongRebindingsAreErrors) {
  std::vector<int> a(4);
  std::vector<int> b(4);
  std::vector<int> shorter(3);
  ms::recording r = ms::record([&] {
    ms::task([](ms::view<int> v) { ++v[0]; }, ms::inout(a));
    ms::task([](ms::view<int> v) { ++v[0]; }, ms::inout(b));
  });
  EXPECT_THROW(ms::replay(r, ms::rebind(a, shorter)), ms::error);
  std::vector<int> other(3);
  EXPECT_THROW(ms::replay(r, ms::rebind(std::span(a).subspan(1), other)), ms::error);  // a access is partly outside
  EXPECT_THROW(ms::replay(r, ms::rebind(a, b)), ms::error);                            // b is in use
  ms::replay(r);
  EXPECT_EQ(a[0], 2);
  EXPECT_EQ(b[0], 2);
  EXPECT_EQ(other[0], 0);
}

TEST_P(Replay, WaitsForWhatTheCallerCreatedBefore) {
  int x = 0;
  ms::recording r = ms::record([&] { ms::task([](ms::view<int> v) { v[0] *= 2; }, ms::inout(x)); });
  for (int i = 0; i < 20; ++i) {
    x = 0;
    ms::task(
        [](ms::view<int> v) {
          std::this_thread::yield();
          v[0] = 21;
        },
        ms::out(x));
    ms::replay(r);
    EXPECT_EQ(x, 42);
  }
}

TEST_P(Replay, AnExceptionCancelsWhatReadsItsDataInThatReplayOnly) {
  int x = 0;
  int y = 0;
  bool fails = false;
  ms::recording r = ms::record([&] {
    ms::task(
        [&](ms::view<int> v) {
          ++v[0];
          if (fails) throw std::runtime_error("no");
        },
        ms::inout(x));
    for (int i = 0; i < 3; ++i) ms::task([](ms::view<int> v) { v[0] += 10; }, ms::inout(x));
    ms::task([](ms::view<int> v) { ++v[0]; }, ms::inout(y));
  });
  EXPECT_EQ(x, 31);
  fails = true;
  EXPECT_THROW(ms::replay(r), std::runtime_error);
  EXPECT_EQ(x, 32);
  fails = false;
  ms::replay(r);
  EXPECT_EQ(x, 63);
  EXPECT_EQ(y, 3);
}

TEST_P(Replay, SmallTasksThatOneWorkerReplaysKeepAllPromises) {
  long x = 0;
  long y = 0;
  long sum = 0;
  int fails_at = -1;
  constexpr int n = 300;
  ms::recording r = ms::record([&] {
    for (int i = 0; i < n; ++i) {
      ms::task(
          [&fails_at, i](ms::view<long> v) {
            v[0] = v[0] * 5 % 1000003 + i;
            if (i == fails_at) throw std::runtime_error("no");
          },
          ms::inout(x));
      ms::task([](ms::view<const long> from, ms::view<long> to) { to[0] += from[0]; }, ms::in(x), ms::inout(y));
      ms::task([i](ms::view<long> v) { v[0] += i; }, ms::reduction(sum));
    }
  });
  long expected_x = 0;
  long expected_y = 0;
  const auto once = [&] {
    for (int i = 0; i < n; ++i) {
      expected_x = expected_x * 5 % 1000003 + i;
      expected_y += expected_x;
    }
  };
  once();
  for (int round = 2; round <= 30; ++round) {  // enough for every call site to be known
    ms::replay(r);
    once();
    EXPECT_EQ(x, expected_x);
    EXPECT_EQ(y, expected_y);
    EXPECT_EQ(sum, static_cast<long>(round) * n * (n - 1) / 2);
  }
  fails_at = n - 2;
  y = 0;
  EXPECT_THROW(ms::replay(r), std::runtime_error);
  fails_at = -1;
  x = y = expected_x = expected_y = 0;
  ms::replay(r);
  once();
  EXPECT_EQ(x, expected_x);
  EXPECT_EQ(y, expected_y);
}

TEST_P(Replay, WhatCannotBeRecordedIsAnError) {
  int x = 0;
  EXPECT_THROW(ms::record([&] { ms::wait(); }), ms::error);
  EXPECT_THROW(ms::record([&] { ms::wait_on(x); }), ms::error);
  EXPECT_THROW(ms::record([&] { ms::parallel_for(0, 3, [](ms::range) {}); }), ms::error);
  EXPECT_THROW(ms::record([&] { ms::phase("inside", 3, [](std::int64_t) {}); }), ms::error);
  EXPECT_THROW(ms::record([&] { ms::record([] {}); }), ms::error);
  EXPECT_THROW(ms::record([&] {
                 ms::group g;
                 g.task([] {});
               }),
               ms::error);
  ms::group outside;
  outside.task([] {});
  EXPECT_THROW(ms::record([&] { outside.wait(); }), ms::error);
  auto f = ms::async([] {});
  EXPECT_THROW(ms::record([&] { f.get(); }), ms::error);
  outside.wait();
  ms::wait();
}

TEST_P(Replay, AFailedRecordingRunsAndLeavesNothing) {
  auto witness = std::make_shared<int>(0);
  std::vector<int> x(20);
  const auto failing = [&] {
    for (int i = 0; i < 200; ++i)
      ms::task([witness](ms::view<int> a, ms::view<const int>) { a[0] = ++*witness; }, ms::inout(x[i * 7 % 20]),
               ms::in(x));
    throw std::logic_error("no");
  };
  EXPECT_THROW(ms::record(failing), std::logic_error);
  EXPECT_EQ(*witness, 0);
  EXPECT_EQ(witness.use_count(), 1);
}

TEST_P(Replay, ARecordingEndsWithWhatItsTasksHold) {
  auto witness = std::make_shared<int>(0);
  std::vector<int> x(4);
  {
    ms::recording r = ms::record([&] {
      for (int i = 0; i < 100; ++i)
        ms::task([witness](ms::view<int> v, int add) { v[0] += add; }, ms::inout(x[i % 4]), 1);
    });
    ms::recording moved = std::move(r);
    ms::replay(moved);
  }
  EXPECT_EQ(witness.use_count(), 1);
  EXPECT_EQ(x[3], 50);
}

TEST_P(Replay, ReplaysInTasksOverlapAndTakeTurns) {
  std::array<std::atomic<int>, 4> counts{};
  ms::recording r = ms::record([&] {
    for (int i = 0; i < 100; ++i) ms::task([&, i] { ++counts[i % 4]; }, ms::priority{i % 3});
  });
  for (int k = 0; k < 10; ++k) ms::task([&] { ms::replay(r); });
  ms::wait();
  for (const auto& c : counts) EXPECT_EQ(c, 25 * 11);
}

TEST_P(Replay, AReplayWaitsForATaskThatReplaysTheSame) {
  if (stores()) GTEST_SKIP() << "the replayed task writes x, and not the copy of the task that replays it";
  int x = 0;
  ms::recording r = ms::record([&] { ms::task([](ms::view<int> v) { ++v[0]; }, ms::inout(x)); });
  for (int round = 0; round < 20; ++round) {
    auto f = ms::async([&](ms::view<int>) { ms::replay(r); }, ms::inout(x));
    ms::replay(r);
    f.get();
  }
  EXPECT_EQ(x, 41);
}

TEST_P(Replay, OfVeryManyDataWaitsForThoseInFlight) {
  std::vector<int> x(40'000);
  int y = 0;
  ms::recording r = ms::record([&] {
    for (int& e : x) ms::task([](ms::view<int> v) { ++v[0]; }, ms::inout(e));
  });
  auto f = ms::async(
      [](ms::view<int>, ms::view<int> last) {
        dawdle();
        last[0] += 10;
      },
      ms::inout(y), ms::inout(x.back()));
  ms::replay(r);
  f.get();
  EXPECT_EQ(x.front(), 2);
  EXPECT_EQ(x.back(), 12);
}

TEST_P(Replay, AnEmptyRecordingIsFine) {
  ms::recording r = ms::record([] {});
  EXPECT_EQ(r.tasks(), 0u);
  ms::replay(r);
}

}  // namespace
