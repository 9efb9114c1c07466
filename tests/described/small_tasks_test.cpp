// Tasks on described machines go by the rules of CPU cores: one that is too small to be handed over is run by its
// creator, and a worker goes on with the first task that its last one made ready.

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <stdexcept>
#include <vector>

#include "maslin/maslin.hpp"
#include "on_machine.hpp"

namespace ms = maslin;
using namespace std::chrono_literals;

namespace {

// What handing a task over takes in `cores`, and waking a worker that sleeps.
constexpr double task_seconds = 0.2e-6, handover_seconds = 0.5e-6, wake_seconds = 2e-6;

/// Gives the seconds that the program takes on so many cores, only declared costs counting.
double declared(int count, const std::function<void()>& program) {
  double seconds = 0;
  const variable how("MASLIN_DURATIONS", "declared");
  run_on(cores(count), [&] {
    const auto begin = ms::time();
    program();
    seconds = (ms::time() - begin).count();
  });
  return seconds;
}

/// Gives how many of these tasks had run when their creation returned.
int run_at_once(int tasks, std::chrono::nanoseconds each) {
  int at_once = 0;
  declared(4, [&] {
    for (int i = 0; i < tasks; ++i) {
      bool has_run = false;
      ms::task([&, each] { has_run = (ms::cost(each), true); });
      at_once += has_run;
      if (!has_run) ms::wait();
    }
  });
  return at_once;
}

TEST(SmallTasks, OnesBelowTheirHandingOverAreRunAtOnceWhenThatIsKnown) {
  EXPECT_EQ(run_at_once(100, 100ns), 100 - 8);
  EXPECT_EQ(run_at_once(100, 300ns), 0);
}

TEST(SmallTasks, AUserMaySwitchThatOff) {
  const variable off("MASLIN_AT_ONCE", "0");
  EXPECT_EQ(run_at_once(100, 100ns), 0);
}

TEST(SmallTasks, TheyTakeTheirCreatorNothingButTheirBodies) {
  constexpr int known = 8, later = 1000;
  const double seconds = declared(4, [] {
    const auto all = [](int count) {
      for (int i = 0; i < count; ++i) ms::task([] { ms::cost(100ns); });
    };
    all(known);
    ms::wait();
    const auto begin = ms::time();
    all(later);
    EXPECT_NEAR((ms::time() - begin).count(), later * 100e-9, 1e-12);
    ms::wait();
  });
  EXPECT_LT(seconds, later * 100e-9 + known * (100e-9 + task_seconds + handover_seconds + wake_seconds));
}

TEST(SmallTasks, ShortOnesAreKeptWhileOthersFindEnough) {
  EXPECT_EQ(run_at_once(100, 2us), 0);  // nobody else had anything to do
  constexpr int tasks = 2000;
  int at_once = 0, creating = -1;
  const double seconds = declared(4, [&] {
    for (int i = 0; i < tasks; ++i) {
      ms::cost(200ns);  // to create a task takes no time here
      creating = i;
      ms::task([&, i] { at_once += (ms::cost(2us), creating == i); });
    }
    ms::wait();
  });
  EXPECT_GT(at_once, tasks / 8);
  EXPECT_LT(at_once, tasks / 2);
  EXPECT_GE(seconds, tasks * 2e-6 / 4);
  EXPECT_LE(seconds, tasks * (2e-6 + 2 * task_seconds) / 4 * 1.1);
}

TEST(SmallTasks, WithDataTheyAreRunAtOnceWhereNothingIsInFlight) {
  const variable plain("MASLIN_CHECK", "0");  // a check, which a build with assertions has, needs every task
  std::vector<double> x(4, 0.0);
  declared(4, [&] {
    const auto add = [&] { ms::task([](ms::view<double> v) { ms::cost(100ns), v[0] += 1; }, ms::inout(x)); };
    for (int i = 0; i < 8; ++i) add();
    ms::wait();
    const double before = x[0];
    add();
    EXPECT_EQ(x[0], before + 1);
  });
  EXPECT_EQ(x[0], 9);
}

TEST(SmallTasks, OnesThatLeaveTasksBehindAreHandedOver) {
  int done = 0;
  const auto leaves_one = [&] {
    ms::cost(50ns);
    ms::task([&] { done += (ms::cost(1ms), 1); });
  };
  declared(2, [&] {
    for (int i = 0; i < 20; ++i) {
      const int before = done;
      ms::task(leaves_one);
      EXPECT_EQ(done, before);
      ms::wait();
    }
  });
  EXPECT_EQ(done, 20);
}

TEST(SmallTasks, WhatTheyThrowArrivesAtTheWait) {
  int ran = 0;
  declared(2, [&] {
    for (int i = 0; i < 20; ++i) {
      ms::task([&, i] {
        ms::cost(100ns);
        ++ran;
        if (i == 15) throw std::runtime_error("the sixteenth");
      });
      if (i < 8) ms::wait();
    }
    EXPECT_THROW(ms::wait(), std::runtime_error);
  });
  EXPECT_EQ(ran, 20);
}

/// One runtime after the other in a process gives the same, too.
TEST(SmallTasks, TheSameCostsGiveTheSameTime) {
  const auto program = [] {
    ms::group all;
    for (int i = 0; i < 500; ++i) all.task([i] { ms::cost((i % 7) * 400ns); });
    all.wait();
  };
  const double first = declared(3, program);
  EXPECT_EQ(declared(3, program), first);
  EXPECT_GE(first, 0.99 * (0 + 1 + 2 + 3 + 4 + 5 + 6) * 400e-9 * (500.0 / 7) / 3);
}

TEST(SmallTasks, AWorkerGoesOnWithWhatItsTaskMadeReadyAndTellsNobody) {
  constexpr int length = 100;
  std::vector<double> x(4, 0.0);
  const double seconds = declared(4, [&] {
    for (int i = 0; i < length; ++i) ms::task([](ms::view<double>) { ms::cost(20us); }, ms::inout(x));
    ms::wait();
  });
  constexpr double each = 20e-6 + task_seconds;
  EXPECT_GE(seconds, length * each);
  EXPECT_LE(seconds,
            length * each + 3 * (handover_seconds + wake_seconds));  // nobody was woken for a link of the chain
}

TEST(SmallTasks, AnUrgentTaskGoesBeforeTheRestOfAChain) {
  std::vector<int> order;
  std::vector<double> x(4, 0.0);
  declared(1, [&] {
    for (int i = 0; i < 3; ++i)
      ms::task(
          [&, i](ms::view<double>) {
            ms::cost(20us);
            order.push_back(i);
            if (i == 0)
              ms::task(
                  [&] {
                    ms::cost(20us);
                    order.push_back(10);
                  },
                  ms::priority{1});
          },
          ms::inout(x));
    ms::wait();
  });
  EXPECT_EQ(order, (std::vector<int>{0, 10, 1, 2}));
}

}  // namespace
