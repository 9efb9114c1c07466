// Every order of the operations on a node's table: lending, borrowing, taking back, taking over from the dead.

#include <gtest/gtest.h>

#include <array>

#include "exec/node/member.hpp"
#include "well.hpp"

namespace maslin::node {

void wake_sleepers(explorer::atomic<std::uint32_t>& bell) { bell.notify_all(); }

namespace {

using explorer::explore;
using explorer::fail;
using explorer::scenario;

constexpr int most_members = 3;

/// Two CPUs: the first belongs to member 0, the second to member 1.
struct node_of_two : scenario {
  std::array<slot, most_members> slots;
  std::array<shared_cpu, 2> cpus;

  member make(int number) {
    rights may;
    may.home.assign(2, false);
    if (number < 2) may.home[static_cast<std::size_t>(number)] = true;
    may.reach.assign(2, true);
    may.own = 1;
    may.most = 2;
    slots[static_cast<std::size_t>(number)].process.store(static_cast<std::uint32_t>(number) + 1);
    slots[static_cast<std::size_t>(number)].affinity.store(static_cast<std::uint64_t>(number));
    member made({slots.data(), cpus.data(), most_members, 2}, number, may);
    made.claim();
    return made;
  }
};

/// One lends and takes back while two others borrow and give back.
struct trade : node_of_two {
  member owner = make(0);
  member second = make(1);
  member third = make(2);
  enum mistake { none, a_cpu_is_torn };
  explicit trade(mistake m) {
    if (m == a_cpu_is_torn) tear(cpus[0]);
    threads.push_back([this] {
      owner.lend_down_to(0);
      if (owner.regain() != 1 || !owner.holds(0)) fail("its CPU is not in its owner's use");
    });
    threads.push_back([this] {
      second.borrow_up_to(2);
      second.lend_down_to(1);
      if (!second.holds(1)) fail("it gave its own CPU, though it had borrowed another");
    });
    threads.push_back([this] {
      third.borrow_up_to(1);
      third.lend_down_to(0);
    });
  }
  void check() override {
    if (cpus[0].look() != cpu_state{true, 0, 0} || cpus[1].look() != cpu_state{true, 1, 1}) fail("a CPU is lost");
    if (slots[1].taken.load() + slots[2].taken.load() > 1) fail("a CPU was taken twice");
  }
};

TEST(Interleavings, WhatIsLentComesBackWhoeverBorrowedIt) {
  expect_well(explore([] { return std::make_unique<trade>(trade::none); }, 3));
  EXPECT_NE(explore([] { return std::make_unique<trade>(trade::a_cpu_is_torn); }, 3).failure, "");
}

/// One that looks for a CPU and sleeps until it has one, and one that lends.
struct search : node_of_two {
  member lender = make(0);
  member hungry = make(1);
  explicit search(bool careful) {
    threads.push_back([this] { lender.lend_down_to(0); });
    threads.push_back([this, careful] {
      if (!careful && hungry.borrow_up_to(2) == 2) return;
      hungry.hunger(true);
      for (bool first = true;; first = false) {
        const std::uint32_t bell = hungry.mine().bell.load();
        if ((careful || !first) && hungry.borrow_up_to(2) == 2) return;
        hungry.mine().bell.wait(bell);
      }
    });
  }
  void check() override {
    if (!hungry.holds(0)) fail("the CPU was not found");
  }
};

TEST(Interleavings, WhoLooksForACpuIsToldOfIt) {
  expect_well(explore([] { return std::make_unique<search>(true); }, 4));
}

TEST(Interleavings, WhoLooksBeforeSayingThatItIsHungryMissesACpu) {
  EXPECT_NE(explore([] { return std::make_unique<search>(false); }, 3).failure, "");
}

/// Member 0 was killed while it used its CPU and had borrowed the other; one takes it out while its owner takes its own
/// back.
struct funeral : node_of_two {
  member dead = make(0);
  member owner = make(1);
  member other = make(2);
  enum mistake { none, the_cpus_are_torn };
  explicit funeral(mistake m) {
    if (m == the_cpus_are_torn) tear(cpus);
    owner.lend_down_to(0);
    dead.borrow_up_to(2);
    slots[0].process.store(0);
    threads.push_back([this] {
      other.forget(0);
      other.borrow_up_to(2);
    });
    threads.push_back([this] {
      owner.regain();
      owner.borrow_up_to(2);
    });
  }
  void check() override {
    for (const shared_cpu& c : cpus)
      if (c.look().owner == 0 || c.look().user == 0) fail("the dead one is still there");
    if (!owner.holds(1)) fail("the owner's CPU is lost");
    if (cpus[0].look().user == nobody) fail("nobody uses what the dead one had");
  }
};

TEST(Interleavings, TheCpusOfTheDeadAreTakenOver) {
  expect_well(explore([] { return std::make_unique<funeral>(funeral::none); }, 5));
  EXPECT_NE(explore([] { return std::make_unique<funeral>(funeral::the_cpus_are_torn); }, 5).failure, "");
}

}  // namespace
}  // namespace maslin::node
