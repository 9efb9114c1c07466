#include "sched/grain/host_turn.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace maslin::grain {
namespace {

constexpr auto never = host_thread::never;

/// Threads in the order of turns, by when their kernels are done.
std::optional<host_turn> turn(host_policy policy, const std::vector<host_thread>& threads, std::int64_t now) {
  std::vector<const host_thread*> all;
  for (const host_thread& t : threads) all.push_back(&t);
  return next_turn(policy, all, now);
}

host_thread done_at(std::int64_t when) { return {.ready_at = when}; }

TEST(HostTurn, EdtlpWaitsForWhoseTurnItIs) {
  const auto known = turn(host_policy::edtlp, {done_at(9), done_at(1)}, 5);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->thread, 0u);
  EXPECT_EQ(known->when, 9);
  EXPECT_FALSE(turn(host_policy::edtlp, {done_at(never), done_at(1)}, 5));
}

TEST(HostTurn, YieldPassesOverWhoIsNotReadyAtTheCostOfASwitchEach) {
  const auto next = turn(host_policy::yield_if_not_ready, {done_at(never), done_at(9), done_at(4)}, 5);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->thread, 2u);
  EXPECT_EQ(next->when, 5);
  EXPECT_EQ(next->switches, 3);
}

TEST(HostTurn, YieldWaitsForTheEarliestIfNobodyIsReady) {
  const auto next = turn(host_policy::yield_if_not_ready, {done_at(never), done_at(9), done_at(7)}, 5);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->thread, 2u);
  EXPECT_EQ(next->when, 7);
}

TEST(HostTurn, NativeGivesTheSliceToTheNextThoughItWouldOnlySpin) {
  const auto next = turn(host_policy::native, {done_at(never), done_at(1)}, 5);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->thread, 0u);
  EXPECT_EQ(next->when, 5);
}

TEST(HostTurn, WhoIsAwayHasNoTurn) {
  for (const host_policy policy :
       {host_policy::edtlp, host_policy::yield_if_not_ready, host_policy::adaptive, host_policy::native}) {
    host_thread away = done_at(1);
    away.away = true;
    const auto next = turn(policy, {away, done_at(2)}, 5);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->thread, 1u);
    EXPECT_FALSE(turn(policy, {away}, 5));
  }
}

TEST(HostTurn, AdaptiveSpinsOnlyWhereTheOwnKernelIsExpectedFirst) {
  host_thread soon = {.ready_at = never, .off_loaded_at = 10, .last_length = 5};
  host_thread late = {.ready_at = never, .off_loaded_at = 2, .last_length = 50};
  const std::vector<const host_thread*> both{&soon, &late};
  EXPECT_TRUE(spins(host_policy::adaptive, soon, both));
  EXPECT_FALSE(spins(host_policy::adaptive, late, both));
  EXPECT_FALSE(spins(host_policy::yield_if_not_ready, soon, both));
  EXPECT_TRUE(spins(host_policy::native, late, both));
}

TEST(HostTurn, NamesAreRead) {
  EXPECT_EQ(parse_host_policy("adaptive"), host_policy::adaptive);
  EXPECT_FALSE(parse_host_policy("Linux"));
}

}  // namespace
}  // namespace maslin::grain
