// Waiting for a scope, the end of a scope, the short lock.

#include <gtest/gtest.h>

#include <optional>

#include "base/lock.hpp"
#include "task/in_place_members.hpp"
#include "task/os_waiter.hpp"
#include "task/scope.hpp"

#include "well.hpp"

namespace maslin {
namespace {

using explorer::explore;
using explorer::fail;
using explorer::scenario;

/// A creator that waits for its members and takes the scope away at once, while they leave.
struct family : scenario {
  std::optional<scope> members;
  os_waiter creator;

  family(scope::creators who, std::uint64_t leavers, std::int64_t rest, bool is_torn = false) {
    members.emplace(nullptr, who);
    if (is_torn) tear(*members);
    members->enter(leavers);
    threads.push_back([this, rest] {
      members->await(creator, rest);
      if (members->in_flight() > rest) fail("it went on too early");
      if (rest == 0) members.reset();
    });
    for (std::uint64_t i = 0; i < leavers; ++i) threads.push_back([this] { members->leave(); });
  }
  void check() override {}
};

TEST(Interleavings, AScopeEndsWhenItsWaiterGoesOn) {
  for (const auto who : {scope::creators::one, scope::creators::many}) {
    expect_well(explore([=] { return std::make_unique<family>(who, 2, 0); }, 4));
    expect_well(explore([=] { return std::make_unique<family>(who, 3, 1); }, 3));
    EXPECT_NE(explore([=] { return std::make_unique<family>(who, 2, 0, true); }, 2).failure, "");
    EXPECT_NE(explore([=] { return std::make_unique<family>(who, 3, 1, true); }, 2).failure, "");
  }
}

/// A group of two members; the second is added meanwhile.
struct group_of_two : scenario {
  std::optional<scope> members;
  explorer::atomic<int> added{0};
  explorer::atomic<int> done{0};

  void add_second() {
    members->enter();
    added.store(1);
    added.notify_all();
  }
  void leave(int member) {
    done.fetch_or(member);
    if (members->leave()) fail("a group was finished");
  }
  void leave_second_by_another() {
    threads.push_back([this] {
      added.wait(0);
      leave(2);
    });
  }
};

/// A group for which two wait. One of them adds a member of its own first, which may be when the other's have just
/// gone. The last to go on takes the group away.
struct two_waiters : group_of_two {
  os_waiter first, second;
  explorer::atomic<int> waiting{2};

  explicit two_waiters(bool leaves_by_another, bool is_torn = false) {
    members.emplace(nullptr, scope::creators::many);
    if (is_torn) tear(*members);
    members->enter();
    threads.push_back([this] {
      members->await(first);
      if ((done.load() & 1) == 0) fail("the first went on too early");
      go();
    });
    threads.push_back([this, leaves_by_another] {
      add_second();
      if (!leaves_by_another) leave(2);
      members->await(second);
      if ((done.load() & 2) == 0) fail("the second went on too early");
      go();
    });
    threads.push_back([this] { leave(1); });
    if (leaves_by_another) leave_second_by_another();
  }
  void go() {
    if (waiting.fetch_sub(1) == 1) members.reset();
  }
  void check() override {}
};

TEST(Interleavings, AGroupMayHaveSeveralWaiters) {
  expect_well(explore([] { return std::make_unique<two_waiters>(false); }, 4));
  expect_well(explore([] { return std::make_unique<two_waiters>(true); }, 3));
  for (const bool leaves_by_another : {false, true})
    EXPECT_NE(explore([=] { return std::make_unique<two_waiters>(leaves_by_another, true); }, 2).failure, "");
}

/// A group whose creator runs a member itself, and inside that another, while somebody else, who was told of the first,
/// waits for the group and takes it away; beside them a member of a third.
struct counted_by_its_creator : scenario {
  std::optional<scope> members;
  os_waiter other;
  explorer::atomic<int> told{0};
  explorer::atomic<int> done{0};

  counted_by_its_creator(bool nests, bool looks_once, bool is_torn) {
    members.emplace(nullptr, scope::creators::one);
    if (is_torn) tear(*members);
    members->enter_beside();
    threads.push_back([this, nests] {
      members->enter();
      told.store(1);
      told.notify_all();
      if (nests) {
        members->enter();
        if (members->leave()) fail("a group was finished");
      }
      done.fetch_or(1);
      if (members->leave()) fail("a group was finished");
    });
    threads.push_back([this] {
      done.fetch_or(2);
      if (members->leave()) fail("a group was finished");
    });
    threads.push_back([this, looks_once] {
      told.wait(0);
      do members->await(other);
      while (!looks_once && members->in_flight() > 0);
      if (done.load() != 3) fail("it went on too early");
      members.reset();
    });
  }
  void check() override {}
};

TEST(Interleavings, WhatAGroupsCreatorRunsItselfIsWaitedForByOthers) {
  for (const bool nests : {false, true})
    expect_well(explore([=] { return std::make_unique<counted_by_its_creator>(nests, false, false); }, 3));
  EXPECT_NE(explore([] { return std::make_unique<counted_by_its_creator>(true, true, false); }, 3).failure, "");
  EXPECT_NE(explore([] { return std::make_unique<counted_by_its_creator>(true, false, true); }, 3).failure, "");
}

/// The same where the creator counts them without a locked instruction; it looks at nothing of the group after the end.
struct run_by_its_creator : scenario {
  enum class mistake { none, looks_before_the_end, is_content_with_one };

  const scope group{nullptr};
  explorer::atomic<bool> any{false}, none{false};
  in_place_waits waits{any};
  std::optional<in_place_members> members;
  std::vector<std::unique_ptr<os_waiter>> others;
  explorer::atomic<int> told{0};
  explorer::atomic<int> done{0};
  explorer::atomic<int> waiting;

  run_by_its_creator(bool nests, int waiters, mistake which) : waiting(waiters) {
    members.emplace();
    threads.push_back([this, nests, which] {
      members->begin();
      told.store(1);
      told.notify_all();
      if (nests) {
        members->begin();
        end(any);
      }
      done.store(1);
      if (which != mistake::looks_before_the_end) return end(any);
      const bool is_awaited = any.load();
      const in_place_members* const name = &*members;
      end(none);
      if (is_awaited) waits.wake(name);
    });
    for (int i = 0; i < waiters; ++i) {
      os_waiter& me = *others.emplace_back(std::make_unique<os_waiter>());
      threads.push_back([this, which, &me] {
        told.wait(0);
        do waits.await(*members, me, group);
        while (which != mistake::is_content_with_one && !members->are_over());
        if (done.load() != 1) fail("it went on too early");
        if (waiting.fetch_sub(1) == 1) members.reset();
      });
    }
  }
  void end(const explorer::atomic<bool>& awaited) {
    members->end(awaited, [this](const in_place_members* of) { waits.wake(of); });
  }
  void check() override {
    if (any.load()) fail("somebody waits for ever");
  }
};

TEST(Interleavings, WhoWaitsForMembersThatTheCreatorRunsIsWoken) {
  using enum run_by_its_creator::mistake;
  for (const bool nests : {false, true}) {
    expect_well(explore([=] { return std::make_unique<run_by_its_creator>(nests, 1, none); }, 4));
    expect_well(explore([=] { return std::make_unique<run_by_its_creator>(nests, 2, none); }, 3));
  }
  EXPECT_NE(explore([] { return std::make_unique<run_by_its_creator>(false, 1, looks_before_the_end); }, 2).failure,
            "");
  EXPECT_NE(explore([] { return std::make_unique<run_by_its_creator>(true, 1, is_content_with_one); }, 2).failure, "");
}

/// The same group where its creator waits, too, having created another member meanwhile, and nobody takes it away.
struct creator_waits_too : group_of_two {
  os_waiter creator, other;
  explorer::atomic<int> told{0};

  explicit creator_waits_too(bool is_torn = false) {
    members.emplace(nullptr, scope::creators::one);
    if (is_torn) tear(*members);
    members->enter();
    threads.push_back([this] {
      told.store(1);
      told.notify_all();
      add_second();
      while (members->in_flight() > 0) members->await(creator);
      if (done.load() != 3) fail("the creator went on too early");
    });
    threads.push_back([this] {
      told.wait(0);
      while (members->in_flight() > 0) members->await(other);
      if ((done.load() & 1) == 0) fail("the other went on too early");
    });
    threads.push_back([this] { leave(1); });
    leave_second_by_another();
  }
  void check() override {
    if (!members->quiet()) fail("something is left");
  }
};

TEST(Interleavings, AGroupsCreatorMayWaitBesideOthers) {
  expect_well(explore([] { return std::make_unique<creator_waits_too>(); }, 2));
  EXPECT_NE(explore([] { return std::make_unique<creator_waits_too>(true); }, 2).failure, "");
}

/// A task whose body returns while its children end: exactly one of them finishes it.
struct parents : scenario {
  std::optional<scope> children;
  int finishes = 0;

  explicit parents(bool is_torn = false) {
    children.emplace(*reinterpret_cast<detail::task_node*>(std::uintptr_t{64}));
    if (is_torn) tear(*children);
    children->enter(2);
    threads.push_back([this] { finishes += children->close(); });
    for (int i = 0; i < 2; ++i) threads.push_back([this] { finishes += children->leave(); });
  }
  void check() override {
    if (finishes != 1) fail("finished " + std::to_string(finishes) + " times");
  }
};

TEST(Interleavings, ATaskIsFinishedOnce) {
  expect_well(explore([] { return std::make_unique<parents>(); }, 6));
  EXPECT_NE(explore([] { return std::make_unique<parents>(true); }, 2).failure, "");
}

/// A task whose body waits for its first child, creates another and returns, while they end. Who finishes it takes it
/// away at once.
struct waiting_parent : scenario {
  std::optional<scope> children;
  os_waiter body;
  explorer::atomic<int> added{0};
  int finishes = 0;

  /// `rest`: its wait is content with so many children, as where a window is full.
  waiting_parent(std::int64_t rest, bool is_torn) {
    children.emplace(*reinterpret_cast<detail::task_node*>(std::uintptr_t{64}));
    if (is_torn) tear(*children);
    children->enter(rest == 0 ? 1 : 2);
    threads.push_back([this, rest] {
      children->await(body, rest);
      if (children->in_flight() > rest) fail("it went on too early");
      children->enter();
      added.store(1);
      added.notify_all();
      finish_if(children->close());
    });
    for (std::int64_t i = 0; i <= rest; ++i) threads.push_back([this] { finish_if(children->leave()); });
    threads.push_back([this] {
      added.wait(0);
      finish_if(children->leave());
    });
  }
  void finish_if(bool last) {
    if (!last) return;
    ++finishes;
    children.reset();
  }
  void check() override {
    if (finishes != 1) fail("finished " + std::to_string(finishes) + " times");
  }
};

TEST(Interleavings, ATaskThatWaitedIsFinishedOnceAndNotTouchedAfterwards) {
  expect_well(explore([] { return std::make_unique<waiting_parent>(0, false); }, 4));
  expect_well(explore([] { return std::make_unique<waiting_parent>(1, false); }, 3));
  EXPECT_NE(explore([] { return std::make_unique<waiting_parent>(0, true); }, 2).failure, "");
  EXPECT_NE(explore([] { return std::make_unique<waiting_parent>(1, true); }, 2).failure, "");
}

// The short lock ----------------------------------------------------------------------------------------------------

struct guarded : scenario {
  base::short_lock lock;
  explorer::atomic<int> inside{0};
  int entered = 0;
  explicit guarded(std::size_t count, bool is_torn = false) {
    if (is_torn) tear(lock);
    for (std::size_t i = 0; i < count; ++i)
      threads.push_back([this] {
        lock.lock();
        if (inside.fetch_add(1) != 0) fail("two at a time");
        ++entered;
        inside.fetch_sub(1);
        lock.unlock();
      });
  }
  void check() override {
    if (entered != static_cast<int>(threads.size())) fail("somebody did not get in");
  }
};

TEST(Interleavings, ALockIsHeldByOneAndNobodyIsForgotten) {
  expect_well(explore([] { return std::make_unique<guarded>(2); }, 3));
  EXPECT_NE(explore([] { return std::make_unique<guarded>(2, true); }, 2).failure, "");
}
}  // namespace
}  // namespace maslin
