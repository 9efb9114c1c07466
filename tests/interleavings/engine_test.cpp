// The engine (src/exec/core) on the archetype of a machine: tasks, loops, forks.

#include <gtest/gtest.h>

#include <array>

#include "engine.hpp"
#include "maslin/fork.hpp"

namespace maslin {
namespace {

using explorer::explore;
using explorer::fail;

// Tasks ----------------------------------------------------------------------------------------------------------

/// A thread that is no worker creates a task while the workers go to sleep, and waits for it.
struct task_from_outside : engine {
  counted task;
  std::function<void()> body{[this] { task(); }};
  task_from_outside(int workers, archetype::mistake m) : engine(workers, m) {
    outside([this] { submit(*current_context().children, body); });
  }
  void check() override { task.check(1, "the task"); }
};

/// A worker creates tasks while the other one goes to sleep, and waits for them. Under `dbs` they stand in its queue,
/// under `program_order` in the one order of all workers.
struct tasks_of_a_worker : engine {
  counted task;
  counted wait;
  std::function<void()> body{[this] { task(); }};
  explicit tasks_of_a_worker(bool is_torn, placement policy = placement::dbs)
      : engine(
            2, archetype::none, 1, [this] { create(); }, policy) {
    if (!is_torn) return;
    policy == placement::dbs ? tear(machine.at(1).tasks) : tear(machine.urgent());
  }
  void create() {
    scope& mine = *current_context().children;
    submit(mine, body);
    submit(mine, body);
    await_tasks(machine, current_context());
    task.check(2, "a wait's task");
    wait();
  }
  void check() override {
    task.check(2, "a task");
    wait.check(1, "the wait");
  }
};

TEST(Interleavings, TasksThatStandInOneOrderAreRunOnceWhileWorkersGoToSleep) {
  expect_well(explore([] { return std::make_unique<tasks_of_a_worker>(false, placement::program_order); }, 2));
  EXPECT_NE(explore([] { return std::make_unique<tasks_of_a_worker>(true, placement::program_order); }, 2).failure, "");
}

TEST(Interleavings, ATaskThatIsReadyWhileWorkersGoToSleepIsRunOnce) {
  expect_well(explore([] { return std::make_unique<task_from_outside>(1, archetype::none); }, 3));
  expect_well(explore([] { return std::make_unique<task_from_outside>(2, archetype::none); }, 2));
  EXPECT_NE(
      explore([] { return std::make_unique<task_from_outside>(1, archetype::looks_before_it_sleeps); }, 2).failure, "");
  expect_well(explore([] { return std::make_unique<tasks_of_a_worker>(false); }, 2));
  EXPECT_NE(explore([] { return std::make_unique<tasks_of_a_worker>(true); }, 2).failure, "");
}

/// A worker creates two tasks, each of which stays on its worker until the other has begun; or it creates one, and does
/// so itself until that has begun.
struct tasks_that_meet : engine {
  scope group{nullptr, scope::creators::many};
  counted task;
  explorer::atomic<int> there{0};
  std::function<void()> body{[this] {
    if (there.fetch_add(1) == 1) there.notify_all();
    there.wait(1);
    task();
  }};
  explicit tasks_that_meet(bool one, archetype::mistake m = archetype::none)
      : engine(2, m, [this, one] {
          submit(group, body);
          one ? body() : submit(group, body);
        }) {}
  void check() override { task.check(2, "a task"); }
};

TEST(Interleavings, NobodySleepsWhileAnotherWorkerHasTasks) {
  for (const bool one : {false, true}) {
    expect_well(explore([one] { return std::make_unique<tasks_that_meet>(one); }, 2));
    const auto looks_before = [one] {
      return std::make_unique<tasks_that_meet>(one, archetype::looks_before_it_sleeps);
    };
    EXPECT_NE(explore(looks_before, 2).failure, "");
  }
}

/// A task is queued while a fiber of worker 0 is woken that goes on until the task is done: worker 0 may be woken for
/// the one and do the other.
struct fiber_and_task : engine {
  scope group{nullptr, scope::creators::many};
  counted task;
  explorer::atomic<int> done{0};
  std::function<void()> body{[this] {
    task();
    done.store(1);
    done.notify_all();
  }};
  explicit fiber_and_task(archetype::mistake m)
      : engine(2, m, 0, [this] {
          suspend_until(machine, group);
          done.wait(0);
        }) {
    group.enter();
    outside([this] { submit(*current_context().children, body); });
    outside([this] { group.leave(); });
  }
  void check() override { task.check(1, "the task"); }
};

TEST(Interleavings, AWorkerThatGoesOnWithAFiberPassesItsWakeUpOn) {
  expect_well(explore([] { return std::make_unique<fiber_and_task>(archetype::none); }, 1));
  EXPECT_NE(explore([] { return std::make_unique<fiber_and_task>(archetype::keeps_wake_ups); }, 1).failure, "");
}

// Loops ----------------------------------------------------------------------------------------------------------

/// A worker, or a thread that is none, calls a loop; the others take part of it.
struct one_loop : engine {
  enum caller { a_worker, an_outsider };
  static constexpr std::size_t blocks = 3;
  std::array<counted, blocks> block;
  counted call;
  std::function<void(std::int64_t)> body{[this](std::int64_t i) { block[static_cast<std::size_t>(i)](); }};

  one_loop(caller who, schedule policy, archetype::mistake m = archetype::none, bool is_torn = false)
      : engine(2, m, [this, who, policy] {
          if (who == a_worker) run(policy);
        }) {
    if (who == an_outsider) outside([this, policy] { run(policy); });
    if (is_torn) tear(machine.at(1).queue);
  }
  void run(schedule policy) {
    shared_loop(blocks, body, policy);
    check_blocks();
    call();
  }
  void check_blocks() {
    for (counted& each : block) each.check(1, "a block");
  }
  void check() override {
    check_blocks();
    call.check(1, "the call");
  }
};

TEST(Interleavings, EveryBlockOfALoopIsRunOnceAndItsCallerReturnsAfterTheLast) {
  for (const auto who : {one_loop::a_worker, one_loop::an_outsider})
    expect_well(explore([who] { return std::make_unique<one_loop>(who, schedule::dbs); }, 2));
  const auto torn = [] { return std::make_unique<one_loop>(one_loop::a_worker, schedule::dbs, archetype::none, true); };
  EXPECT_NE(explore(torn, 2).failure, "");
}

TEST(Interleavings, EveryInvitationToALoopIsAnsweredOrWithdrawn) {
  for (const schedule policy : {schedule::static_, schedule::gss, schedule::afs})
    for (const auto who : {one_loop::a_worker, one_loop::an_outsider})
      expect_well(explore([=] { return std::make_unique<one_loop>(who, policy); }, who == one_loop::a_worker ? 2 : 1));
  for (const schedule policy : {schedule::static_, schedule::gss, schedule::afs}) {
    const auto drops = [=] {
      return std::make_unique<one_loop>(one_loop::a_worker, policy, archetype::drops_invitations);
    };
    EXPECT_NE(explore(drops, 2).failure, "");
  }
}

/// A worker deals a loop out.
struct dealt_out : one_loop {
  explicit dealt_out(std::int64_t grain, archetype::mistake m = archetype::none)
      : one_loop(one_loop::a_worker, schedule::dbs, m) {
    machine.deals_out_by(grain);
  }
};

TEST(Interleavings, ALoopThatIsDealtOutIsOverWhenEachPartIs) {
  for (const std::int64_t grain : {1, 2}) expect_well(explore([=] { return std::make_unique<dealt_out>(grain); }, 2));
  const auto drops = [] { return std::make_unique<dealt_out>(1, archetype::drops_invitations); };
  EXPECT_NE(explore(drops, 2).failure, "");
}

/// A thread that is no worker calls a loop, and a worker comes to it only when it is over. `drops`: it takes its
/// invitation before, and does not answer it.
struct loop_without_a_worker : engine {
  std::array<counted, 2> block;
  explorer::atomic<int> over{0};
  std::function<void(std::int64_t)> body{[this](std::int64_t i) { block[static_cast<std::size_t>(i)](); }};

  explicit loop_without_a_worker(schedule policy, bool drops = false)
      : engine(2, archetype::none, [this, drops] {
          if (drops) (void)machine.at(1).invited.take();
          over.wait(0);
        }) {
    outside([this, policy] {
      shared_loop(2, body, policy);
      for (counted& each : block) each.check(1, "a block");
      over.store(1);
      over.notify_all();
    });
  }
  void check() override {}
};

TEST(Interleavings, ALoopDoesNotWaitForAWorkerThatHasNotCome) {
  for (const schedule policy : {schedule::dbs, schedule::static_, schedule::gss, schedule::afs})
    expect_well(explore([policy] { return std::make_unique<loop_without_a_worker>(policy); }, 1));
  EXPECT_NE(explore([] { return std::make_unique<loop_without_a_worker>(schedule::static_, true); }, 1).failure, "");
}

// Forks ----------------------------------------------------------------------------------------------------------

/// A worker forks while the other one goes to sleep; the second branches are given away, or not.
struct two_forks : engine {
  counted leaf;
  counted call;
  static inline int given_away = 0;
  explicit two_forks(bool is_torn) : engine(2, archetype::none, [this] { run(); }) {
    if (is_torn) tear(machine.at(1).tasks);
  }
  int branch() {
    if (machine.calling_worker()->index == 0) ++given_away;
    leaf();
    return 1;
  }
  void run() {
    const auto both = [this] {
      const auto [first, second] = fork([this] { return branch(); }, [this] { return branch(); });
      return first + second;
    };
    const auto [first, second] = fork(both, both);
    leaf.check(4, "a wait's leaf");
    if (first + second != 4) fail("a result was lost");
    call();
  }
  void check() override {
    leaf.check(4, "a leaf");
    call.check(1, "the call");
  }
};

TEST(Interleavings, ABranchThatIsGivenAwayIsRunOnceAndJoined) {
  expect_well(explore([] { return std::make_unique<two_forks>(false); }, 2));
  EXPECT_GT(two_forks::given_away, 0);
  EXPECT_NE(explore([] { return std::make_unique<two_forks>(true); }, 2).failure, "");
}

}  // namespace
}  // namespace maslin
