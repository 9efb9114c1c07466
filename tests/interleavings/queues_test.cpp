// The queues of ready work: tasks without a lock, loops under one.

#include <gtest/gtest.h>

#include <array>

#include "exec/core/dealt.hpp"
#include "exec/core/invitations.hpp"
#include "exec/core/loop_queue.hpp"
#include "exec/threads/bits.hpp"
#include "exec/threads/deque.hpp"
#include "exec/threads/set_aside.hpp"

#include "well.hpp"

namespace maslin {
namespace {

using explorer::explore;
using explorer::fail;
using explorer::scenario;

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
  explicit robbed_queue(int thieves, bool is_torn = false) {
    if (is_torn) tear(queue);
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
  EXPECT_NE(explore([] { return std::make_unique<robbed_queue>(1, true); }, 2).failure, "");
}

/// An owner that sets tasks aside and takes them, and thieves, with fewer places than tasks.
struct robbed_set_aside : scenario {
  set_aside_tasks<item, 4> aside;
  std::array<item, 5> items;
  std::size_t put = 0;

  void fill() {
    while (put < items.size() && aside.has_place()) aside.put(&items[put++]);
  }
  void take() {
    if (item* i = aside.take()) ++i->taken;
  }
  robbed_set_aside(std::uint32_t places, int thieves, bool is_torn = false) : aside(places) {
    if (is_torn) tear(aside);
    threads.push_back([this] {
      for (int i = 0; i < 3; ++i) {
        fill();
        take();
      }
    });
    for (int i = 0; i < thieves; ++i)
      threads.push_back([this] {
        for (int k = 0; k < 2; ++k)
          if (item* got = aside.steal()) ++got->taken;
      });
  }
  void check() override {
    const std::uint32_t left = aside.size();
    std::uint32_t found = 0;
    while (item* i = aside.take()) {
      ++i->taken;
      ++found;
    }
    if (found != left) fail("the owner does not find what is there");
    for (std::size_t i = 0; i < items.size(); ++i)
      if (items[i].taken != (i < put ? 1 : 0))
        fail("task " + std::to_string(i) + " was taken " + std::to_string(items[i].taken) + " times");
  }
};

TEST(Interleavings, EveryTaskThatIsSetAsideIsTakenOnce) {
  for (const std::uint32_t places : {1u, 2u, 3u}) {
    expect_well(explore([=] { return std::make_unique<robbed_set_aside>(places, 1); }, 4));
    expect_well(explore([=] { return std::make_unique<robbed_set_aside>(places, 2); }, 2));
    EXPECT_NE(explore([=] { return std::make_unique<robbed_set_aside>(places, 1, true); }, 2).failure, "");
  }
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

/// A worker that begins a loop and takes shares of it, a thief that takes half of what it finds, and one who adds a
/// task at the tail and takes a task out: a foreign thread at a centre, or who waits for that task.
struct shared_loops : scenario {
  struct watched final : work_queue::watcher {
    watched(worker_bits& all, int number) : bits(all), index(number) {}
    void nonempty(bool holds_work) override {
      if (bits.test(index) == holds_work) fail("the bit said so already");
      if (holds_work)
        bits.set(index);
      else
        bits.clear(index);
    }
    worker_bits& bits;
    int index;
    work_queue queue{this};
  };

  static constexpr std::int64_t blocks = 4;
  const detail::loop what{0, blocks, 1, nullptr, nullptr, schedule::dbs, location::current()};
  scope tasks{nullptr};
  context caller{tasks};
  loop_run run{what, caller, 2};
  worker_bits bits{2};
  watched owner{bits, 0};
  watched thief{bits, 1};
  std::array<int, blocks> given{};
  std::array<int, 2> tasks_given{};

  // Work without a task behind it: queues do not look inside.
  static work task(std::size_t number) { return {reinterpret_cast<detail::task_node*>((number + 1) * 64), {}}; }

  bool count(const std::optional<work>& item) {
    if (!item) return false;
    if (item->task) {
      ++tasks_given.at(reinterpret_cast<std::uintptr_t>(item->task) / 64 - 1);
    } else {
      if (item->part.size() <= 0) fail("a part without blocks was given");
      for (std::int64_t i = item->part.first; i < item->part.last; ++i) ++given.at(static_cast<std::size_t>(i));
    }
    return true;
  }

  explicit shared_loops(bool is_torn) {
    if (is_torn) tear(owner.queue);
    threads.push_back([this] {
      owner.queue.push_head({nullptr, {&run, 0, blocks}});
      while (count(owner.queue.take_of(&run, 2))) continue;
      owner.queue.push_head(task(0));
      count(owner.queue.take_head(2));
    });
    threads.push_back([this] {
      if (bits.first_set(0, 1) == 0 && owner.queue.bisect_into(thief.queue))
        while (count(thief.queue.take_head(2))) continue;
    });
    threads.push_back([this] {
      owner.queue.push_tail(task(1));
      count(owner.queue.take_if([](const work& item) { return item.task; }));
    });
  }
  void check() override {
    for (watched* each : {&owner, &thief}) {
      if (bits.test(each->index) == each->queue.empty()) fail("a bit is wrong");
      while (count(each->queue.take_head(1))) continue;
      if (bits.test(each->index) || !each->queue.empty()) fail("the bit of an empty queue is set");
    }
    for (const int times : given)
      if (times != 1) fail("a block was given " + std::to_string(times) + " times");
    for (const int times : tasks_given)
      if (times != 1) fail("a task was given " + std::to_string(times) + " times");
  }
};

TEST(Interleavings, EveryBlockOfALoopIsGivenOnceAndTheBitIsExact) {
  expect_well(explore([] { return std::make_unique<shared_loops>(false); }, 3));
  EXPECT_NE(explore([] { return std::make_unique<shared_loops>(true); }, 2).failure, "");
}

/// Workers that each have a range of a loop, and take from each other's what pays when their own is empty.
struct dealt_loop : scenario {
  static constexpr std::int64_t blocks = 5;
  dealt_blocks left;
  std::array<int, blocks> given{};

  void count(const dealt_blocks::part& some) {
    if (some.size() <= 0) fail("a part without blocks was given");
    for (std::int64_t i = some.first; i < some.last; ++i) ++given.at(static_cast<std::size_t>(i));
  }
  void run(int worker) {
    do {
      while (const auto some = left.take(worker)) count(*some);
    } while (left.steal(worker));
  }
  dealt_loop(int workers, std::int64_t grain, bool is_torn) : left(blocks, workers, grain) {
    if (is_torn) tear(left);
    for (int worker = 0; worker < workers; ++worker) threads.push_back([this, worker] { run(worker); });
  }
  void check() override {
    for (const int times : given)
      if (times != 1) fail("a block was given " + std::to_string(times) + " times");
  }
};

TEST(Interleavings, EveryBlockOfALoopThatIsDealtOutIsGivenOnce) {
  for (const std::int64_t grain : {1, 2}) {
    expect_well(explore([=] { return std::make_unique<dealt_loop>(2, grain, false); }, 4));
    expect_well(explore([=] { return std::make_unique<dealt_loop>(3, grain, false); }, 2));
  }
  EXPECT_NE(explore([] { return std::make_unique<dealt_loop>(2, 1, true); }, 2).failure, "");
}

/// Workers 2 and 3 are invited to three loops; this is worker 3. It takes an invitation, whoever's; two invite it, of
/// whom one takes its own back unless it is gone. `looks`: a fourth takes what it finds suitable in the loop, which
/// must not be over then.
struct invited_worker : scenario {
  static constexpr std::uintptr_t unwritten = 2;
  const detail::loop what{0, 2, 1, nullptr, nullptr, schedule::static_, location::current()};
  scope tasks{nullptr};
  context caller{tasks};
  std::array<std::array<std::uintptr_t, 2>, 3> links{};
  std::array<loop_run, 3> made{{{what, caller, 2, 2, links[0].data()},
                                {what, caller, 2, 2, links[1].data()},
                                {what, caller, 2, 2, links[2].data()}}};
  invitations all{3};
  std::array<int, 3> taken{};

  void count(const std::optional<invitation>& one) {
    if (!one) return;
    if (one->worker != 1) fail("an invitation names another worker");
    ++taken.at(static_cast<std::size_t>(one->loop - made.data()));
  }
  explicit invited_worker(bool is_torn, bool looks = false) {
    // What lies in the memory of a link that nobody needs is of no account.
    for (auto& each : links) each.fill(unwritten);
    if (is_torn) tear(all);
    all.add(made[0]);
    threads.push_back([this] { count(all.take()); });
    threads.push_back([this] {
      all.add(made[1]);
      count(all.take_back(made[1]));
    });
    threads.push_back([this, looks] {
      all.add(made[2]);
      if (looks) count(all.take_if([this](const loop_run& one) { return is_going_on(one) && &one != &made[2]; }));
    });
  }
  bool is_going_on(const loop_run& one) const {
    if (taken.at(static_cast<std::size_t>(&one - made.data())) > 0) fail("a loop was looked into that may be over");
    return true;
  }
  void check() override {
    while (const auto one = all.take()) count(one);
    if (!all.empty()) fail("an invitation is left");
    for (const int times : taken)
      if (times != 1) fail("an invitation was taken " + std::to_string(times) + " times");
  }
};

TEST(Interleavings, EveryInvitationIsTakenOnce) {
  expect_well(explore([] { return std::make_unique<invited_worker>(false); }, 3));
  expect_well(explore([] { return std::make_unique<invited_worker>(false, true); }, 3));
  EXPECT_NE(explore([] { return std::make_unique<invited_worker>(true); }, 2).failure, "");
}

}  // namespace
}  // namespace maslin
