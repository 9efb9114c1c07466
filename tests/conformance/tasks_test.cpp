// Promises about tasks, waits and groups.

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "executors.hpp"

using Tasks = Promise;

TEST_P(Tasks, EachRunsOnce) {
  constexpr int tasks = 20'000;
  std::vector<std::atomic<int>> ran(tasks);
  for (int i = 0; i < tasks; ++i) ms::task([&ran, i] { ++ran[static_cast<std::size_t>(i)]; });
  ms::wait();
  for (const auto& r : ran) ASSERT_EQ(r, 1);
}

TEST_P(Tasks, WaitCoversDescendantsThatTheTaskDidNotWaitFor) {
  std::atomic<int> leaves{0};
  for (int i = 0; i < 50; ++i)
    ms::task([&] {
      for (int j = 0; j < 5; ++j)
        ms::task([&] {
          for (int k = 0; k < 3; ++k) ms::task([&] { ++leaves; });
        });
    });
  ms::wait();
  EXPECT_EQ(leaves, 50 * 5 * 3);
}

int fib(int n) {
  if (n < 2) return n;
  int left = 0;
  ms::task([&left, n] { left = fib(n - 1); });
  const int right = fib(n - 2);
  ms::wait();
  return left + right;
}

TEST_P(Tasks, RecursionWaitsForItsOwnChildrenOnly) { EXPECT_EQ(fib(18), 2584); }

TEST_P(Tasks, ArgumentsAndCallablesAreCopied) {
  auto shared = std::make_shared<int>(7);
  std::atomic<int> sum{0};
  {
    std::string text = "abc";
    ms::task([shared, &sum](const std::string& s, int n) { sum += static_cast<int>(s.size()) * n * *shared; }, text, 2);
    text = "changed";
  }
  ms::wait();
  EXPECT_EQ(sum, 3 * 2 * 7);
  EXPECT_EQ(shared.use_count(), 1) << "the task's copy of the callable is gone";
}

TEST_P(Tasks, OverAlignedCallablesLieWhereTheyWant) {
  struct alignas(128) wide {
    std::array<char, 128> bytes;
  };
  std::atomic<int> misplaced{0};
  for (int i = 0; i < 100; ++i)
    ms::task([w = wide{}, &misplaced] {
      if (reinterpret_cast<std::uintptr_t>(&w) % 128 != 0) ++misplaced;
    });
  ms::wait();
  EXPECT_EQ(misplaced, 0);
}

TEST_P(Tasks, TheEarliestExceptionInProgramOrderIsRethrownAndTheOthersAttached) {
  for (int i = 0; i < 30; ++i)
    ms::task([i] {
      if (i % 10 == 3) throw std::runtime_error(std::to_string(i));
    });
  try {
    ms::wait();
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "3");
  }
  std::vector<std::string> others;
  for (const auto& other : ms::other_exceptions()) {
    try {
      std::rethrow_exception(other);
    } catch (const std::runtime_error& e) {
      others.emplace_back(e.what());
    }
  }
  EXPECT_EQ(others, (std::vector<std::string>{"13", "23"}));
  ms::wait();  // observed once
}

TEST_P(Tasks, AnExceptionOfAGrandchildComesBeforeItsParentsOwn) {
  ms::task([] {
    ms::task([] { throw std::runtime_error("child"); });
    throw std::runtime_error("parent");
  });
  try {
    ms::wait();
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "child");
  }
  EXPECT_EQ(ms::other_exceptions().size(), 1u);
}

TEST_P(Tasks, WhatATaskObservesDoesNotReachItsParent) {
  std::atomic<bool> caught{false};
  ms::task([&] {
    ms::task([] { throw std::runtime_error("inner"); });
    try {
      ms::wait();
    } catch (const std::runtime_error&) {
      caught = true;
    }
  });
  EXPECT_NO_THROW(ms::wait());
  EXPECT_TRUE(caught);
}

TEST_P(Tasks, EverythingElseRunsWhenOneThrows) {
  std::atomic<int> ran{0};
  for (int i = 0; i < 100; ++i)
    ms::task([&ran, i] {
      ++ran;
      if (i == 0) throw std::logic_error("first");
    });
  EXPECT_THROW(ms::wait(), std::logic_error);
  EXPECT_EQ(ran, 100);
}

TEST_P(Tasks, AGroupIsWaitedForByItself) {
  std::atomic<int> in_group{0};
  std::atomic<int> outside{0};
  ms::group g;
  for (int i = 0; i < 100; ++i) {
    g.task([&] { ++in_group; });
    ms::task([&] { ++outside; });
  }
  g.wait();
  EXPECT_EQ(in_group, 100);
  ms::wait();
  EXPECT_EQ(outside, 100);
}

TEST_P(Tasks, AGroupsDestructorWaitsWhileAnExceptionUnwinds) {
  std::atomic<int> ran{0};
  ms::task([&] {
    std::vector<int> local(100, 1);
    ms::group g;
    for (int i = 0; i < 100; ++i)
      g.task([&, i] {
        std::this_thread::yield();
        ran += local[static_cast<std::size_t>(i)];
      });
    throw std::runtime_error("unwinding");
  });
  EXPECT_THROW(ms::wait(), std::runtime_error);
  EXPECT_EQ(ran, 100);
}

TEST_P(Tasks, WhatAGroupsDestructorFindsGoesToTheNextCoveringWait) {
  {
    ms::group g;
    g.task([] { throw std::out_of_range("lost"); });
  }
  EXPECT_THROW(ms::wait(), std::out_of_range);
}

TEST_P(Tasks, TheExceptionStateGoesWithASuspendedTask) {
  std::atomic<int> wrong{0};
  for (int i = 0; i < 50; ++i)
    ms::task([&wrong, i] {
      try {
        throw std::runtime_error(std::to_string(i));
      } catch (const std::runtime_error& e) {
        for (int k = 0; k < 3; ++k) ms::task([] { std::this_thread::yield(); });
        ms::wait();
        try {
          throw;
        } catch (const std::runtime_error& again) {
          if (again.what() != std::to_string(i) || std::uncaught_exceptions() != 0) ++wrong;
        }
      }
    });
  ms::wait();
  EXPECT_EQ(wrong, 0);
}

TEST_P(Tasks, TheWindowBoundsTasksInFlight) {
  // A hundred thousand at once would take tens of megabytes; the creator runs some itself instead.
  std::atomic<int> ran{0};
  for (int i = 0; i < 100'000; ++i) ms::task([&ran] { ++ran; });
  ms::wait();
  EXPECT_EQ(ran, 100'000);
}

TEST_P(Tasks, AMutexMayBeHeldAcrossAWait) {
  ms::mutex lock;
  int inside = 0;
  int most = 0;
  for (int i = 0; i < 40; ++i)
    ms::task([&] {
      lock.lock();
      most = std::max(most, ++inside);
      for (int k = 0; k < 4; ++k) ms::task([] { std::this_thread::yield(); });
      ms::wait();
      --inside;
      lock.unlock();
    });
  ms::wait();
  EXPECT_EQ(most, 1);
}

// What is in flight may wait for the mutex, so its holder waits for none of it when it creates more.
TEST_P(Tasks, AMutexMayBeHeldWhileMoreIsCreatedThanTheWindowHolds) {
  constexpr int more = 6000;
  ms::mutex lock;
  int x = 0;
  ms::task(
      [&](ms::view<int> v) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        const std::lock_guard held(lock);
        ++v[0];
      },
      ms::inout(x));
  {
    const std::lock_guard held(lock);
    for (int i = 0; i < more; ++i) ms::task([](ms::view<int> v) { ++v[0]; }, ms::inout(x));
  }
  ms::wait();
  EXPECT_EQ(x, more + 1);
}

TEST_P(Tasks, ForeignThreadsMayCallIn) {
  std::atomic<int> ran{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) ms::task([&] { ++ran; });
      ms::wait();
      ms::parallel_for(0, 1000, [&](ms::range r) { ran += static_cast<int>(r.size()); });
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(ran, 4 * 1200);
}

TEST_P(Tasks, AThreadThatEndsWaitsForItsTasks) {
  std::atomic<int> ran{0};
  std::thread([&] {
    for (int i = 0; i < 100; ++i)
      ms::task([&] {
        std::this_thread::yield();
        ++ran;
      });
  }).join();
  EXPECT_EQ(ran, 100);
}

MASLIN_ON_EVERY_EXECUTOR(Tasks);
