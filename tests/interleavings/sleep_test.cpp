// Falling asleep and being woken: workers, and who has worker 0's role.

#include <gtest/gtest.h>

#include <array>

#include "exec/threads/deque.hpp"
#include "exec/threads/set_aside.hpp"
#include "exec/threads/sleep.hpp"
#include "exec/threads/worker_0_role.hpp"

#include "well.hpp"

namespace maslin {
namespace {

using explorer::explore;
using explorer::fail;
using explorer::scenario;

struct item {
  int taken = 0;
};

/// Sleepers and who makes work for them: race 1 of src/exec/threads/README.md.
struct falling_asleep : scenario {
  bounded_deque<item, 4> queue;
  sleepers asleep{2};
  explorer::atomic<int> done{0};
  std::array<item, 2> items;

  falling_asleep(int sleepers, bool careful) {
    threads.push_back([this] {
      for (item& i : items) {
        queue.push(&i);
        asleep.wake_one(0, 2);
      }
    });
    for (int me = 0; me < sleepers; ++me)
      threads.push_back([this, me, careful] {
        for (;;) {
          item* got[2];
          if (queue.steal_half(got, 1) == 1) {
            ++got[0]->taken;
            if (done.fetch_add(1) + 1 == static_cast<int>(items.size()))
              for (int i = 0; i < 2; ++i) asleep.wake(i);  // the end of the runtime
            else if (!queue.empty())
              asleep.wake_one(0, 2);
            continue;
          }
          if (done.load() == static_cast<int>(items.size())) return;
          const bool needed_before = !queue.empty();
          asleep.prepare_to_sleep(me);
          const bool needed = careful ? !queue.empty() || done.load() == static_cast<int>(items.size()) : needed_before;
          if (!needed) asleep.park(me);
          asleep.finish_sleep(me);
        }
      });
  }
  void check() override {
    for (const item& i : items)
      if (i.taken != 1) fail("work was done " + std::to_string(i.taken) + " times");
  }
};

TEST(Interleavings, NobodyIsLeftAsleepWhileThereIsWork) {
  expect_well(explore([] { return std::make_unique<falling_asleep>(2, true); }, 3));
}

TEST(Interleavings, WhoLooksBeforeSayingThatItSleepsMissesAWakeUp) {
  EXPECT_NE(explore([] { return std::make_unique<falling_asleep>(1, false); }, 2).failure, "");
}

/// A worker takes a task out of its queue, sets it aside, and is then busy for ever. Who looked meanwhile sleeps.
struct set_aside_beside_a_sleeper : scenario {
  bounded_deque<item, 4> queue;
  set_aside_tasks<item, 2> aside{1};
  sleepers asleep{1};
  item task;

  explicit set_aside_beside_a_sleeper(bool tells) {
    threads.push_back([this, tells] {
      queue.push(&task);
      asleep.wake_one(0, 1);
      item* const own = queue.pop();
      if (!own) return;
      aside.put(own);
      if (tells) asleep.wake_one(0, 1);
    });
    threads.push_back([this] {
      while (task.taken == 0) {
        item* got = nullptr;
        if (queue.steal_half(&got, 1) == 1 || (got = aside.steal())) {
          ++got->taken;
          continue;
        }
        asleep.prepare_to_sleep(0);
        if (queue.empty() && aside.size() == 0) asleep.park(0);
        asleep.finish_sleep(0);
      }
    });
  }
  void check() override {
    if (task.taken != 1) fail("the task was not taken");
  }
};

TEST(Interleavings, WhatIsSetAsideIsFoundByWhoLookedForItMeanwhile) {
  expect_well(explore([] { return std::make_unique<set_aside_beside_a_sleeper>(true); }, 3));
  EXPECT_NE(explore([] { return std::make_unique<set_aside_beside_a_sleeper>(false); }, 3).failure, "");
}

/// A task is queued while a fiber of worker 0 is woken; the fiber goes on for as long as the task is not done. Worker 0
/// may be woken for the one and do the other.
struct inbox_and_queue : scenario {
  bounded_deque<item, 4> queue;
  explorer::atomic<int> inbox{0};
  sleepers asleep{2};
  explorer::atomic<int> done{0};
  item task;

  explicit inbox_and_queue(bool passes_on) {
    threads.push_back([this] {
      queue.push(&task);
      asleep.wake_one(0, 2);
    });
    threads.push_back([this] {
      inbox.store(1);
      asleep.notify(0);
    });
    for (int me = 0; me < 2; ++me)
      threads.push_back([this, me, passes_on] {
        bool was_woken = false;
        while (me == 0 || done.load() == 0) {
          if (me == 0 && inbox.load() == 1) {
            if (was_woken && passes_on && !queue.empty()) asleep.wake_one(0, 2);
            done.wait(0);
            return;
          }
          was_woken = false;
          item* got[2];
          if (queue.steal_half(got, 1) == 1) {
            ++got[0]->taken;
            done.store(1);
            done.notify_all();
            asleep.wake(1);  // the end of the runtime
            continue;
          }
          asleep.prepare_to_sleep(me);
          if (queue.empty() && (me == 1 || inbox.load() == 0) && (me == 0 || done.load() == 0)) asleep.park(me);
          was_woken = asleep.finish_sleep(me);
        }
      });
  }
  void check() override {
    if (task.taken != 1) fail("the task was done " + std::to_string(task.taken) + " times");
  }
};

TEST(Interleavings, WhoIsWokenForQueuedWorkAndDoesAnotherThingFirstWakesAnother) {
  expect_well(explore([] { return std::make_unique<inbox_and_queue>(true); }, 3));
}

TEST(Interleavings, AWakeUpThatIsNotPassedOnLeavesWorkLying) {
  EXPECT_NE(explore([] { return std::make_unique<inbox_and_queue>(false); }, 3).failure, "");
}

/// Fibers that were suspended on worker 0 are woken by somebody else, one by one, while the starter comes and goes; the
/// substitute sees to those that the starter leaves. Race 7 of src/exec/threads/README.md.
struct worker_0_left : scenario {
  enum mistake {
    none,
    starter_has_no_substitute,
    starter_does_not_look,  ///< though it was told
    waker_does_not_call,
    substitute_does_not_tell,  ///< that it has found the starter there
    substitute_does_not_try_again,
    two_may_enter
  };

  static constexpr int fibers = 2;
  const mistake made;
  worker_0_role role;
  sleepers asleep{1};
  explorer::atomic<int> inbox{0};    ///< fibers that may go on
  explorer::atomic<int> resumed{0};  ///< and those that have
  static constexpr int yes = 1, never = 2;
  explorer::atomic<int> has_thread{0};  ///< the substitute
  explorer::atomic<int> in_role{0};

  explicit worker_0_left(mistake m) : made(m) {
    if (m == two_may_enter) tear(role);
    threads.push_back([this] { come_and_go(); });
    threads.push_back([this] { wake_fibers(); });
    threads.push_back([this] { substitute_body(); });
  }

  /// The starter. It has the role at first, and the fibers are suspended when it leaves that; later it waits once,
  /// and makes a call that resumes none.
  void come_and_go() {
    leave_role(made != starter_has_no_substitute && resumed.load() < fibers);
    if (role.enter(worker_0_role::starter)) {
      be_worker_0(true);
      leave_role(false);
    }
    if (role.enter(worker_0_role::starter)) leave_role(false);
    if (resumed.load() == fibers) start_substitute(never);  // the others need not wait for it
  }
  void leave_role(bool leaves_something) {
    if (leaves_something && !role.is_called()) want_substitute();
    if (role.leave() && made != starter_does_not_look) want_substitute();
  }
  void want_substitute() {
    if (role.wants_substitute())
      start_substitute(yes);
    else if (inbox.load() > 0)
      role.call();
  }
  void wake_fibers() {
    for (int i = 0; i < fibers; ++i) {
      inbox.fetch_add(1);
      if (!asleep.notify(0) && made != waker_does_not_call) role.call();
    }
  }
  void start_substitute(int whether) {
    int unknown = 0;
    if (has_thread.compare_exchange_strong(unknown, whether)) has_thread.notify_all();
  }
  void substitute_body() {
    has_thread.wait(0);
    if (has_thread.load() == never) return;
    const auto is_over = [this] { return resumed.load() == fibers; };
    const auto is_needed = [this] { return inbox.load() > 0; };
    role.answer(is_over, explorer::give_way, is_needed, [this] {
      if (!role.enter(worker_0_role::substitute)) {
        if (made != substitute_does_not_tell) role.tell_starter();
        if (made == substitute_does_not_try_again || !role.enter(worker_0_role::substitute)) return;
      }
      be_worker_0(false);
      role.leave();
    });
  }
  /// Somebody is worker 0 and resumes what may go on; where there is nothing, it may wait for that.
  void be_worker_0(bool waits) {
    if (in_role.fetch_add(1) > 0) fail("two are worker 0");
    if (waits && inbox.load() == 0) {
      asleep.prepare_to_sleep(0);
      if (inbox.load() == 0 && resumed.load() == 0) asleep.park(0);
      asleep.finish_sleep(0);
    }
    while (inbox.load() > 0) {
      inbox.fetch_sub(1);
      if (resumed.fetch_add(1) + 1 == fibers) role.wake_substitute();  // as the end of the runtime does
    }
    in_role.fetch_sub(1);
  }
  void check() override {
    if (resumed.load() != fibers) fail("a fiber that may go on was left lying");
  }
};

TEST(Interleavings, WhatMayGoOnAtWorker0DoesSoWhoeverHasItsRole) {
  expect_well(explore([] { return std::make_unique<worker_0_left>(worker_0_left::none); }, 3));
}

TEST(Interleavings, ACallToTheSubstituteThatIsLeftOutIsMissed) {
  for (const auto m : {worker_0_left::starter_has_no_substitute, worker_0_left::starter_does_not_look,
                       worker_0_left::waker_does_not_call, worker_0_left::substitute_does_not_tell,
                       worker_0_left::substitute_does_not_try_again, worker_0_left::two_may_enter})
    EXPECT_NE(explore([m] { return std::make_unique<worker_0_left>(m); }, 4).failure, "") << m;
}

}  // namespace
}  // namespace maslin
