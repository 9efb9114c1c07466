// Every order of the operations on the core structures: the queue of tasks, falling asleep, waiting for a scope.

#include "explorer.hpp"
#define MASLIN_ATOMIC explorer::atomic
#define MASLIN_LOCK_SPINS 1

#include <gtest/gtest.h>

#include <optional>

#include "exec/threads/bits.hpp"
#include "exec/threads/deque.hpp"
#include "exec/threads/sleep.hpp"
#include "task/scope.cpp"  // compiled with explored atomics

namespace maslin {
namespace {

using explorer::explore;
using explorer::fail;
using explorer::scenario;

void expect_well(const explorer::result& r, bool complete = true) {
  EXPECT_EQ(r.failure, "");
  EXPECT_EQ(r.complete, complete) << r.executions << " executions";
  std::printf("%llu executions\n", static_cast<unsigned long long>(r.executions));
  std::string order;
  for (const std::size_t t : r.schedule) order += std::to_string(t);
  if (!r.failure.empty()) std::printf("order of steps: %s\n", order.c_str());
}

// The queue of tasks ------------------------------------------------------------------------------------------------

struct item {
  int taken = 0;
};

/// An owner that pushes and pops, and thieves, on a queue of four slots, so that it runs full and its indices wrap.
struct robbed_queue : scenario {
  bounded_deque<item, 4> queue;
  std::array<item, 7> items;
  std::size_t pushed = 0;

  void push() {
    if (queue.push(&items[pushed])) ++pushed;
  }
  void pop() {
    if (item* i = queue.pop()) ++i->taken;
  }
  void steal() {
    item* got[4];
    const std::uint32_t count = queue.steal_half(got, 4);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!got[i]) return fail("a thief got an empty slot");
      ++got[i]->taken;
    }
  }
  explicit robbed_queue(int thieves) {
    threads.push_back([this] {
      for (int i = 0; i < 4; ++i) push();
      pop();
      push();
      push();
      pop();
    });
    for (int i = 0; i < thieves; ++i) threads.push_back([this] { steal(); });
  }
  void check() override {
    while (item* i = queue.pop()) ++i->taken;
    for (std::size_t i = 0; i < items.size(); ++i)
      if (items[i].taken != (i < pushed ? 1 : 0))
        fail("task " + std::to_string(i) + " was taken " + std::to_string(items[i].taken) + " times");
  }
};

TEST(Interleavings, EveryTaskOfAQueueIsTakenOnce) {
  expect_well(explore([] { return std::make_unique<robbed_queue>(1); }, 4));
  expect_well(explore([] { return std::make_unique<robbed_queue>(2); }, 3));
}

/// A thief that looks and then writes, as if nobody came between.
struct careless_queue : scenario {
  explorer::atomic<int> head{1};
  int taken = 0;
  careless_queue() {
    for (int i = 0; i < 2; ++i)
      threads.push_back([this] {
        const int seen = head.load();
        if (seen == 0) return;
        head.store(seen - 1);
        ++taken;
      });
  }
  void check() override {
    if (taken != 1) fail("taken " + std::to_string(taken) + " times");
  }
};

TEST(Interleavings, TheExplorerFindsWhatIsWrong) {
  EXPECT_EQ(explore([] { return std::make_unique<careless_queue>(); }, 1).failure, "taken 2 times");
}

// Falling asleep ----------------------------------------------------------------------------------------------------

/// Sleepers and who makes work for them: race 1 of src/exec/threads/README.md.
struct bedroom : scenario {
  bounded_deque<item, 4> queue;
  sleepers asleep{2};
  explorer::atomic<int> done{0};
  std::array<item, 2> items;

  bedroom(int sleepers, bool careful) {
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
          asleep.lie_down(me);
          const bool needed = careful ? !queue.empty() || done.load() == static_cast<int>(items.size()) : needed_before;
          if (!needed) asleep.park(me);
          asleep.get_up(me);
        }
      });
  }
  void check() override {
    for (const item& i : items)
      if (i.taken != 1) fail("work was done " + std::to_string(i.taken) + " times");
  }
};

TEST(Interleavings, NobodyIsLeftAsleepWhileThereIsWork) {
  expect_well(explore([] { return std::make_unique<bedroom>(2, true); }, 3));
}

TEST(Interleavings, WhoLooksBeforeSayingThatItSleepsMissesAWakeUp) {
  EXPECT_NE(explore([] { return std::make_unique<bedroom>(1, false); }, 2).failure, "");
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
      asleep.rouse(0);
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
          asleep.lie_down(me);
          if (queue.empty() && (me == 1 || inbox.load() == 0) && (me == 0 || done.load() == 0)) asleep.park(me);
          was_woken = asleep.get_up(me);
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

// Waiting for a scope -----------------------------------------------------------------------------------------------

struct sleeper final : waiter {
  explorer::atomic<int> woken{0};
  void sleep(base::short_lock& held, const maslin::awaited_end&) override {
    held.unlock();
    woken.wait(0);
  }
  void wake() noexcept override {
    woken.store(1);
    woken.notify_one();
  }
};

/// A creator that waits for its members and takes the scope away at once, while they leave.
struct family : scenario {
  std::optional<scope> members;
  sleeper creator;

  family(scope::creators who, std::uint64_t leavers, std::int64_t rest) {
    members.emplace(nullptr, who);
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
  }
}

/// A group for which two wait. One of them adds a member of its own first, which may be when the other's have just
/// gone. The last to go on takes the group away.
struct two_waiters : scenario {
  std::optional<scope> members;
  sleeper first, second;
  explorer::atomic<int> added{0};
  explorer::atomic<int> waiting{2};
  explorer::atomic<int> done{0};

  explicit two_waiters(bool leaves_by_another) {
    members.emplace(nullptr, scope::creators::many);
    members->enter();
    threads.push_back([this] {
      members->await(first);
      if ((done.load() & 1) == 0) fail("the first went on too early");
      go();
    });
    threads.push_back([this, leaves_by_another] {
      members->enter();
      added.store(1);
      added.notify_all();
      if (!leaves_by_another) leave(2);
      members->await(second);
      if ((done.load() & 2) == 0) fail("the second went on too early");
      go();
    });
    threads.push_back([this] { leave(1); });
    if (leaves_by_another)
      threads.push_back([this] {
        added.wait(0);
        leave(2);
      });
  }
  void leave(int member) {
    done.fetch_or(member);
    if (members->leave()) fail("a group was finished");
  }
  void go() {
    if (waiting.fetch_sub(1) == 1) members.reset();
  }
  void check() override {}
};

TEST(Interleavings, AGroupMayHaveSeveralWaiters) {
  expect_well(explore([] { return std::make_unique<two_waiters>(false); }, 4));
  expect_well(explore([] { return std::make_unique<two_waiters>(true); }, 3));
}

/// A task whose body returns while its children end: exactly one of them finishes it.
struct parents : scenario {
  std::optional<scope> children;
  int finishes = 0;

  parents() {
    children.emplace(*reinterpret_cast<detail::task_node*>(std::uintptr_t{64}));
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
}

// The short lock ----------------------------------------------------------------------------------------------------

struct guarded : scenario {
  base::short_lock lock;
  explorer::atomic<int> inside{0};
  int entered = 0;
  explicit guarded(std::size_t count) {
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
}

}  // namespace
}  // namespace maslin
