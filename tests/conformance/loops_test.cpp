// Promises about loops.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "executors.hpp"
#include "sanitized.hpp"

using Loops = Promise;

TEST_P(Loops, EachIterationRunsOnce) {
  for (const std::int64_t n : {1, 2, 3, 7, 100, 511, 512, 513, 10'000}) {
    std::vector<std::atomic<int>> ran(static_cast<std::size_t>(n));
    ms::parallel_for(0, n, [&](ms::range r) {
      for (const auto i : r) ++ran[static_cast<std::size_t>(i)];
    });
    for (const auto& r : ran) ASSERT_EQ(r, 1) << "length " << n;
  }
}

TEST_P(Loops, WhatIsTooSmallStaysWithItsCaller) {
  constexpr int loops = 2000;
  const auto caller = std::this_thread::get_id();
  int alone = 0;
  for (int i = 0; i < loops; ++i) {
    std::atomic<int> elsewhere{0};
    std::atomic<int> ran{0};
    ms::parallel_for(
        0, 4,
        [&](ms::range r) {
          ran += static_cast<int>(r.size());
          elsewhere += std::this_thread::get_id() != caller;
        },
        ms::block{1});
    ASSERT_EQ(ran, 4);
    alone += elsewhere == 0;
  }
  // The first ones are shared, and those after one that lost its core. Nothing is that small where each access is
  // looked at.
  const char* policy = std::getenv("MASLIN_LOOP");
  if ((!policy || std::string(policy) == "dbs") && !sanitized) {
    EXPECT_GT(alone, loops / 4);
  }
}

TEST_P(Loops, ASiteThatWasTooSmallIsSharedOnceItIsLarge) {
  if (!meets()) GTEST_SKIP() << "there is nobody to share it with at the same time";
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> elsewhere{false};
  const auto run = [&](bool large) {
    ms::parallel_for(
        0, 16,
        [&](ms::range) {
          if (!large) return;
          std::this_thread::sleep_for(std::chrono::microseconds(50));
          if (std::this_thread::get_id() != caller) elsewhere = true;
        },
        ms::block{1});
  };
  for (int i = 0; i < 1000; ++i) run(false);
  // One in sixteen is looked at. It ends where nobody ever looks.
  for (int i = 0; i < 2000 && !elsewhere; ++i) run(true);
  EXPECT_TRUE(elsewhere);
}

TEST_P(Loops, IterationsAddUpWhereALoopTurnsOutToBeLarge) {
  std::atomic<long> ran{0};
  for (int i = 0; i < 300; ++i) {
    const bool large = i % 100 == 99;
    ms::parallel_for(
        0, 64,
        [&](ms::range r) {
          if (large) std::this_thread::sleep_for(std::chrono::microseconds(100));
          ran += r.size();
        },
        ms::block{1});
  }
  EXPECT_EQ(ran, 300 * 64);
}

TEST_P(Loops, NothingRunsWhereThereIsNothing) {
  ms::parallel_for(5, 5, [](ms::range) { FAIL(); });
  ms::parallel_for(5, 3, [](ms::range) { FAIL(); });
  EXPECT_EQ(ms::parallel_reduce(3, 3, 42, std::plus{}, [](ms::range) { return 1; }), 42);
}

TEST_P(Loops, CutsDependOnTheLengthAlone) {
  std::mutex lock;
  std::set<std::pair<std::int64_t, std::int64_t>> cuts;
  ms::parallel_for(10, 5'010, [&](ms::range r) {
    std::lock_guard held(lock);
    cuts.insert({r.first, r.last});
  });
  std::set<std::pair<std::int64_t, std::int64_t>> expected;
  for (std::int64_t at = 10; at < 5'010; at += 10) expected.insert({at, std::min<std::int64_t>(at + 10, 5'010)});
  EXPECT_EQ(cuts, expected);
}

TEST_P(Loops, ABlockIsAsLongAsAskedFor) {
  std::atomic<int> calls{0};
  ms::parallel_for(
      0, 1000,
      [&](ms::range r) {
        ++calls;
        EXPECT_TRUE(r.size() == 64 || (r.first == 960 && r.last == 1000));
      },
      ms::block{64});
  EXPECT_EQ(calls, 16);
}

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr ms::range enormous[] = {{0, most}, {-5, most}, {least, most}, {least, 0}, {least, 5}, {1, most - 1}};
constexpr ms::schedule schedules[] = {ms::schedule::of_the_run, ms::schedule::dbs, ms::schedule::static_,
                                      ms::schedule::gss, ms::schedule::afs};

TEST_P(Loops, BlocksCoverTheRangeHoweverLongItIs) {
  constexpr ms::range small[] = {{most - 3, most}, {least, least + 1}, {-1, 1}};
  constexpr std::int64_t large_block = std::int64_t{1} << 56;
  const auto expect_cover = [](ms::range whole, ms::schedule policy, ms::block wish) {
    std::mutex lock;
    std::map<std::int64_t, std::int64_t> blocks;
    ms::parallel_for(
        whole.first, whole.last,
        [&](ms::range r) {
          std::lock_guard held(lock);
          EXPECT_TRUE(blocks.insert({r.first, r.last}).second);
        },
        policy, wish);
    std::int64_t at = whole.first;
    for (const auto& [first, last] : blocks) {
      ASSERT_EQ(first, at);
      ASSERT_LT(first, last);
      at = last;
    }
    EXPECT_EQ(at, whole.last);
    EXPECT_LE(blocks.size(), 512U);
  };
  for (const auto policy : schedules) {
    for (const auto& whole : enormous)
      for (const std::int64_t block : {std::int64_t{0}, large_block, most - 1, most})
        expect_cover(whole, policy, {block});
    for (const auto& whole : small)
      for (const std::int64_t block : {std::int64_t{0}, std::int64_t{1}, most}) expect_cover(whole, policy, {block});
  }
}

TEST_P(Loops, AnEnormousLoopWhoseFirstBlockThrowsEndsThere) {
  for (const auto policy : schedules)
    for (const auto& whole : enormous)
      for (const std::int64_t block : {1, 3, 1'000'000}) {
        std::atomic<bool> thrown{false};
        try {
          ms::parallel_for(
              whole.first, whole.last,
              [&](ms::range r) {
                if (r.first != whole.first) return;
                thrown = true;
                throw std::runtime_error("the first block");
              },
              policy, ms::block{block});
          FAIL() << "nothing was thrown";
        } catch (const std::runtime_error& e) {
          EXPECT_STREQ(e.what(), "the first block");
          EXPECT_TRUE(thrown);
        }
      }
}

TEST_P(Loops, ReductionsOverEnormousRangesAddUp) {
  for (const auto policy : schedules)
    for (const auto& whole : enormous) {
      const auto length = ms::parallel_reduce(
          whole.first, whole.last, std::uint64_t{0}, std::plus{},
          [](ms::range r) { return static_cast<std::uint64_t>(r.size()); }, policy);
      EXPECT_EQ(length, static_cast<std::uint64_t>(whole.last) - static_cast<std::uint64_t>(whole.first));
    }
}

TEST_P(Loops, ABoundThatIsNoSignedIntegerIsRefused) {
  const std::size_t beyond = std::size_t{1} << 63;
  EXPECT_THROW(ms::parallel_for(0, beyond, [](ms::range) { FAIL(); }), ms::error);
  EXPECT_THROW(ms::parallel_for(beyond, 0, [](ms::range) { FAIL(); }), ms::error);
  EXPECT_THROW(ms::parallel_reduce(0, ~std::size_t{0}, 0, std::plus{}, [](ms::range) { return 1; }), ms::error);
  std::atomic<std::int64_t> sum{0};
  const auto add = [&](ms::range r) {
    for (const auto i : r) sum += i;
  };
  ms::parallel_for(std::size_t{0}, std::size_t{10}, add);
  ms::parallel_for(std::uint8_t{0}, 10U, add);
  ms::parallel_for(std::int8_t{-10}, std::int16_t{1}, add);
  EXPECT_EQ(sum, 45 + 45 - 55);
}

double rough_sum(int n) {
  return ms::parallel_reduce(0, n, 0.0, std::plus{}, [](ms::range r) {
    double sum = 0;
    for (const auto i : r) sum += std::sin(static_cast<double>(i)) * std::pow(10.0, static_cast<double>(i % 19) - 9);
    return sum;
  });
}

TEST_P(Loops, ReductionsAreTheSameToTheLastBit) {
  // The reference cuts and combines as the contract says, without the runtime.
  for (const int n : {1, 63, 64, 65, 1000, 4097}) {
    const std::int64_t size = std::max(1, (n + 511) / 512);
    double expected = 0;
    for (std::int64_t from = 0; from < n; from += size) {
      double sum = 0;
      for (std::int64_t i = from; i < std::min<std::int64_t>(from + size, n); ++i)
        sum += std::sin(static_cast<double>(i)) * std::pow(10.0, static_cast<double>(i % 19) - 9);
      expected = expected + sum;
    }
    for (int repeat = 0; repeat < 5; ++repeat) {
      const double got = rough_sum(n);
      ASSERT_EQ(std::memcmp(&got, &expected, sizeof got), 0) << "length " << n;
    }
  }
}

TEST_P(Loops, NestToAnyDepth) {
  std::atomic<std::int64_t> sum{0};
  ms::parallel_for(0, 8, [&](ms::range a) {
    for (const auto i : a)
      ms::parallel_for(0, 9, [&, i](ms::range b) {
        for (const auto j : b)
          ms::parallel_for(0, 10, [&, i, j](ms::range c) {
            for (const auto k : c) sum += i * 100 + j * 10 + k;
          });
      });
  });
  std::int64_t expected = 0;
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 9; ++j)
      for (int k = 0; k < 10; ++k) expected += i * 100 + j * 10 + k;
  EXPECT_EQ(sum, expected);
}

int leaves(int depth) {
  if (depth == 0) return 1;
  std::atomic<int> sum{0};
  ms::parallel_for(0, 3, [&](ms::range r) {
    for ([[maybe_unused]] const auto i : r) sum += leaves(depth - 1);
  });
  return sum;
}

TEST_P(Loops, RecursiveLoopsFinish) { EXPECT_EQ(leaves(6), 729); }

TEST_P(Loops, ABodyWaitsForTheTasksThatItCreates) {
  std::atomic<int> tasks{0};
  ms::parallel_for(0, 100, [&](ms::range r) {
    for ([[maybe_unused]] const auto i : r)
      for (int k = 0; k < 3; ++k) ms::task([&] { ++tasks; });
  });
  EXPECT_EQ(tasks, 300);
}

TEST_P(Loops, LoopsInTasksInLoops) {
  std::atomic<int> ran{0};
  ms::parallel_for(0, 10, [&](ms::range r) {
    for ([[maybe_unused]] const auto i : r) {
      ms::task([&] { ms::parallel_for(0, 50, [&](ms::range inner) { ran += static_cast<int>(inner.size()); }); });
      ms::wait();
    }
  });
  EXPECT_EQ(ran, 500);
}

TEST_P(Loops, WidthIsOneInsideABody) {
  std::atomic<int> wrong{0};
  ms::parallel_for(0, 100, [&](ms::range) { wrong += ms::width() != 1; });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(ms::width(), serial() ? 1 : GetParam().workers);
}

TEST_P(Loops, TheLowestThrowingBlockIsRethrownAndAllBelowItRan) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<std::atomic<int>> ran(200);
    try {
      ms::parallel_for(
          0, 200,
          [&](ms::range r) {
            ++ran[static_cast<std::size_t>(r.first)];
            if (r.first == 77 || r.first == 130 || r.first == 199) throw std::runtime_error(std::to_string(r.first));
          },
          ms::block{1});
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      ASSERT_STREQ(e.what(), "77");
    }
    for (std::size_t i = 0; i <= 77; ++i) ASSERT_EQ(ran[i], 1);
    for (const auto& r : ran) ASSERT_LE(r, 1);
  }
}

TEST_P(Loops, EverySchedulesResultIsTheSame) {
  const auto body = [](ms::range r) {
    double sum = 0;
    for (const auto i : r) sum += 1.0 / static_cast<double>(i + 1);
    return sum;
  };
  const double expected = ms::parallel_reduce(0, 10000, 0.0, std::plus{}, body);
  for (const auto policy : {ms::schedule::dbs, ms::schedule::static_, ms::schedule::gss, ms::schedule::afs}) {
    EXPECT_EQ(ms::parallel_reduce(0, 10000, 0.0, std::plus{}, body, policy), expected);
    for (const std::int64_t length : {1, 2, 7, 100}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(length));
      ms::parallel_for(
          0, length,
          [&](ms::range r) {
            for (const auto i : r) ++runs[static_cast<std::size_t>(i)];
          },
          policy, ms::block{1});
      for (const auto& n : runs) EXPECT_EQ(n, 1);
    }
  }
}

TEST_P(Loops, AMutexInABodyIsNoTrap) {
  ms::mutex lock;
  int sum = 0;
  ms::parallel_for(0, 200, [&](ms::range r) {
    lock.lock();
    ms::parallel_for(0, 10, [&](ms::range inner) {
      std::this_thread::yield();
      (void)inner;
    });
    sum += static_cast<int>(r.size());
    lock.unlock();
  });
  EXPECT_EQ(sum, 200);
}

TEST_P(Loops, ManyShortOnesInARow) {
  std::int64_t sum = 0;
  for (int i = 0; i < 3'000; ++i)
    sum += ms::parallel_reduce(0, 16, std::int64_t{0}, std::plus{}, [](ms::range r) { return r.size(); });
  EXPECT_EQ(sum, 3'000 * 16);
}

/// Takes a few microseconds in a row of `length`: small, and not too small. Gives something that depends on all of it.
double small_iteration(std::int64_t length) {
  volatile double x = 1;
  for (std::int64_t i = 0; i < 6'000 / length; ++i) x = x + 1 / x;
  return x;
}

TEST_P(Loops, SmallOnesOfAKnownSizeRunEachIterationOnce) {
  for (const std::int64_t length : {2, 3, 8, 100}) {
    const double expected = small_iteration(length);
    for (int repeat = 0; repeat < 100; ++repeat) {
      std::vector<double> found(static_cast<std::size_t>(length));
      std::vector<std::atomic<int>> ran(static_cast<std::size_t>(length));
      ms::parallel_for(
          0, length,
          [&](ms::range r) {
            for (const auto i : r) {
              found[static_cast<std::size_t>(i)] = small_iteration(length);
              ++ran[static_cast<std::size_t>(i)];
            }
          },
          ms::block{1});
      for (const auto& times : ran) ASSERT_EQ(times, 1) << length << ", loop " << repeat;
      for (const double each : found) ASSERT_EQ(each, expected);
    }
  }
}

TEST_P(Loops, SmallOnesOfAKnownSizeRethrowWhatTheLowestBlockThrew) {
  for (int repeat = 0; repeat < 200; ++repeat) {
    const std::int64_t throws = repeat % 3 == 2 ? repeat % 32 : 32;
    std::vector<std::atomic<int>> ran(32);
    const auto loop = [&] {
      ms::parallel_for(
          0, 32,
          [&](ms::range r) {
            small_iteration(32);
            ++ran[static_cast<std::size_t>(r.first)];
            if (r.first >= throws) throw static_cast<int>(r.first);
          },
          ms::block{1});
    };
    if (throws < 32) {
      try {
        loop();
        FAIL() << "nothing was thrown";
      } catch (int lowest) {
        ASSERT_EQ(lowest, throws);
      }
    } else {
      loop();
    }
    for (std::int64_t i = 0; i < 32; ++i) {
      const int times = ran[static_cast<std::size_t>(i)];
      ASSERT_LE(times, 1);
      if (i <= throws) {
        ASSERT_EQ(times, 1) << i;
      }
    }
  }
}

// Whoever is invited to such a loop may be in the middle of something that ends only after it.
TEST_P(Loops, SmallOnesOfAKnownSizeDoNotWaitForAWorkerThatIsBusy) {
  if (!meets()) GTEST_SKIP() << "there is nobody to be busy beside it: see the runs with several workers";
  const auto loop = [](int repeats) {
    for (int repeat = 0; repeat < repeats; ++repeat) {
      std::atomic<int> ran{0};
      ms::parallel_for(
          0, 8,
          [&](ms::range) {
            small_iteration(8);
            ++ran;
          },
          ms::block{1});
      ASSERT_EQ(ran, 8);
    }
  };
  loop(100);
  std::atomic<int> busy{0};
  std::atomic<bool> over{false};
  for (int i = 1; i < GetParam().workers; ++i)
    ms::task([&] {
      ++busy;
      while (!over) std::this_thread::yield();
    });
  while (busy < GetParam().workers - 1) std::this_thread::yield();
  loop(100);
  over = true;
  ms::wait();
  loop(100);
}

TEST_P(Loops, SmallOnesOfAKnownSizeNestAndRunInStreams) {
  std::atomic<int> ran{0};
  const auto loop = [&](auto&& body) {
    ms::parallel_for(
        0, 8, [&](ms::range r) { body(r); }, ms::block{1});
  };
  for (int repeat = 0; repeat < 30; ++repeat)
    loop([&](ms::range) { loop([&](ms::range) { small_iteration(64), ++ran; }); });
  ms::phase("small loops", 12, [&](std::int64_t) {
    for (int repeat = 0; repeat < 30; ++repeat) loop([&](ms::range) { small_iteration(8), ++ran; });
  });
  EXPECT_EQ(ran, 30 * 64 + 12 * 30 * 8);
}

MASLIN_ON_EVERY_EXECUTOR(Loops);
