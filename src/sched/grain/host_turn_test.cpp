#include "sched/grain/host_turn.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>
#include "base/settings.hpp"

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

TEST(HostTurn, NativeGivesTheSliceToTheNextThoughItWouldOnlySpin) {
  const auto next = turn(host_policy::native, {done_at(never), done_at(1)}, 5);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->thread, 0u);
  EXPECT_EQ(next->when, 5);
}

TEST(HostTurn, WhoIsAwayHasNoTurn) {
  for (const host_policy policy : {host_policy::edtlp, host_policy::native}) {
    host_thread away = done_at(1);
    away.away = true;
    const auto next = turn(policy, {away, done_at(2)}, 5);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->thread, 1u);
    EXPECT_FALSE(turn(policy, {away}, 5));
  }
}

/// Chooses among threads that begin to poll at 100, a switch taking 2.
std::optional<host_turn> poll(host_policy policy, const std::vector<host_thread>& threads, std::int64_t apart = 2) {
  std::vector<const host_thread*> all;
  for (const host_thread& t : threads) all.push_back(&t);
  return next_poll(policy, all, {.first = 100, .apart = apart});
}

void expect_turn(const std::optional<host_turn>& found, std::size_t thread, std::int64_t when) {
  ASSERT_TRUE(found);
  EXPECT_EQ(found->thread, thread);
  EXPECT_EQ(found->when, when);
}

constexpr auto yield = host_policy::yield_if_not_ready;
constexpr auto adaptive = host_policy::adaptive;

TEST(HostTurn, WhoPollsAloneSeesItsKernelAtOnce) {
  expect_turn(poll(yield, {done_at(90)}), 0, 100);
  expect_turn(poll(yield, {done_at(107)}), 0, 107);
  EXPECT_FALSE(poll(yield, {done_at(never)}));
}

TEST(HostTurn, YieldPassesOverWhoIsNotReadyAtTheCostOfASwitchEach) {
  expect_turn(poll(yield, {done_at(never), done_at(103), done_at(90)}), 2, 104);
}

TEST(HostTurn, AKernelThatIsDoneInTheMiddleOfARoundWaitsForItsThreadsPoll) {
  expect_turn(poll(yield, {done_at(107), done_at(never)}), 0, 108);
  expect_turn(poll(yield, {done_at(105), done_at(never)}), 0, 108);
  expect_turn(poll(yield, {done_at(never), done_at(107), done_at(never), done_at(never)}), 1, 110);
  expect_turn(poll(yield, {done_at(never), done_at(103), done_at(never), done_at(never)}), 1, 110);
  expect_turn(poll(yield, {done_at(101), done_at(107)}), 0, 104);
}

TEST(HostTurn, WhoIsPolledFirstGoesOnThoughAnothersKernelWasDoneBefore) {
  expect_turn(poll(yield, {done_at(101), done_at(never), done_at(104)}), 2, 104);
  expect_turn(poll(yield, {done_at(104), done_at(103), done_at(103), done_at(103)}), 2, 104);
}

TEST(HostTurn, KernelsThatAreDoneTogetherGoByTheOrderOfTurns) {
  expect_turn(poll(yield, {done_at(100), done_at(100)}), 0, 100);
  expect_turn(poll(yield, {done_at(103), done_at(103), done_at(103)}), 2, 104);
}

TEST(HostTurn, WhereASwitchTakesNoTimeTheEarliestIsSeenAtOnce) {
  expect_turn(poll(yield, {done_at(never), done_at(107), done_at(103)}, 0), 2, 103);
  expect_turn(poll(yield, {done_at(never), done_at(103), done_at(103)}, 0), 1, 103);
}

TEST(HostTurn, WhoIsAwayIsNotPolled) {
  host_thread away = done_at(90);
  away.away = true;
  expect_turn(poll(yield, {away, done_at(107), away}), 1, 107);
  expect_turn(poll(yield, {away, done_at(107), away, done_at(101)}), 3, 102);
  EXPECT_FALSE(poll(yield, {away, away}));
  EXPECT_FALSE(poll(adaptive, {away, away}));
}

TEST(HostTurn, AKernelIsSeenLessThanASwitchForEachThreadAfterItIsDone) {
  for (const std::int64_t count : {2, 4, 8}) {
    std::vector<host_thread> threads(static_cast<std::size_t>(count), done_at(never));
    std::int64_t latest = 0;
    for (std::int64_t done = 120; done < 120 + 2 * count; ++done) {
      threads.back().ready_at = done;
      latest = std::max(latest, poll(yield, threads)->when - done);
    }
    EXPECT_EQ(latest, 2 * count - 1);
  }
}

/// Gives numbers below `below`, the same ones every time.
struct numbers {
  std::uint64_t state = 1;
  std::int64_t next(std::uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>((state >> 33) % below);
  }
};

TEST(HostTurn, TheComputedPollIsTheOneThatPollingOneByOneFinds) {
  numbers any;
  for (const std::size_t count : {1u, 2u, 4u, 8u})
    for (const host_policy policy : {yield, adaptive})
      for (int run = 0; run < 500; ++run) {
        const std::int64_t apart = 1 + any.next(7);
        std::vector<host_thread> threads(count);
        for (host_thread& t : threads) {
          t.away = any.next(4) == 0;
          t.ready_at = any.next(5) == 0 ? never : 90 + any.next(60);
          t.expected = 90 + any.next(60);
        }
        std::vector<const host_thread*> all, present;
        for (const host_thread& t : threads) all.push_back(&t);
        for (const host_thread& t : threads)
          if (!t.away) present.push_back(&t);
        const host_thread* found = nullptr;
        std::int64_t at = 100;
        for (std::size_t i = 0; !present.empty() && !found && at < 300; ++i) {
          const host_thread* t = present[i % present.size()];
          if (t->ready_at <= at || spins(policy, *t, all))
            found = t;
          else
            at += present.size() == 1 ? 1 : apart;
        }
        const auto turn = next_poll(policy, all, {.first = 100, .apart = apart});
        ASSERT_EQ(turn.has_value(), found != nullptr);
        if (!turn) continue;
        EXPECT_EQ(all[turn->thread], found);
        EXPECT_EQ(turn->when, at);
      }
}

TEST(HostTurn, PollsThatLieBehindNeedNotBeMade) {
  for (const std::int64_t present : {2, 4, 8})
    for (std::int64_t now = 90; now < 130; ++now) {
      polling p{.first = 100, .apart = 3};
      std::int64_t first = 100, polls = 0;
      for (; first < now; first += 3) ++polls;
      EXPECT_EQ(skip_polls(p, present, now), polls);
      EXPECT_EQ(p.first, first);  // a poll at that very time is still to come
    }
  polling alone{.first = 100, .apart = 3};
  EXPECT_EQ(skip_polls(alone, 1, 100), 0);
  EXPECT_EQ(alone.first, 100);
  EXPECT_EQ(skip_polls(alone, 1, 101), 1);
  EXPECT_EQ(alone.first, 104);  // it yields to who has come, which takes a switch
}

/// A thread that has sent a kernel, which is not known to be done.
host_thread off_loaded(std::int64_t when, std::int64_t length_before) {
  host_thread t{.last_length = length_before};
  t.off_loads(when);
  return t;
}

TEST(HostTurn, AdaptiveSpinsOnlyWhereTheOwnKernelIsExpectedFirst) {
  const host_thread soon = off_loaded(10, 5), late = off_loaded(2, 50);
  const std::vector<const host_thread*> both{&soon, &late};
  EXPECT_TRUE(spins(adaptive, soon, both));
  EXPECT_FALSE(spins(adaptive, late, both));
  EXPECT_FALSE(spins(yield, soon, both));
  EXPECT_TRUE(spins(host_policy::native, late, both));
}

TEST(HostTurn, AdaptiveSpinsForNobodyWhereOneCanGoOnAtOnce) {
  const host_thread waits = off_loaded(10, 5), back;
  const std::vector<const host_thread*> both{&waits, &back};
  EXPECT_FALSE(spins(adaptive, waits, both));
}

TEST(HostTurn, AdaptivePollsUntilItComesToWhoIsExpectedFirst) {
  for (const std::size_t count : {1u, 2u, 4u, 8u}) {
    std::vector<host_thread> threads;
    for (std::size_t i = 0; i < count; ++i) threads.push_back(off_loaded(90, i + 1 == count ? 20 : 30));
    expect_turn(poll(adaptive, threads), count - 1, 100 + 2 * (static_cast<std::int64_t>(count) - 1));
  }
  expect_turn(poll(adaptive, {off_loaded(90, 20), off_loaded(80, 30)}), 0, 100);  // both at 110: who is polled first
  expect_turn(poll(adaptive, {off_loaded(90, 30), done_at(101), off_loaded(90, 10)}), 1, 102);
}

TEST(HostTurn, WhatAKernelTookCountsFromTheNextOffLoadOn) {
  host_thread t = off_loaded(100, 0);
  EXPECT_EQ(t.expected, 100);
  t.last_length = 40;  // it is done; only the thread itself can see that
  EXPECT_EQ(t.expected, 100);
  t.off_loads(200);
  EXPECT_EQ(t.expected, 240);
}

TEST(HostTurn, PoliciesHaveTheNamesOfTheSetting) {
  const base::known_setting names = "MASLIN_HOST";
  EXPECT_EQ(base::find_word(names, "edtlp"), static_cast<std::size_t>(host_policy::edtlp));
  EXPECT_EQ(base::find_word(names, "yield"), static_cast<std::size_t>(host_policy::yield_if_not_ready));
  EXPECT_EQ(base::find_word(names, "adaptive"), static_cast<std::size_t>(host_policy::adaptive));
  EXPECT_EQ(base::find_word(names, "native"), static_cast<std::size_t>(host_policy::native));
}

}  // namespace
}  // namespace maslin::grain
