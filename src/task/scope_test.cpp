#include "task/scope.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "task/os_waiter.hpp"

namespace maslin {
namespace {

std::string text(const std::exception_ptr& what) {
  try {
    std::rethrow_exception(what);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
}

std::exception_ptr failure(const std::string& what) { return std::make_exception_ptr(std::runtime_error(what)); }

TEST(Scope, IsQuietWhenItsMembersAreDone) {
  scope s(nullptr);
  EXPECT_TRUE(s.quiet());
  s.enter(3);
  EXPECT_EQ(s.in_flight(), 3);
  EXPECT_FALSE(s.leave(2));
  EXPECT_FALSE(s.quiet());
  EXPECT_FALSE(s.leave());
  EXPECT_TRUE(s.quiet());
}

TEST(Scope, TheLastToLeaveIsToldWhenTheScopeIsClosed) {
  scope s(nullptr);
  s.enter(2);
  EXPECT_FALSE(s.leave());
  EXPECT_FALSE(s.close());
  EXPECT_TRUE(s.leave());
}

TEST(Scope, ClosingAfterTheLastMemberTellsTheCloser) {
  scope s(nullptr);
  EXPECT_TRUE(scope(nullptr).close());
  s.enter();
  EXPECT_FALSE(s.leave());
  EXPECT_TRUE(s.close());
}

TEST(Scope, GivesPlacesInProgramOrder) {
  for (const auto who : {scope::creators::one, scope::creators::many}) {
    scope s(nullptr, who);
    EXPECT_EQ(s.enter(), 0u);
    EXPECT_EQ(s.enter(5), 1u);
    EXPECT_EQ(s.created(), 6u);
    EXPECT_EQ(s.enter(), 6u);
  }
}

TEST(Scope, OneMayWaitUntilSomeAreLeft) {
  for (int round = 0; round < 300; ++round) {
    scope s(nullptr);
    s.enter(10);
    std::thread others([&] {
      for (int i = 0; i < 6; ++i) s.leave();
    });
    s.await(os_waiter::mine(), 4);
    EXPECT_EQ(s.in_flight(), 4);
    others.join();
    s.enter(2);
    std::thread rest([&] { s.leave(6); });
    s.await(os_waiter::mine());
    EXPECT_TRUE(s.quiet());
    rest.join();
  }
}

TEST(Scope, ErrorsComeBackInProgramOrderWithThoseOfMembersInTheirPlace) {
  scope s(nullptr);
  error_list of_member;
  of_member.add(9, failure("3b"));
  of_member.add(2, failure("3a"));
  s.add_error(7, failure("7"));
  s.add_errors(3, std::move(of_member));
  s.add_error(1, failure("1"));
  std::vector<std::string> order;
  s.take_errors().take_each([&](const std::exception_ptr& e) { order.push_back(text(e)); });
  EXPECT_EQ(order, (std::vector<std::string>{"1", "3a", "3b", "7"}));
  EXPECT_FALSE(s.has_errors());
}

// The race that `leave` must survive: the waiter sees the scope quiet and destroys it while the last member is leaving.
TEST(Scope, MayBeDestroyedAsSoonAsItIsSeenQuiet) {
  for (int round = 0; round < 3'000; ++round) {
    auto s = std::make_unique<scope>(nullptr);
    s->enter(2);
    std::thread a([&] { s->leave(); });
    std::thread b([&] { s->leave(); });
    if (round % 2) {
      s->await(os_waiter::mine());
    } else {
      while (!s->quiet()) std::this_thread::yield();
    }
    EXPECT_TRUE(s->quiet());
    a.join();
    b.join();
  }
}

TEST(Scope, SeveralMayAwaitIt) {
  for (int round = 0; round < 300; ++round) {
    scope s(nullptr, scope::creators::many);
    s.enter();
    std::atomic<int> awake{0};
    std::vector<std::thread> waiters;
    for (int i = 0; i < 3; ++i)
      waiters.emplace_back([&] {
        s.await(os_waiter::mine());
        ++awake;
      });
    std::this_thread::yield();
    s.leave();
    for (auto& w : waiters) w.join();
    EXPECT_EQ(awake, 3);
  }
}

}  // namespace
}  // namespace maslin
