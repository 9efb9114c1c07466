// Promises about forks.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "executors.hpp"
#include "sanitized.hpp"

using Forks = Promise;

namespace {

int fib(int n) {
  if (n < 2) return n;
  const auto [left, right] = ms::fork([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return left + right;
}

void count_leaves(int depth, std::atomic<int>& leaves) {
  if (depth == 0) {
    ++leaves;
    return;
  }
  ms::fork([&] { count_leaves(depth - 1, leaves); }, [&] { count_leaves(depth - 1, leaves); });
}

}  // namespace

TEST_P(Forks, BothBranchesRunAndGiveTheirResults) {
  const auto [number, text] = ms::fork([] { return 7; }, [] { return std::string("seven"); });
  EXPECT_EQ(number, 7);
  EXPECT_EQ(text, "seven");
  EXPECT_EQ(fib(20), 6765);
}

TEST_P(Forks, EachBranchRunsOnce) {
  std::atomic<int> leaves{0};
  for (int round = 0; round < 20; ++round) count_leaves(10, leaves);
  EXPECT_EQ(leaves, 20 * 1024);
}

TEST_P(Forks, ResultsMayBeMovedOnlyAndAreDestroyedOnce) {
  auto alive = std::make_shared<int>(0);
  for (int i = 0; i < 100; ++i) {
    auto [a, b] = ms::fork([&] { return std::make_unique<std::shared_ptr<int>>(alive); },
                           [&] {
                             if (i % 10 == 0) dawdle();
                             return std::make_unique<std::shared_ptr<int>>(alive);
                           });
    EXPECT_EQ(a->get(), alive.get());
    EXPECT_EQ(b->get(), alive.get());
  }
  EXPECT_EQ(alive.use_count(), 1);
}

TEST_P(Forks, WorkInTasksStreamsLoopsAndOffLoads) {
  std::array<std::atomic<int>, 4> sums{};
  for (int i = 0; i < 20; ++i) ms::task([&] { sums[0] += fib(10); });
  ms::wait();
  ms::phase("forks", 6, [&](auto) {
    static const ms::kernel kernel{"fork", [](std::atomic<int>* sum) { *sum += fib(10); }};
    for (int i = 0; i < 4; ++i) {
      sums[1] += fib(10);
      ms::offload(kernel, &sums[2]);
    }
  });
  ms::parallel_for(0, 50, [&](ms::range r) {
    for ([[maybe_unused]] auto i : r) sums[3] += fib(10);
  });
  EXPECT_EQ(sums[0], 20 * 55);
  EXPECT_EQ(sums[1], 24 * 55);
  EXPECT_EQ(sums[2], 24 * 55);
  EXPECT_EQ(sums[3], 50 * 55);
}

TEST_P(Forks, ABranchMayCreateTasksLoopsAndGroupsAndItsEndCoversThem) {
  std::atomic<int> sum{0};
  for (int round = 0; round < 30; ++round) {
    const int before = sum;
    ms::fork(
        [&] {
          for (int i = 0; i < 10; ++i) ms::task([&] { ++sum; });
        },
        [&] {
          ms::group all;
          for (int i = 0; i < 10; ++i) all.task([&] { ++sum; });
          all.wait();
          ms::parallel_for(0, 10, [&](ms::range r) { sum += static_cast<int>(r.size()); });
        });
    EXPECT_EQ(sum, before + 30);
  }
}

TEST_P(Forks, AGroupsTinyTasksLeaveTheRequestForABranch) {
  if (!meets()) GTEST_SKIP() << "one runs beside the other";
  struct halves {
    static void tiny(int depth) {
      ms::group one;
      one.task([] {});
      one.wait();
      if (depth == 0) return;
      ms::group half;
      half.task([depth] { tiny(depth - 1); });
      tiny(depth - 1);
      half.wait();
    }
  };
  std::atomic<bool> begun{false};
  ms::group task;
  task.task([&] {
    halves::tiny(10);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // nobody else has anything to do
    halves::tiny(3);
    // The second branch of the outer fork is promoted at one of the forks inside the first. It does not wait for the
    // first: where that is suspended for a branch of its own, both are of one worker.
    ms::fork(
        [&] {
          while (!begun) fib(10);
        },
        [&] { begun = true; });
  });
  task.wait();
}

TEST_P(Forks, WaitInABranchCoversItsOwnTasksOnly) {
  std::atomic<bool> outer_done{false};
  std::atomic<bool> go{false};
  std::atomic<int> inner{0};
  if (!meets()) go = true;
  ms::task([&] {
    while (!go) std::this_thread::yield();
    outer_done = true;
  });
  ms::fork(
      [&] {
        ms::task([&] { ++inner; });
        ms::wait();
        EXPECT_EQ(inner, 1);
      },
      [&] { go = true; });
  ms::wait();
  EXPECT_TRUE(outer_done);
}

TEST_P(Forks, DataOfABranchIsItsOwn) {
  std::array<long, 2> values{};
  const auto chain = [](long& value) {
    for (int i = 0; i < 20; ++i) ms::task([i](ms::view<long> v) { v[0] = v[0] * 3 + i; }, ms::inout(value));
    ms::wait_on(value);
    return value;
  };
  for (int round = 0; round < 10; ++round) {
    values = {};
    const auto [a, b] = ms::fork([&] { return chain(values[0]); }, [&] { return chain(values[1]); });
    long expected = 0;
    for (int i = 0; i < 20; ++i) expected = expected * 3 + i;
    EXPECT_EQ(a, expected);
    EXPECT_EQ(b, expected);
  }
}

TEST_P(Forks, WidthIsOneInABranch) {
  ms::fork([] { EXPECT_EQ(ms::width(), 1); }, [] { EXPECT_EQ(ms::width(), 1); });
}

TEST_P(Forks, TheEarlierExceptionIsRethrownWhenBothAreDoneAndTheOtherAttached) {
  for (int round = 0; round < 30; ++round) {
    for (const int depth : {0, 3}) {
      std::atomic<int> leaves{0};
      try {
        ms::fork(
            [&] {
              count_leaves(depth, leaves);
              throw std::runtime_error("first");
            },
            [&] {
              count_leaves(depth, leaves);
              throw std::runtime_error("second");
            });
        FAIL() << "nothing was thrown";
      } catch (const std::runtime_error& e) {
        EXPECT_STREQ(e.what(), "first");
        EXPECT_EQ(ms::other_exceptions().size(), 1U);
      }
      EXPECT_EQ(leaves, 2 << depth);
    }
  }
}

TEST_P(Forks, TheSecondBranchRunsThoughTheFirstThrew) {
  std::atomic<int> ran{0};
  EXPECT_THROW(ms::fork([] { throw 1; },
                        [&] {
                          ++ran;
                          return std::make_unique<int>(3);
                        }),
               int);
  EXPECT_EQ(ran, 1);
  EXPECT_THROW(ms::fork([&] { return std::make_unique<int>(3); }, [&] { throw std::string("x"); }), std::string);
}

TEST_P(Forks, WhatTasksOfABranchThrowComesOutOfTheFork) {
  EXPECT_THROW(ms::fork([] { ms::task([] { throw std::runtime_error("task"); }); }, [] {}), std::runtime_error);
  EXPECT_THROW(ms::fork([] {}, [] { ms::task([] { throw std::runtime_error("task"); }); }), std::runtime_error);
  std::atomic<int> ran{0};
  ms::task([&] { ++ran; });
  ms::wait();
  EXPECT_EQ(ran, 1);
}

TEST_P(Forks, AllThatABranchAndItsTasksThrewIsKeptInProgramOrder) {
  const auto thrower = [](const char* what) { return [what] { throw std::runtime_error(what); }; };
  const auto thrown = [&](bool first, bool second) {
    std::string all;
    try {
      ms::fork(
          [&] {
            if (!first) return;
            ms::task(thrower("a"));
            ms::task(thrower("b"));
          },
          [&] {
            if (!second) return;
            ms::task(thrower("c"));
            ms::task(thrower("d"));
            throw std::runtime_error("e");
          });
    } catch (const std::runtime_error& e) {
      all = e.what();
      for (const std::exception_ptr& other : ms::other_exceptions()) try {
          std::rethrow_exception(other);
        } catch (const std::runtime_error& o) {
          all += o.what();
        }
    }
    return all;
  };
  for (int round = 0; round < 10; ++round) {
    EXPECT_EQ(thrown(true, false), "ab");
    EXPECT_EQ(thrown(false, true), "cde");
    EXPECT_EQ(thrown(true, true), "abcde");
    std::string elsewhere;
    std::thread([&] { elsewhere = thrown(true, true); }).join();
    EXPECT_EQ(elsewhere, "abcde");
  }
}

namespace {
long sum_to(long n) {
  if (n == 0) return 0;
  const auto [rest, one] = ms::fork([=] { return sum_to(n - 1); }, [=] { return n; });
  return rest + one;
}
long sum_down(long n) {
  if (n == 0) return 0;
  const auto [one, rest] = ms::fork([=] { return n; }, [=] { return sum_down(n - 1); });
  return rest + one;
}
}  // namespace

TEST_P(Forks, GoDeeperThanOneStackIfTheyMust) {
  // The serial elision has one stack. On described workers each level may be a fiber, and ThreadSanitizer knows 8,128:
  // all that comes after so many would be slow.
  const long with_sanitizer = GetParam().described ? 500 : 5'000;
  const long depth = serial() ? 5'000 : sanitized ? with_sanitizer : 50'000;
  EXPECT_EQ(sum_to(depth), depth * (depth + 1) / 2);
  EXPECT_EQ(sum_down(depth), depth * (depth + 1) / 2);
}

TEST_P(Forks, ForeignThreadsMayFork) {
  std::vector<std::thread> threads;
  std::atomic<int> sum{0};
  for (int i = 0; i < 3; ++i) threads.emplace_back([&] { sum += fib(12); });
  for (auto& t : threads) t.join();
  EXPECT_EQ(sum, 3 * 144);
}

TEST_P(Forks, MayWaitForAMutexThatAnotherBranchHolds) {
  ms::mutex lock;
  int inside = 0;
  const auto add = [&](auto self, int depth) -> void {
    if (depth == 0) {
      const std::lock_guard held(lock);
      ++inside;
      if (inside % 16 == 0) ms::wait();
      return;
    }
    ms::fork([&] { self(self, depth - 1); }, [&] { self(self, depth - 1); });
  };
  add(add, 8);
  EXPECT_EQ(inside, 256);
}

TEST_P(Forks, ASortByForksIsASort) {
  std::vector<int> values(20'000);
  std::iota(values.begin(), values.end(), 0);
  std::uint64_t state = 1;
  for (std::size_t i = values.size(); i > 1; --i) {
    state = state * 6'364'136'223'846'793'005U + 1;
    std::swap(values[i - 1], values[state % i]);
  }
  const auto sort = [](auto self, auto first, auto last) -> void {
    if (last - first < 32) return std::sort(first, last);
    const auto middle = first + (last - first) / 2;
    ms::fork([&] { self(self, first, middle); }, [&] { self(self, middle, last); });
    std::inplace_merge(first, middle, last);
  };
  sort(sort, values.begin(), values.end());
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(values[static_cast<std::size_t>(i)], i);
}

TEST_P(Forks, BranchesOfARecordingRecordTheirTasks) {
  std::array<int, 4> values{};
  ms::recording all = ms::record([&] {
    ms::fork([&] { ms::task([](ms::view<int> v) { v[0] += 1; }, ms::inout(values[0])); },
             [&] {
               ms::task([](ms::view<const int> from, ms::view<int> to) { to[0] += from[0]; }, ms::in(values[0]),
                        ms::inout(values[1]));
             });
  });
  for (int i = 0; i < 3; ++i) ms::replay(all);
  EXPECT_EQ(values[0], 4);
  EXPECT_EQ(values[1], 1 + 2 + 3 + 4);
}

MASLIN_ON_EVERY_EXECUTOR(Forks);
