// Tasks that wait for their data: what each pair of accesses promises.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "executors.hpp"

namespace {

/// A sum that may throw.
struct failing {
  static inline std::atomic<bool> fails{false};
  int operator()(int a, int b) const { return fails ? throw std::runtime_error("no sum") : a + b; }
};

}  // namespace

template <>
struct maslin::identity_of<failing, int> {
  static constexpr int value = 0;
};

namespace {

class Data : public Promise {};
MASLIN_ON_EVERY_EXECUTOR(Data);

TEST_P(Data, AReadSeesTheLastWrite) {
  int x = 0;
  std::array<int, 20> seen{};
  for (int i = 0; i < 20; ++i) {
    ms::task(
        [i](ms::view<int> to) {
          dawdle();
          to[0] = i + 1;
        },
        ms::inout(x));
    ms::task([](ms::view<const int> from, ms::view<int> to) { to[0] = from[0]; }, ms::in(x), ms::out(seen[i]));
  }
  ms::wait();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(seen[i], i + 1);
  EXPECT_EQ(x, 20);
}

TEST_P(Data, AWriteWaitsForEarlierReads) {
  int x = 7;
  std::array<int, 30> seen{};
  for (int i = 0; i < 30; ++i)
    ms::task(
        [](ms::view<const int> from, ms::view<int> to) {
          dawdle();
          to[0] = from[0];
        },
        ms::in(x), ms::out(seen[i]));
  ms::task([](ms::view<int> to) { to[0] += 1; }, ms::inout(x));
  ms::wait();
  for (const int s : seen) EXPECT_EQ(s, 7);
  EXPECT_EQ(x, 8);
}

TEST_P(Data, ReadsDoNotWaitForEachOther) {
  if (!meets()) GTEST_SKIP() << "two readers meet only where there are two workers: see the runs with 2, 3, 8 and 64";
  const int x = 1;
  std::atomic<int> here{0};
  for (int i = 0; i < 2; ++i)
    ms::task(
        [&](ms::view<const int>) {
          ++here;
          while (here < 2) std::this_thread::yield();
        },
        ms::in(x));
  ms::wait();
}

TEST_P(Data, AnOutOfABusyRegionGetsMemoryOfItsOwn) {
  if (!meets())
    GTEST_SKIP() << "the write goes by a read only where there are two workers: see the runs with 2, 3, 8 and 64";
  std::vector<double> x(100, 1.0);
  std::atomic<bool> written{false};
  double sum = 0;
  ms::task(
      [&](ms::view<const double> from, ms::view<double> to) {
        while (!written) std::this_thread::yield();  // hangs if the writer waits for this reader
        to[0] = std::accumulate(from.begin(), from.end(), 0.0);
      },
      ms::in(x), ms::out(sum));
  ms::task(
      [&](ms::view<double> to) {
        std::fill(to.begin(), to.end(), 2.0);
        written = true;
      },
      ms::out(x));
  double later = 0;
  ms::task([](ms::view<const double> from, ms::view<double> to) { to[0] = from[99]; }, ms::in(x), ms::out(later));
  ms::wait();
  EXPECT_EQ(sum, 100);
  EXPECT_EQ(later, 2);
  EXPECT_EQ(x, std::vector<double>(100, 2.0));
}

TEST_P(Data, RenamedVersionsComeHomeInOrder) {
  std::vector<int> x(10, -1);
  std::vector<int> sums(50);
  for (int i = 0; i < 50; ++i) {
    ms::task([i](ms::view<int> to) { std::fill(to.begin(), to.end(), i); }, ms::out(x));
    ms::task(
        [](ms::view<const int> from, ms::view<int> to) {
          dawdle();
          to[0] = std::accumulate(from.begin(), from.end(), 0);
        },
        ms::in(x), ms::out(sums[i]));
    if (i % 7 == 3) ms::task([](ms::view<int> v) { v[0] += 1; }, ms::inout(x));
  }
  ms::wait();
  for (int i = 0; i < 50; ++i) EXPECT_EQ(sums[i], 10 * i);
  EXPECT_EQ(x, std::vector<int>(10, 49));
}

TEST_P(Data, TilesOfAMatrixAreTheirOwnData) {
  constexpr std::size_t n = 12;
  constexpr std::size_t b = 4;
  std::vector<double> a(n * n, 0);
  const auto tile = [&](std::size_t i, std::size_t j) { return ms::tile<double>{&a[i * b + j * b * n], b, b, n}; };
  for (int round = 0; round < 5; ++round)
    for (std::size_t i = 0; i < n / b; ++i)
      for (std::size_t j = 0; j < n / b; ++j) {
        auto to = tile(i, j);
        if (round % 2) {
          ms::task(
              [](ms::tile<double> t) {
                for (std::size_t c = 0; c < t.cols; ++c)
                  for (std::size_t r = 0; r < t.rows; ++r) t(r, c) = t(r, c) * 2 + 1;
              },
              ms::inout(to));
        } else {
          auto from = tile(j, i);
          ms::task(
              [](ms::tile<const double> f, ms::tile<double> t) {
                for (std::size_t c = 0; c < t.cols; ++c)
                  for (std::size_t r = 0; r < t.rows; ++r) t(r, c) += f(r, c) + 1;
              },
              ms::in(from), ms::inout(to));
        }
      }
  ms::wait();
  std::vector<double> expected(n * n, 0);
  const auto at = [&](std::size_t r, std::size_t c) -> double& { return expected[r + c * n]; };
  for (int round = 0; round < 5; ++round)
    for (std::size_t i = 0; i < n / b; ++i)
      for (std::size_t j = 0; j < n / b; ++j)
        for (std::size_t c = 0; c < b; ++c)
          for (std::size_t r = 0; r < b; ++r) {
            double& t = at(i * b + r, j * b + c);
            if (round % 2)
              t = t * 2 + 1;
            else
              t += (i == j ? t : at(j * b + r, i * b + c)) + 1;
          }
  EXPECT_EQ(a, expected);
}

TEST_P(Data, ARenamedTileIsCopiedIntoItsColumnsOnly) {
  constexpr std::size_t n = 6;
  std::vector<int> a(n * n, 5);
  ms::tile<int> middle{&a[1 + n], 3, 4, n};
  std::vector<int> sums(20);
  for (int i = 0; i < 20; ++i) {
    ms::task(
        [i](ms::tile<int> t) {
          for (std::size_t c = 0; c < t.cols; ++c)
            for (std::size_t r = 0; r < t.rows; ++r) t(r, c) = i;
        },
        ms::out(middle));
    ms::task(
        [](ms::tile<const int> t, ms::view<int> to) {
          dawdle();
          to[0] = 0;
          for (std::size_t c = 0; c < t.cols; ++c)
            for (std::size_t r = 0; r < t.rows; ++r) to[0] += t(r, c);
        },
        ms::in(middle), ms::out(sums[i]));
  }
  ms::wait();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(sums[i], 12 * i);
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t r = 0; r < n; ++r)
      EXPECT_EQ(a[r + c * n], r >= 1 && r < 4 && c >= 1 && c < 5 ? 19 : 5) << r << ' ' << c;
}

TEST_P(Data, PartsOfARangeWaitForTheWholeAndTheWholeForItsParts) {
  std::vector<int> x(64);
  for (int round = 0; round < 10; ++round) {
    for (std::size_t part = 0; part < 4; ++part)
      ms::task(
          [](ms::view<int> v) {
            dawdle();
            for (int& e : v) ++e;
          },
          ms::inout(&x[part * 16], 16));
    ms::task(
        [](ms::view<int> v) {
          for (int& e : v) e *= 2;
        },
        ms::inout(x));
    ms::task(
        [](ms::view<int> v) {
          for (int& e : v) e += 3;
        },
        ms::inout(&x[10], 20));
  }
  ms::wait();
  std::vector<int> expected(64);
  for (int round = 0; round < 10; ++round) {
    for (int& e : expected) e = (e + 1) * 2;
    for (std::size_t i = 10; i < 30; ++i) expected[i] += 3;
  }
  EXPECT_EQ(x, expected);
}

TEST_P(Data, AnOutOfAPartDoesNotLoseTheRestOfTheWhole) {
  std::vector<int> x(8, 1);
  std::vector<int> seen(8);
  ms::task(
      [](ms::view<const int> from, ms::view<int> to) {
        dawdle();
        std::copy(from.begin(), from.end(), to.begin());
      },
      ms::in(x), ms::out(seen));
  ms::task([](ms::view<int> v) { std::fill(v.begin(), v.end(), 9); }, ms::out(x));
  ms::task([](ms::view<int> v) { v[0] = 4; }, ms::out(&x[3], 1));
  ms::wait();
  EXPECT_EQ(seen, std::vector<int>(8, 1));
  EXPECT_EQ(x, (std::vector<int>{9, 9, 9, 4, 9, 9, 9, 9}));
}

TEST_P(Data, ConcurrentUpdatesExcludeEachOther) {
  long a = 0;
  long b = 0;
  long seen = -1;
  const auto add = [](long by) {
    return [by](ms::view<long> v) {
      const long was = v[0];
      std::this_thread::yield();
      v[0] = was + by;
    };
  };
  for (int i = 0; i < 200; ++i) {
    ms::task(add(1), ms::concurrent(a));
    ms::task(add(2), ms::concurrent(b));
    ms::task([=](ms::view<long> x, ms::view<long> y) { add(10)(x), add(20)(y); }, ms::concurrent(a), ms::concurrent(b));
    ms::task([=](ms::view<long> y, ms::view<long> x) { add(10)(x), add(20)(y); }, ms::concurrent(b), ms::concurrent(a));
    if (i == 99) ms::task([](ms::view<const long> v, ms::view<long> to) { to[0] = v[0]; }, ms::in(a), ms::out(seen));
  }
  ms::wait();
  EXPECT_EQ(seen, 100 * 21);
  EXPECT_EQ(a, 200 * 21);
  EXPECT_EQ(b, 200 * 42);
}

TEST_P(Data, AReductionIsCombinedInProgramOrder) {
  double sum = 0.1;
  double expected = 0.1;
  for (int i = 1; i <= 1000; ++i) {
    ms::task([i](ms::view<double> v) { v[0] += 1.0 / i; }, ms::reduction(sum));
    expected += 0.0 + 1.0 / i;
  }
  ms::wait();
  EXPECT_EQ(sum, expected);
}

TEST_P(Data, AReductionEndsWhereSomebodyReads) {
  int most = 3;
  std::vector<int> seen(10);
  for (int i = 0; i < 10; ++i) {
    for (int k = 0; k < 5; ++k)
      ms::task([=](ms::view<int> v) { v[0] = std::max(v[0], 10 * i + (k * 7) % 5); }, ms::reduction<ms::maximum>(most));
    ms::task([](ms::view<const int> v, ms::view<int> to) { to[0] = v[0]; }, ms::in(most), ms::out(seen[i]));
  }
  ms::wait();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(seen[i], 10 * i + 4);
  EXPECT_EQ(most, 94);
}

TEST_P(Data, WhatReadsTheDataOfAThrowerIsCancelledAndNothingElse) {
  int a = 1;
  int b = 2;
  int c = 3;
  std::atomic<int> ran{0};
  ms::task(
      [](ms::view<int>) {
        dawdle();
        throw std::runtime_error("a is void");
      },
      ms::inout(a));
  ms::task([&](ms::view<const int>, ms::view<int>) { ran += 1; }, ms::in(a), ms::out(b));     // needs a
  ms::task([&](ms::view<const int>, ms::view<int>) { ran += 10; }, ms::in(b), ms::inout(c));  // needs b
  ms::task(
      [&](ms::view<int> v) {
        ran += 100;
        v[0] = 5;
      },
      ms::out(a));  // writes all of it
  ms::task([&](ms::view<const int> v) { ran += v[0] * 1000; }, ms::in(a));
  try {
    ms::wait();
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "a is void");
  }
  EXPECT_TRUE(ms::other_exceptions().empty());
  EXPECT_EQ(ran, 5100);
  ms::task([&](ms::view<const int>) { ran = 1; }, ms::in(c));  // the wait has said it: c is data again
  ms::wait();
  EXPECT_EQ(ran, 1);
}

TEST_P(Data, WhatIsWrittenAnewIsDataAgainThoughTheWholeIsNot) {
  std::vector<int> x(20);
  const auto part = [&](std::size_t at, std::size_t n) { return std::span(x).subspan(at, n); };
  std::atomic<int> ran{0};
  ms::task([](ms::view<int>) { throw std::runtime_error("no"); }, ms::inout(x));
  ms::task([](ms::view<int> v) { std::fill(v.begin(), v.end(), 7); }, ms::out(part(0, 5)));
  ms::task([&](ms::view<const int> v) { ran += v[0]; }, ms::in(part(0, 5)));
  ms::task([&](ms::view<const int>) { ran += 100; }, ms::in(part(5, 5)));
  ms::task([&](ms::view<const int>) { ran += 1000; }, ms::in(x));
  EXPECT_THROW(ms::wait(), std::runtime_error);
  EXPECT_EQ(ran, 7);
  ms::task([](ms::view<int> v) { std::fill(v.begin(), v.end(), 7); }, ms::out(part(0, 5)));
  ms::task([](ms::view<int>) { throw std::runtime_error("no"); }, ms::inout(x));
  ms::task([&](ms::view<const int>) { ran += 10000; }, ms::in(part(0, 5)));
  EXPECT_THROW(ms::wait(), std::runtime_error);
  EXPECT_EQ(ran, 7);
}

TEST_P(Data, WhatATaskReadsCancelsItThoughItOverwritesTheSame) {
  std::vector<int> x(20);
  const auto part = [&](std::size_t at, std::size_t n) { return std::span(x).subspan(at, n); };
  bool ran = false;
  ms::task([](ms::view<int>) { throw std::runtime_error("no"); }, ms::inout(part(5, 5)));
  ms::task([&](ms::view<int>, ms::view<const int>) { ran = true; }, ms::out(part(5, 5)), ms::in(part(2, 15)));
  EXPECT_THROW(ms::wait_on(part(5, 5)), ms::error);
  EXPECT_THROW(ms::wait(), std::runtime_error);
  EXPECT_FALSE(ran);
}

TEST_P(Data, AFailureThatIsLongOverStillCancels) {
  int a = 0;
  bool ran = false;
  ms::task([](ms::view<int>) { throw std::runtime_error("first"); }, ms::inout(a));
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  ms::task([&](ms::view<const int>) { ran = true; }, ms::in(a));
  EXPECT_THROW(ms::wait(), std::runtime_error);
  EXPECT_FALSE(ran);
}

TEST_P(Data, AParentsDataIsReleasedWhenItsDescendantsAreDone) {
  int x = 0;
  int seen = 0;
  ms::task(
      [](ms::view<int> v) {
        int* at = v.data();
        ms::task([at] {
          ms::task([at] {
            dawdle();
            *at = 42;
          });
        });
      },
      ms::inout(x));
  ms::task([](ms::view<const int> v, ms::view<int> to) { to[0] = v[0]; }, ms::in(x), ms::out(seen));
  ms::wait();
  EXPECT_EQ(seen, 42);
}

TEST_P(Data, ChildrenDependOnEachOtherWithinTheirParent) {
  std::vector<int> x(4);
  for (int i = 0; i < 4; ++i)
    ms::task(
        [](ms::view<int> v) {
          for (int k = 0; k < 50; ++k) ms::task([k](ms::view<int> w) { w[0] = w[0] * 3 % 1000 + k; }, ms::inout(v));
        },
        ms::inout(x[static_cast<std::size_t>(i)]));
  ms::wait();
  int expected = 0;
  for (int k = 0; k < 50; ++k) expected = expected * 3 % 1000 + k;
  EXPECT_EQ(x, std::vector<int>(4, expected));
}

TEST_P(Data, ATaskThatReturnsWithRenamedDataOfItsChildrenBringsItHome) {
  int x = 0;
  int seen = 0;
  ms::task(
      [](ms::view<int> v) {
        for (int i = 1; i <= 20; ++i) {
          ms::task([](ms::view<const int>) { dawdle(); }, ms::in(v));
          ms::task([i](ms::view<int> w) { w[0] = i; }, ms::out(v));
        }
      },
      ms::inout(x));
  ms::task([](ms::view<const int> v, ms::view<int> to) { to[0] = v[0]; }, ms::in(x), ms::out(seen));
  ms::wait();
  EXPECT_EQ(seen, 20);
  EXPECT_EQ(x, 20);
}

TEST_P(Data, MemoryThatWasOtherDataBeforeIsRenamedAllTheSame) {
  // Without renaming the writer would wait for the reader, which waits for what the writer makes possible.
  std::vector<double> memory(64, 1.0);
  for (std::size_t i = 0; i < 64; i += 4)
    ms::task([](ms::view<double> v) { v[0] += 1; }, ms::inout(std::span(memory).subspan(i, 4)));
  ms::wait();
  ms::mutex gate;
  if (!serial()) gate.lock();
  double seen = 0;
  double made = 0;
  ms::task(
      [&](ms::view<const double> v, ms::view<double> to) {
        const std::lock_guard passed(gate);
        to[0] = v[0];
      },
      ms::in(memory), ms::out(seen));
  ms::task([](ms::view<double> v) { std::fill(v.begin(), v.end(), 7.0); }, ms::out(memory));
  ms::task([](ms::view<const double> v, ms::view<double> to) { to[0] = v[0]; }, ms::in(memory), ms::out(made));
  ms::wait_on(made);
  EXPECT_EQ(made, 7);
  if (!serial()) gate.unlock();
  ms::wait();
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(memory[63], 7);
}

TEST_P(Data, AWaitForDataMayNameThemByAnAccess) {
  int x = 0;
  write_one_later(x);
  ms::wait_on(ms::in(x));
  EXPECT_EQ(x, 1);
  ms::wait();
}

TEST_P(Data, WaitOnCoversOneDatum) {
  int x = 0;
  int y = 0;
  ms::mutex gate;
  if (!serial()) gate.lock();
  ms::task(
      [&](ms::view<int> v) {
        const std::lock_guard passed(gate);
        v[0] = 1;
      },
      ms::inout(y));
  for (int i = 0; i < 10; ++i) {
    ms::task([](ms::view<const int>) { dawdle(); }, ms::in(x));
    ms::task([i](ms::view<int> v) { v[0] = i; }, ms::out(x));
  }
  ms::wait_on(x);
  EXPECT_EQ(x, 9);
  if (!serial()) gate.unlock();
  ms::wait();
  EXPECT_EQ(y, 1);
}

TEST_P(Data, AReductionWhoseOperationThrowsFailsLikeATask) {
  int sum = 0;
  for (const bool in_group : {false, true}) {
    failing::fails = true;
    int seen = 0;
    ms::group g;
    for (int i = 0; i < 3; ++i)
      if (in_group)
        g.task([](ms::view<int> v) { v[0] += 1; }, ms::reduction<failing>(sum));
      else
        ms::task([](ms::view<int> v) { v[0] += 1; }, ms::reduction<failing>(sum));
    if (in_group) {
      EXPECT_THROW(g.wait(), std::runtime_error);
    }
    ms::task([&seen](ms::view<const int>) { seen = 1; }, ms::in(sum));
    if (in_group) {
      ms::wait();  // the group's wait said it
    } else {
      EXPECT_THROW(ms::wait(), std::runtime_error);
    }
    EXPECT_EQ(seen, in_group ? 1 : 0);
    // Data again.
    failing::fails = false;
    ms::task([](ms::view<int> v) { v[0] = 40; }, ms::out(sum));
    ms::task([](ms::view<int> v) { v[0] += 2; }, ms::reduction<failing>(sum));
    ms::wait();
    EXPECT_EQ(sum, 42);
  }
}

TEST_P(Data, WaitOnVoidDataThrows) {
  int x = 0;
  ms::task([](ms::view<int>) { throw std::runtime_error("no"); }, ms::inout(x));
  EXPECT_THROW(ms::wait_on(x), ms::error);
  EXPECT_THROW(ms::wait(), std::runtime_error);
  ms::wait_on(x);
}

TEST_P(Data, AWaitSaysThatTasksWereCancelledThoughAnotherCoversTheCause) {
  int x = 0;
  int y = 0;
  ms::group g;
  ms::task([](ms::view<int>) { throw std::runtime_error("no"); }, ms::inout(x));
  g.task([](ms::view<const int>, ms::view<int> to) { to[0] = 1; }, ms::in(x), ms::out(y));
  EXPECT_THROW(g.wait(), ms::error);
  EXPECT_THROW(ms::wait(), std::runtime_error);
  ms::task([](ms::view<const int>, ms::view<const int>, ms::view<int> to) { to[0] = 7; }, ms::in(x), ms::in(y),
           ms::out(y));
  ms::wait();
  EXPECT_EQ(y, 7);
}

TEST_P(Data, AWaitLeavesTheOrderOfAGroupsTasksAlone) {
  std::vector<int> x(20);
  for (int round = 0; round < 20; ++round) {
    ms::group g;
    g.task(
        [](ms::view<int> v) {
          dawdle();
          for (int& e : v) e += 1;
        },
        ms::inout(x));
    ms::wait();  // covers no task
    ms::task([](ms::view<int> v) { v[0] *= 2; }, ms::inout(std::span(x).subspan(3, 4)));
    g.task([](ms::view<int> v) { v[0] += 5; }, ms::inout(std::span(x).subspan(2, 2)));
  }
  int expected = 0;
  for (int round = 0; round < 20; ++round) expected = (expected + 1) * 2;
  ms::wait();
  EXPECT_EQ(x[3], expected);
}

TEST_P(Data, AGroupCoversItsTasksDataToo) {
  std::vector<int> x(3);
  ms::group g;
  for (int i = 0; i < 30; ++i) {
    g.task([](ms::view<const int>) { dawdle(); }, ms::in(x));
    g.task([i](ms::view<int> v) { std::fill(v.begin(), v.end(), i); }, ms::out(x));
  }
  g.wait();
  EXPECT_EQ(x, std::vector<int>(3, 29));
}

TEST_P(Data, AGroupCoversWhatBringsItsTasksDataHomeForOthers) {
  std::vector<double> sum(stores() ? 1 << 14 : 1 << 16);
  std::vector<int> x(100);
  for (int round = 0; round < 5; ++round) {
    std::fill(sum.begin(), sum.end(), 0.);
    std::fill(x.begin(), x.end(), 0);
    ms::group g;
    for (int i = 0; i < 8; ++i)
      g.task(
          [](ms::view<double> s) {
            for (double& e : s) e += 1;
          },
          ms::reduction(sum));
    ms::task([](ms::view<const double>) {}, ms::in(sum));  // combines
    g.task([](ms::view<const int>) { dawdle(); }, ms::in(x));
    g.task([](ms::view<int> v) { std::fill(v.begin(), v.end(), 5); }, ms::out(x));          // renamed
    ms::task([](ms::view<const int>) {}, ms::in(std::span<const int>(x).subspan(50, 20)));  // brings it home
    g.wait();
    EXPECT_EQ(sum.back(), 8);
    EXPECT_EQ(x.back(), 5);
    ms::wait();
  }
}

TEST_P(Data, TheWindowHoldsForTasksThatMustWait) {
  long x = 0;
  constexpr long n = 30000;
  for (long i = 0; i < n; ++i) ms::task([](ms::view<long> v) { ++v[0]; }, ms::inout(x));
  ms::wait();
  EXPECT_EQ(x, n);
}

TEST_P(Data, APriorityGoesFirst) {
  if (GetParam().workers != 1) GTEST_SKIP() << "with several workers the order shows nothing: see the run with 1";
  std::vector<int> order;
  ms::task([&] {
    for (int i = 0; i < 9; ++i) ms::task([&order, i] { order.push_back(i % 3); }, ms::priority{i % 3 + 1});
    ms::wait();
  });
  ms::wait();
  EXPECT_EQ(order, (std::vector<int>{2, 2, 2, 1, 1, 1, 0, 0, 0}));
}

/// Runs a chain of tasks whose first creates an urgent one that it need not wait for; gives the order in which they
/// ran, in which that is -1.
std::vector<int> chain_with_an_urgent_task(bool waits) {
  std::vector<int> order;
  int x = 0;
  ms::group urgent;
  ms::task([&] {
    for (int i = 0; i < 20; ++i)
      ms::task(
          [&](ms::view<int>, int n) {
            order.push_back(n);
            if (n == 0) urgent.task([&order] { order.push_back(-1); }, ms::priority{1});
          },
          ms::inout(x), int{i});
    if (waits) ms::wait();
  });
  ms::wait();
  urgent.wait();
  return order;
}

TEST_P(Data, AChainOfTasksLetsAnUrgentOneGoFirst) {
  if (GetParam().workers != 1) GTEST_SKIP() << "with several workers the order shows nothing: see the run with 1";
  for (const bool waits : {false, true}) {
    const std::vector<int> order = chain_with_an_urgent_task(waits);
    ASSERT_EQ(order.size(), 21u);
    EXPECT_EQ(order[1], -1) << (waits ? "their creator waits for them" : "their creator has ended");
  }
}

TEST_P(Data, AWaitRunsUrgentTasksFirst) {
  if (GetParam().workers != 1) GTEST_SKIP() << "with several workers the order shows nothing: see the run with 1";
  std::vector<int> order;
  ms::task([&] {
    ms::group others;
    for (int i = 0; i < 9; ++i) ms::task([&order] { order.push_back(0); });
    ms::task([&order] { order.push_back(1); }, ms::priority{1});
    others.task([&order] { order.push_back(2); }, ms::priority{2});
    ms::wait();
  });
  ms::wait();
  EXPECT_EQ(order, (std::vector<int>{2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_P(Data, ABodyThatTakesAnythingGetsWhatTheCallSays) {
  int x = 3;
  std::size_t given[3] = {};
  ms::task([&](auto&&... arguments) { given[0] = sizeof...(arguments) + 1; });
  ms::task([&](auto&&... arguments) { given[1] = sizeof...(arguments) + 1; }, ms::priority{1});
  ms::task([&](auto&&... arguments) { given[2] = sizeof...(arguments) + 1; }, ms::in(x), 7);
  ms::wait();
  EXPECT_EQ(given[0], 1u);
  EXPECT_EQ(given[1], 1u);
  EXPECT_EQ(given[2], 3u);
}

TEST_P(Data, TheSameDataNamedTwiceIsOneAccess) {
  int x = 1;
  for (int i = 0; i < 10; ++i)
    ms::task([](ms::view<const int> from, ms::view<int> to) { to[0] = from[0] + 1; }, ms::in(x), ms::out(x));
  ms::task([](ms::view<const int> a, ms::view<const int> b) { EXPECT_EQ(a[0] + b[0], 22); }, ms::in(x), ms::in(x));
  ms::wait();
  EXPECT_EQ(x, 11);
}

TEST_P(Data, AReductionOfDataThatTheTaskAlsoReadsIsAnError) {
  double x = 0;
  const auto create = [&] { ms::task([](ms::view<double>, ms::view<const double>) {}, ms::reduction(x), ms::in(x)); };
  EXPECT_THROW(create(), ms::error);
  ms::wait();
}

TEST_P(Data, EmptyRangesWaitForNothing) {
  std::vector<int> none;
  std::atomic<int> ran = 0;
  for (int i = 0; i < 5; ++i)
    ms::task([&](ms::view<int> v) { ran += 1 + static_cast<int>(v.size()); }, ms::inout(none));
  ms::wait();
  EXPECT_EQ(ran, 5);
}

TEST_P(Data, LoopsInTasksInLoopsFindTheirData) {
  std::vector<long> x(8);
  ms::parallel_for(
      0, 8,
      [&](ms::range r) {
        for (const auto i : r) {
          long& mine = x[static_cast<std::size_t>(i)];
          for (int k = 0; k < 20; ++k)
            ms::task(
                [i](ms::view<long> v) {
                  v[0] += ms::parallel_reduce(0, 10, 0L, std::plus{}, [&](ms::range s) {
                    long sum = 0;
                    for (const auto j : s) sum += i * j;
                    return sum;
                  });
                },
                ms::inout(mine));
        }
      },
      ms::block{1});
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(x[i], static_cast<long>(20 * 45 * i));
}

}  // namespace
