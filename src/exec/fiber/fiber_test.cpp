#include "exec/fiber/fiber.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "maslin/error.hpp"

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
  fiber there(64 * 1024, ping_pong::body, &p);
  p.there = &there;
  for (int i = 0; i < 3; ++i) {
    p.said.push_back("here " + std::to_string(i));
    fiber::switch_to(p.here, there, nothing, nullptr);
  }
  EXPECT_EQ(p.said, (std::vector<std::string>{"here 0", "there 0", "here 1", "there 1", "here 2", "there 2"}));
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
  fiber there(64 * 1024, thrower::body, &t);
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
  fiber there(64 * 1024, ping_pong::body, &p);
  p.there = &there;
  fiber::switch_to(
      p.here, there, [](void* said) { static_cast<std::vector<std::string>*>(said)->push_back("after"); }, &p.said);
  EXPECT_EQ(p.said, (std::vector<std::string>{"after", "there 0"}));
}

TEST(FiberDeathTest, AStackThatOverflowsHitsItsGuard) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizers report it in their own way; the plain builds run this";
#endif
  struct deep {
    static int dig(int depth) {
      volatile char room[1024] = {};
      return depth == 0 ? room[0] : dig(depth - 1) + room[1];
    }
    static void body(void*) { std::exit(dig(1'000'000)); }
  };
  EXPECT_DEATH(
      {
        fiber here;
        fiber there(64 * 1024, deep::body, nullptr);
        fiber::switch_to(here, there, nothing, nullptr);
      },
      "");
}

struct stack_setting {
  const char* text;
  std::size_t bytes;  // 0: an error
};

class StackBytes : public testing::TestWithParam<stack_setting> {};

TEST_P(StackBytes, AreReadFromTheEnvironment) {
  setenv("MASLIN_STACK", GetParam().text, 1);
  if (GetParam().bytes) {
    EXPECT_EQ(stack_bytes_from_environment(), GetParam().bytes);
  } else {
    try {
      stack_bytes_from_environment();
      ADD_FAILURE() << "no error";
    } catch (const error& e) {
      EXPECT_NE(std::string(e.what()).find(GetParam().text), std::string::npos) << e.what();
    }
  }
  unsetenv("MASLIN_STACK");
}

INSTANTIATE_TEST_SUITE_P(, StackBytes,
                         testing::Values(stack_setting{"", 1 << 20}, stack_setting{"65536", 65536},
                                         stack_setting{"256K", 256 << 10}, stack_setting{"2M", 2 << 20},
                                         stack_setting{"1K", 0}, stack_setting{"big", 0}, stack_setting{"-1", 0},
                                         stack_setting{"1G", 0}, stack_setting{"9999999M", 0},
                                         stack_setting{"5 M", 0}));

}  // namespace
}  // namespace maslin
