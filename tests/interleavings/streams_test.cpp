// The engine (src/exec/core) on the archetype of a machine: phases, and the life of their streams.

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

#include "engine.hpp"

namespace maslin {
namespace {

using explorer::explore;

/// Each stream has one worker, but that of `wide`, where there are two.
void pin_phases() { setenv("MASLIN_PIN", "explored=2x1,beside=1x1,wide=1x2", 1); }

/// While a worker runs a loop, or creates tasks and waits for them, a phase divides its team and ends.
struct divided_team : engine {
  enum work { a_loop, tasks };
  std::array<counted, 2> piece;
  counted call, stream, phases;
  std::function<void(std::int64_t)> loop_body{[this](std::int64_t i) { piece[static_cast<std::size_t>(i)](); }};
  std::array<std::function<void()>, 2> task_bodies{[this] { piece[0](); }, [this] { piece[1](); }};
  std::function<void(std::int64_t)> stream_body{[this](std::int64_t) { stream(); }};

  divided_team(work what, archetype::mistake m) : engine(2, m, [this, what] { run(what); }) {
    outside([this] {
      phase("explored", 1, stream_body);
      stream.check(1, "a phase's stream");
      phases();
    });
  }
  void run(work what) {
    if (what == a_loop) {
      shared_loop(2, loop_body);
    } else {
      for (auto& body : task_bodies) submit(*current_context().children, body);
      await_tasks(machine, current_context());
    }
    check_pieces();
    call();
  }
  void check_pieces() {
    for (counted& each : piece) each.check(1, "a block or task");
  }
  void check() override {
    check_pieces();
    call.check(1, "the call");
    stream.check(1, "a stream");
    phases.check(1, "the phase");
  }
};

TEST(Interleavings, ATeamIsDividedAndPutTogetherAroundItsWork) {
  pin_phases();
  for (const auto what : {divided_team::a_loop, divided_team::tasks}) {
    const int preemptions = what == divided_team::a_loop ? 2 : 1;
    expect_well(explore([what] { return std::make_unique<divided_team>(what, archetype::none); }, preemptions));
    const auto stays = [what] { return std::make_unique<divided_team>(what, archetype::stays_in_its_team); };
    EXPECT_NE(explore(stays, 2).failure, "");
  }
}

/// A stream waits for a task that lies in the centre since before its team was divided.
struct task_in_the_centre : engine {
  scope group{nullptr, scope::creators::many};
  counted task, stream;
  std::function<void()> task_body{[this] { task(); }};
  std::function<void(std::int64_t)> stream_body{[this](std::int64_t i) {
    if (i == 0) suspend_until(machine, group);
    stream();
  }};

  explicit task_in_the_centre(archetype::mistake m) : engine(2, m) {
    outside([this] {
      submit(group, task_body);
      phase("explored", 2, stream_body);
    });
  }
  void check() override {
    task.check(1, "the task");
    stream.check(2, "a stream");
  }
};

TEST(Interleavings, AWorkerOfADividedTeamTakesWhatTheWholeHasInItsCentre) {
  pin_phases();
  expect_well(explore([] { return std::make_unique<task_in_the_centre>(archetype::none); }, 1));
  EXPECT_NE(
      explore([] { return std::make_unique<task_in_the_centre>(archetype::does_not_take_from_whole_team); }, 1).failure,
      "");
}

/// A second phase takes the worker of a stream, which is suspended at its off-load and resumed on the worker that is
/// left, where the other stream waits for it. So does that of the second phase.
struct two_phases : engine {
  scope first_stream{nullptr, scope::creators::many};  ///< has it as its member
  counted kernel, stream, other, phases;
  static inline int moved = 0;
  std::function<void()> kernel_body{[this] { kernel(); }};
  std::function<void(std::int64_t)> stream_body{[this](std::int64_t i) {
    const int began = machine.calling_worker()->index;
    offload(kernel_body);
    if (machine.calling_worker()->index != began) ++moved;
    if (i == 0)
      first_stream.leave();
    else
      suspend_until(machine, first_stream);
    stream();
  }};
  std::function<void(std::int64_t)> other_body{[this](std::int64_t) {
    suspend_until(machine, first_stream);
    other();
  }};

  explicit two_phases(archetype::mistake m) : engine(2, m) {
    first_stream.enter();
    outside([this] {
      phase("explored", 2, stream_body);
      stream.check(2, "a phase's stream");
      phases();
    });
    outside([this] {
      phase("beside", 1, other_body);
      other.check(1, "a phase's stream");
      phases();
    });
  }
  void check() override {
    kernel.check(2, "a kernel");
    stream.check(2, "a stream");
    other.check(1, "the other stream");
    phases.check(2, "a phase");
  }
};

TEST(Interleavings, AStreamThatLosesItsWorkerGoesOnElsewhere) {
  pin_phases();
  expect_well(explore([] { return std::make_unique<two_phases>(archetype::none); }, 1));
  EXPECT_GT(two_phases::moved, 0);
  EXPECT_NE(explore([] { return std::make_unique<two_phases>(archetype::forgets_suspended_streams); }, 1).failure, "");
}

/// A stream runs a loop by itself, beside a phase that has the other worker. When that phase ends, its worker is the
/// stream's, too: it may have to take another place, and the other worker does some of the loop.
struct phase_that_grows : engine {
  std::array<counted, 3> piece;
  std::array<int, 3> ran_on{};
  counted stream, other;
  static inline int shared = 0, moved = 0;
  std::function<void(std::int64_t)> loop_body{[this](std::int64_t i) {
    ran_on[static_cast<std::size_t>(i)] = machine.calling_worker()->index;
    piece[static_cast<std::size_t>(i)]();
  }};
  std::function<void(std::int64_t)> stream_body{[this](std::int64_t) {
    const int began = machine.calling_worker()->index;
    shared_loop(3, loop_body);
    for (counted& each : piece) each.check(1, "a block");
    if (ran_on.front() != ran_on.back()) ++shared;
    if (machine.calling_worker()->index != began) ++moved;
    stream();
  }};
  std::function<void(std::int64_t)> other_body{[this](std::int64_t) { other(); }};

  explicit phase_that_grows(archetype::mistake m) : engine(2, m) {
    outside([this] { phase("beside", 1, other_body); });
    outside([this] { phase("wide", 1, stream_body); });
  }
  void check() override {
    stream.check(1, "the stream");
    other.check(1, "the other stream");
  }
};

TEST(Interleavings, ALoopOfANarrowStreamIsSharedWhenItGetsAnotherWorker) {
  pin_phases();
  expect_well(explore([] { return std::make_unique<phase_that_grows>(archetype::none); }, 1));
  EXPECT_GT(phase_that_grows::shared, 0);
  EXPECT_GT(phase_that_grows::moved, 0);
}

}  // namespace
}  // namespace maslin
