#include "exec/fiber/fiber.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <cfenv>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sanitized.hpp"

namespace maslin {
namespace {

void nothing(void*) {}

struct ping_pong {
  fiber here;
  fiber* there = nullptr;
  std::vector<std::string> said;

  static void body(void* argument) {
    auto& p = *static_cast<ping_pong*>(argument);
    for (int i = 0;; ++i) {
      p.said.push_back("there " + std::to_string(i));
      fiber::switch_to(*p.there, p.here, nothing, nullptr);
    }
  }
};

TEST(Fiber, GoesOnWhereItWasLeft) {
  ping_pong p;
  fiber_stacks stacks(64 * 1024);
  fiber there(stacks.take(), ping_pong::body, &p);
  p.there = &there;
  for (int i = 0; i < 3; ++i) {
    p.said.push_back("here " + std::to_string(i));
    fiber::switch_to(p.here, there, nothing, nullptr);
  }
  EXPECT_EQ(p.said, (std::vector<std::string>{"here 0", "there 0", "here 1", "there 1", "here 2", "there 2"}));
}

struct rounder {
  fiber here;
  fiber* there = nullptr;
  std::vector<int> seen;

  static void body(void* argument) {
    auto& r = *static_cast<rounder*>(argument);
    for (const int mode : {FE_DOWNWARD, FE_TOWARDZERO}) {
      r.seen.push_back(std::fegetround());
      std::fesetround(mode);
      fiber::switch_to(*r.there, r.here, nothing, nullptr);
    }
  }
};

TEST(Fiber, KeepsItsRoundingModeAndBeginsUnderTheUsualOne) {
  rounder r;
  fiber_stacks stacks(64 * 1024);
  std::fesetround(FE_UPWARD);
  fiber there(stacks.take(), rounder::body, &r);
  r.there = &there;
  for (int i = 0; i < 2; ++i) {
    fiber::switch_to(r.here, there, nothing, nullptr);
    r.seen.push_back(std::fegetround());
  }
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(r.seen, (std::vector<int>{FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_UPWARD}));
}

struct thrower {
  fiber here;
  fiber* there = nullptr;
  int uncaught = -1;
  std::string current;

  static void body(void* argument) {
    auto& t = *static_cast<thrower*>(argument);
    try {
      throw std::runtime_error("over there");
    } catch (const std::runtime_error&) {
      fiber::switch_to(*t.there, t.here, nothing, nullptr);
      try {
        throw;
      } catch (const std::runtime_error& e) {
        t.current = e.what();
        t.uncaught = std::uncaught_exceptions();
      }
    }
    fiber::switch_to(*t.there, t.here, nothing, nullptr);
  }
};

TEST(Fiber, TakesItsExceptionStateAlong) {
  thrower t;
  fiber_stacks stacks(64 * 1024);
  fiber there(stacks.take(), thrower::body, &t);
  t.there = &there;
  fiber::switch_to(t.here, there, nothing, nullptr);
  EXPECT_EQ(std::current_exception(), nullptr) << "the exception that is being handled is the other fiber's";
  try {
    throw std::runtime_error("over here");
  } catch (const std::runtime_error&) {
    fiber::switch_to(t.here, there, nothing, nullptr);
    EXPECT_NE(std::current_exception(), nullptr);
  }
  EXPECT_EQ(t.current, "over there");
  EXPECT_EQ(t.uncaught, 0);
}

TEST(Fiber, WhatFollowsTheSwitchRunsAfterTheStackIsLeft) {
  ping_pong p;
  fiber_stacks stacks(64 * 1024);
  fiber there(stacks.take(), ping_pong::body, &p);
  p.there = &there;
  fiber::switch_to(
      p.here, there, [](void* said) { static_cast<std::vector<std::string>*>(said)->push_back("after"); }, &p.said);
  EXPECT_EQ(p.said, (std::vector<std::string>{"after", "there 0"}));
}

/// Gives what the process has mapped, by the kernel's count of mappings.
long mappings() {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  long count = 0;
  while (std::getline(maps, line)) ++count;
  return count;
}

TEST(FiberStacks, TakeNoMappingsOnceTheGuardsAreSpent) {
  if (sanitized) GTEST_SKIP() << "a sanitizer has mappings of its own; the plain builds run this";
  for (const bool light : {true, false}) {
    fiber_stacks stacks(64 * 1024, 10, light);
    std::vector<fiber_stack> all;
    for (int i = 0; i < 100; ++i) all.push_back(stacks.take());
    const long before = mappings();
    for (int i = 0; i < 2000; ++i) all.push_back(stacks.take());
    EXPECT_LE(mappings(), before + 20) << "a slab each time that the last one is full";
    for (const fiber_stack& s : all) {
      s.bottom[0] = 1;
      s.top()[-1] = 1;
      EXPECT_TRUE(s.has_guard || s.is_intact());
      EXPECT_TRUE(stacks.contains(s.bottom));
    }
    EXPECT_FALSE(stacks.contains(&stacks));
  }
}

TEST(FiberStacks, DoNotOverlap) {
  fiber_stacks stacks(64 * 1024, 40);
  std::vector<char*> bottoms;
  for (int i = 0; i < 500; ++i) bottoms.push_back(stacks.take().bottom);
  std::sort(bottoms.begin(), bottoms.end());
  for (std::size_t i = 1; i < bottoms.size(); ++i) EXPECT_GE(bottoms[i] - bottoms[i - 1], 128 * 1024);
}

TEST(FiberStacks, GiveTheMemoryBackOfWhatWasDeep) {
  if (sanitized) GTEST_SKIP() << "what is left on a stack may be poisoned there; the plain builds run this";
  fiber_stacks stacks(1 << 20);
  const fiber_stack s = stacks.take();
  const auto touched = [&] {
    std::vector<unsigned char> pages(s.bytes / 4096);
    EXPECT_EQ(mincore(s.bottom, s.bytes, pages.data()), 0);
    return std::count_if(pages.begin(), pages.end(), [](unsigned char page) { return page & 1; });
  };
  std::fill(s.top() - 10'000, s.top(), 1);
  s.return_memory();
  EXPECT_EQ(s.top()[-10'000], 1) << "it was not deep";
  std::fill(s.bottom, s.top(), 1);
  EXPECT_EQ(touched(), 256);
  s.return_memory();
  EXPECT_LE(touched(), 16 + 2) << "what is kept, and where it looks";
  EXPECT_EQ(s.top()[-10'000], 1) << "the next to run there finds it warm";
}

/// Runs on a fiber until its stack is full.
struct deep {
  static int dig(int depth) {
    volatile char room[1024] = {};
    return depth == 0 ? room[0] : dig(depth - 1) + room[1];
  }
  static void body(void*) { std::exit(dig(1'000'000)); }
};

TEST(FiberDeathTest, AStackThatOverflowsHitsItsGuard) {
  if (sanitized) GTEST_SKIP() << "the sanitizers report it in their own way; the plain builds run this";
  for (const std::size_t guards : {100, 0})
    EXPECT_EXIT(
        {
          fiber here;
          fiber_stacks stacks(64 * 1024, guards);
          fiber there(stacks.take(), deep::body, nullptr);
          if (!there.stack()->has_guard) raise(SIGSEGV);  // this system has no guard that is no mapping
          fiber::switch_to(here, there, nothing, nullptr);
        },
        testing::KilledBySignal(SIGSEGV), guards ? "too small for what runs on it.*MASLIN_STACK=64K" : "");
}

struct leaver {
  fiber here;
  fiber* there = nullptr;

  static void body(void* argument) {
    auto& l = *static_cast<leaver*>(argument);
    deep::dig(70);
    fiber::switch_to(*l.there, l.here, nothing, nullptr);
  }
};

TEST(FiberDeathTest, AStackWithoutAGuardIsFoundToBeTooSmallWhenItIsLeft) {
  if (sanitized) GTEST_SKIP() << "the sanitizers report it in their own way; the plain builds run this";
  EXPECT_EXIT(
      {
        leaver l;
        fiber_stacks stacks(64 * 1024, 0, false);
        fiber there(stacks.take(), leaver::body, &l);
        l.there = &there;
        fiber::switch_to(l.here, there, nothing, nullptr);
      },
      testing::KilledBySignal(SIGABRT), "too small for what runs on it.*It had no guard.*MASLIN_STACK=64K");
}

TEST(FiberDeathTest, AFaultElsewhereIsTheProgramsOwn) {
  if (sanitized) GTEST_SKIP() << "the sanitizers have handlers of their own; the plain builds run this";
  EXPECT_EXIT(
      {
        const fiber_stacks stacks(64 * 1024);
        raise(SIGSEGV);
      },
      testing::KilledBySignal(SIGSEGV), "^$");
  EXPECT_EXIT(
      {
        signal(SIGSEGV, [](int) { std::_Exit(5); });
        fiber_stacks stacks(64 * 1024);
        *static_cast<volatile char*>(nullptr) = 1;
      },
      testing::ExitedWithCode(5), "^$");
}

}  // namespace
}  // namespace maslin
