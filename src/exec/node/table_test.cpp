#include "exec/node/table.hpp"

#include <gtest/gtest.h>

#include <array>

#include "exec/node/member.hpp"

namespace maslin::node {
namespace {

/// A table in this process's memory.
struct small_table {
  std::array<slot, 4> slots;
  std::array<shared_cpu, 4> cpus;
  table view() { return {slots.data(), cpus.data(), 4, 4}; }

  /// A member that was started with CPUs [first, last).
  member join(int number, int first, int last, int own = 4, int most = 4) {
    rights may;
    may.home.assign(4, false);
    for (int c = first; c < last; ++c) may.home[static_cast<std::size_t>(c)] = true;
    may.reach.assign(4, true);
    may.own = own;
    may.most = most;
    slots[static_cast<std::size_t>(number)].process = static_cast<std::uint32_t>(number) + 1;
    slots[static_cast<std::size_t>(number)].affinity = static_cast<std::uint64_t>(first * 4 + last);
    member m(view(), number, may);
    m.claim();
    return m;
  }
  int used() const {
    int n = 0;
    for (const shared_cpu& c : cpus) n += c.look().user != nobody;
    return n;
  }
};

TEST(Table, WhoIsBoundToItsCpusOwnsThem) {
  small_table t;
  const member a = t.join(0, 0, 2);
  const member b = t.join(1, 2, 4);
  EXPECT_EQ(a.owned(), 2);
  EXPECT_EQ(b.owned(), 2);
  EXPECT_EQ(t.cpus[3].look(), (cpu_state{true, 1, 1}));
}

TEST(Table, ProcessesThatMayRunAnywhereShareEvenly) {
  small_table t;
  const member a = t.join(0, 0, 4);
  EXPECT_EQ(a.held(), 4);
  const member b = t.join(1, 0, 4);
  EXPECT_EQ(a.held(), 2);
  EXPECT_EQ(b.held(), 2);
  const member c = t.join(2, 0, 4);
  EXPECT_EQ(a.owned() + b.owned() + c.owned(), 4);
  EXPECT_EQ(c.owned(), 1);
  EXPECT_EQ(t.slots[0].taken + t.slots[1].taken, 3U) << "who loses a CPU is told";
}

TEST(Table, AQuotaThatIsSharedBoundsWhatTheJobBringsIn) {
  small_table t;
  const member a = t.join(0, 0, 4, 2);
  const member b = t.join(1, 0, 4, 2);
  EXPECT_EQ(t.used(), 2);
  EXPECT_EQ(a.owned(), 1);
  EXPECT_EQ(b.owned(), 1);
}

TEST(Table, WithMoreProcessesThanCpusSomeOwnNone) {
  small_table t;
  int owned[4];
  for (int i = 0; i < 4; ++i) owned[i] = t.join(i, 0, 2).owned();
  EXPECT_EQ(owned[1], 1);
  EXPECT_EQ(owned[2] + owned[3], 0);
}

TEST(Table, WhatIsLentCanBeBorrowedAndIsTakenBackAtOnce) {
  small_table t;
  member a = t.join(0, 0, 2);
  member b = t.join(1, 2, 4);
  EXPECT_EQ(b.borrow_up_to(4), 2) << "nothing is lent";
  b.hunger(true);
  const std::uint32_t bell = t.slots[1].bell;
  EXPECT_EQ(a.lend_down_to(0), 0);
  EXPECT_GT(t.slots[1].bell, bell) << "the hungry are told";
  EXPECT_EQ(b.borrow_up_to(3), 3);
  EXPECT_EQ(b.borrow_up_to(4), 4);
  EXPECT_EQ(a.regain(), 2);
  EXPECT_EQ(b.held(), 2);
  EXPECT_EQ(t.slots[1].taken, 2U);
  EXPECT_EQ(a.regain(), 2) << "a second time changes nothing";
  EXPECT_EQ(t.slots[1].taken, 2U);
}

TEST(Table, BorrowedCpusAreGivenBackBeforeOwnOnesAreLent) {
  small_table t;
  member a = t.join(0, 0, 2);
  member b = t.join(1, 2, 4);
  a.lend_down_to(0);
  b.borrow_up_to(4);
  EXPECT_EQ(b.lend_down_to(2), 2);
  EXPECT_TRUE(b.holds(2) && b.holds(3));
}

TEST(Table, NobodyUsesMoreThanItMay) {
  small_table t;
  member a = t.join(0, 0, 2);
  member b = t.join(1, 2, 4, 4, 3);
  a.lend_down_to(0);
  EXPECT_EQ(b.borrow_up_to(4), 3);
  EXPECT_EQ(b.possible(), 3);
}

TEST(Table, TheCpusOfWhoIsGoneAreUsedByOthers) {
  small_table t;
  member a = t.join(0, 0, 4);
  member b = t.join(1, 0, 4);
  a.lend_down_to(0);
  b.borrow_up_to(4);
  t.slots[0].process = 0;
  b.forget(0);
  EXPECT_EQ(b.held(), 4) << "who uses one goes on";
  EXPECT_EQ(b.owned(), 2);
  b.lend_down_to(0);
  EXPECT_EQ(b.borrow_up_to(4), 4);
  EXPECT_EQ(b.owned(), 4) << "they were started alike, so it inherits";
  const member c = t.join(2, 0, 4);
  EXPECT_EQ(c.owned(), 2);
}

TEST(Table, WhoLeavesLeavesNothing) {
  small_table t;
  member a = t.join(0, 0, 2);
  member b = t.join(1, 2, 4);
  a.lend_down_to(0);
  b.borrow_up_to(4);
  b.leave();
  EXPECT_EQ(t.used(), 0);
  EXPECT_EQ(a.regain(), 2);
  for (const shared_cpu& c : t.cpus) EXPECT_NE(c.look().owner, 1);
}

TEST(Table, TheStatesOfACpuAreAsTheReadmeSays) {
  shared_cpu c;
  EXPECT_FALSE(c.borrow(1)) << "it is absent";
  EXPECT_TRUE(c.bring(0));
  EXPECT_FALSE(c.bring(1));
  EXPECT_FALSE(c.borrow(1)) << "it is in use";
  EXPECT_FALSE(c.take_back(0)) << "it uses it already";
  EXPECT_TRUE(c.give(0));
  EXPECT_FALSE(c.give(0));
  EXPECT_TRUE(c.borrow(1));
  EXPECT_FALSE(c.take_back(1)) << "it is not its own";
  EXPECT_EQ(c.take_back(0)->user, 1);
  EXPECT_FALSE(c.give(1)) << "it was taken";
  EXPECT_TRUE(c.forget(0));
  EXPECT_FALSE(c.forget(0));
  EXPECT_EQ(c.acquire(nobody, 2)->owner, nobody);
  EXPECT_EQ(c.look(), (cpu_state{true, 2, 2}));
}

}  // namespace
}  // namespace maslin::node
