// What is charged to whose clock on described machines, and that nobody goes on too early.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "maslin/maslin.hpp"
#include "on_machine.hpp"

namespace ms = maslin;
using namespace std::chrono_literals;

namespace {

constexpr auto piece = 30ms;  // of real work
constexpr double piece_seconds = 30e-3;

void work() {
  const auto end = std::chrono::steady_clock::now() + piece;
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// What the creator's or another's code says, so that what follows in it is not measured.
void declare() { ms::cost(1us); }

/// Gives how long the program's code took, on one core if nothing is said.
double measured(const std::function<void()>& program, int count = 1) {
  double seconds = 0;
  run_on(cores(count), [&] {
    ms::wait();
    const auto begin = ms::time();
    program();
    seconds = (ms::time() - begin).count();
  });
  return seconds;
}

/// Expects that the program, in which one piece of work is not declared, is charged for it, and for it once.
void expect_charged_once(const std::function<void()>& program) {
  const auto begin = std::chrono::steady_clock::now();
  const double seconds = measured(program);
  const std::chrono::duration<double> real = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(seconds, 0.999 * piece_seconds);
  constexpr double declared_most = 10e-3;
  EXPECT_LT(seconds, real.count() + declared_most);
}

/// Expects that the work, all of which comes behind a cost, is not charged as well.
void expect_not_charged(const std::function<void()>& program) { EXPECT_LT(measured(program), piece_seconds); }

/// Runs the body as a task behind as many as a creator may have in flight, so that the creator runs it itself.
void behind_a_full_window(const std::function<void()>& body) {
  for (int i = 0; i < 4096; ++i) ms::task([] { ms::cost(0us); });
  ms::task([&body] { body(); });
}

void group_behind_a_full_window(const std::function<void()>& body) {
  ms::group all;
  for (int i = 0; i < 4096; ++i) all.task([] { ms::cost(0us); });
  all.task([&body] { body(); });
  all.wait();
}

void worked_behind_cost() {
  declare();
  work();
}

// Code that runs in place
// -------------------------------------------------------------------------------------------------------------------

TEST(InPlace, ATaskIsChargedOnceWhateverItsCreatorDeclares) {
  expect_charged_once([] { behind_a_full_window(work); });
  expect_charged_once([] {
    declare();
    behind_a_full_window(work);
  });
  expect_not_charged([] { behind_a_full_window(worked_behind_cost); });
}

TEST(InPlace, TheCreatorsCodeIsNotTheTasks) {
  expect_not_charged([] {
    declare();
    for (int i = 0; i < 4096; ++i) ms::task([] { ms::cost(0us); });
    work();
    ms::task([] {});
  });
  expect_charged_once([] {
    for (int i = 0; i < 4096; ++i) ms::task([] { ms::cost(0us); });
    work();
    ms::task([] { declare(); });
  });
}

TEST(InPlace, ATaskOfAGroupIsChargedOnce) {
  expect_charged_once([] { group_behind_a_full_window(work); });
  expect_charged_once([] {
    declare();
    group_behind_a_full_window(work);
  });
  expect_not_charged([] { group_behind_a_full_window(worked_behind_cost); });
}

TEST(InPlace, AStreamOfAPhaseIsChargedOnce) {
  const auto streams = [](void (*body)()) {
    ms::parallel_for(
        0, 1, [body](ms::range) { ms::phase("in place", 1, [body](std::int64_t) { body(); }); }, ms::block{1});
  };
  expect_charged_once([&] { streams(work); });
  expect_charged_once([&] {
    declare();
    streams(work);
  });
  expect_charged_once([&] {
    ms::parallel_for(
        0, 1,
        [](ms::range) {
          declare();
          ms::phase("in place", 1, [](std::int64_t) { work(); });
        },
        ms::block{1});
  });
  expect_not_charged([&] { streams(worked_behind_cost); });
}

TEST(InPlace, AStreamIsChargedToItsEnd) {
  expect_charged_once([] {
    declare();
    ms::phase("streams", 1, [](std::int64_t) { work(); });
  });
  expect_not_charged([] { ms::phase("streams", 1, [](std::int64_t) { worked_behind_cost(); }); });
}

TEST(InPlace, EachBlockOfALoopIsChargedForItself) {
  const auto loop = [](int working) {
    ms::parallel_for(
        0, 2, [working](ms::range r) { r.first == working ? work() : declare(); }, ms::block{1});
  };
  for (const int working : {0, 1}) {
    expect_charged_once([&] { loop(working); });
    expect_charged_once([&] {
      declare();
      loop(working);
    });
  }
  expect_not_charged([] {
    ms::parallel_for(
        0, 1, [](ms::range) { worked_behind_cost(); }, ms::block{1});
  });
}

TEST(InPlace, AKernelInsideAnotherDeclaresForItself) {
  static const ms::kernel inner{"inner", declare};
  static const ms::kernel outer{"outer", [] {
                                  ms::offload(inner);
                                  work();
                                }};
  static const ms::kernel declared_inner{"declared inner", worked_behind_cost};
  static const ms::kernel around{"around", [] { ms::offload(declared_inner); }};
  expect_charged_once([] { ms::offload(outer); });
  expect_not_charged([] { ms::offload(around); });
}

TEST(InPlace, ABranchDeclaresForItself) {
  expect_charged_once([] { ms::fork(declare, work); });
  expect_charged_once([] { ms::fork(work, declare); });
  expect_not_charged([] { ms::fork(worked_behind_cost, declare); });
  expect_not_charged([] { ms::fork(declare, worked_behind_cost); });
}

[[gnu::noinline]] void forks() { ms::fork(declare, work); }
/// Forks where so little of the stack may be left that this is done on another one.
void forks_further_down() {
  char much[300 * 1024];
  asm volatile("" : : "r"(much) : "memory");
  forks();
  asm volatile("" : : "r"(much) : "memory");
}

/// On two cores the second branch is given away.
TEST(InPlace, ABranchIsMeasuredOrNotWhereverItRuns) {
  const auto behind_cost = [] {
    ms::cost(100us);
    ms::fork(declare, work);
  };
  const auto in_a_branch = [] {
    ms::cost(100us);
    ms::fork([] { ms::fork([] { ms::fork(declare, declare); }, work); }, work);
  };
  const auto on_another_stack = [] {
    ms::cost(100us);
    ms::fork(forks_further_down, declare);
  };
  const auto in_a_task = [&] {
    ms::task([&] { behind_cost(); });
    ms::wait();
  };
  for (const int count : {1, 2}) {
    EXPECT_LT(measured(behind_cost, count), piece_seconds) << count;
    EXPECT_LT(measured(in_a_branch, count), piece_seconds) << count;
    EXPECT_LT(measured(on_another_stack, count), piece_seconds) << count;
    EXPECT_LT(measured(in_a_task, count), piece_seconds) << count;
    EXPECT_GE(measured([] { ms::fork(declare, work); }, count), 0.999 * piece_seconds) << count;
  }
}

TEST(InPlace, TheTasksOfALoopsBlocksAreWaitedForBehindTheLoop) {
  int done = 0, done_before_the_last = -1;
  measured([&] {
    ms::parallel_for(
        0, 8,
        [&](ms::range r) {
          if (r.first == 7) done_before_the_last = done;
          ms::task([&] { ++done; });
        },
        ms::block{1});
  });
  EXPECT_EQ(done_before_the_last, 0);
  EXPECT_EQ(done, 8);
}

TEST(InPlace, ALoopEndsBehindTheFirstBlockThatThrows) {
  int blocks = 0;
  measured([&] {
    const auto loop = [&] {
      ms::parallel_for(
          0, 1,
          [&](ms::range) {
            ms::parallel_for(
                0, 8,
                [&](ms::range r) {
                  ++blocks;
                  if (r.first == 2) throw std::runtime_error("the third");
                },
                ms::block{1});
          },
          ms::block{1});
    };
    EXPECT_THROW(loop(), std::runtime_error);
  });
  EXPECT_EQ(blocks, 3);
}

// Threads
// -------------------------------------------------------------------------------------------------------------------

TEST(Threads, WhatAnotherThreadCallsDoesNotLoseTheProgramsOwnTime) {
  double seconds = 0;
  run_on(cores(2), [&] {
    const auto begin = ms::time();
    work();
    std::thread([] { (void)ms::time(); }).join();
    seconds = (ms::time() - begin).count();
  });
  EXPECT_GE(seconds, 0.999 * piece_seconds);
}

TEST(Threads, WhoWaitsForAnotherThreadIsNotChargedForIt) {
  double seconds = 0;
  run_on(cores(2), [&] {
    const auto begin = ms::time();
    std::thread([] {
      (void)ms::time();
      std::this_thread::sleep_for(2 * piece);
    }).join();
    seconds = (ms::time() - begin).count();
  });
  EXPECT_LT(seconds, 2 * piece_seconds);
}

TEST(Threads, TimeDoesNotGoBackForTheProgramsOwnThread) {
  const variable how("MASLIN_DURATIONS", "declared");
  run_on(cores(2), [&] {
    std::chrono::duration<double> ended{};
    std::thread([&ended] {
      ms::task([&ended] {
        ms::cost(10ms);
        ended = ms::time();
      });
      ms::wait();
    }).join();
    EXPECT_GE(ms::time().count(), ended.count());
  });
}

TEST(Threads, AMutexIsOneThreadsAtATimeWhereTheOwnThreadsProcessorWasLent) {
  run_on(cores(2), [&] {
    ms::mutex m;
    std::atomic<int> holders{0};
    const auto hold = [&](std::chrono::milliseconds from, std::chrono::milliseconds length) {
      std::this_thread::sleep_for(from);
      const std::lock_guard held(m);
      EXPECT_EQ(++holders, 1);
      std::this_thread::sleep_for(length);
      --holders;
    };
    std::thread first([&] { hold(0ms, 300ms); });
    std::thread lends([&] { hold(100ms, 0ms); });  // nothing happens, so it has the own thread's processor lent
    hold(200ms, 0ms);
    first.join();
    lends.join();
  });
}

/// A runtime of this thread's has ended, so its code is no code of the machine that another thread starts.
TEST(Threads, WhereAForeignOneDrivesItsTimeIsNobodys) {
  run_on(cores(2), [] { ms::wait(); });
  const std::string trace = testing::TempDir() + "clocks.mtrace";
  const variable recorded("MASLIN_TRACE", trace);  // what goes on notes when
  std::atomic<bool> started{false}, over{false};
  std::thread other([&] {
    run_on(cores(2), [&] {
      ms::wait();
      started = true;
      while (!over) std::this_thread::sleep_for(1ms);
    });
  });
  while (!started) std::this_thread::sleep_for(1ms);
  for (int round = 0; round < 2; ++round) {  // in the second one no worker looks around any more
    double seconds = 0;
    ms::mutex m;
    std::atomic<bool> is_held{false}, waits{false};
    std::thread holder([&] {
      const std::lock_guard held(m);
      is_held = true;
      while (!waits) std::this_thread::sleep_for(1ms);
      std::this_thread::sleep_for(2 * piece);
    });
    while (!is_held) std::this_thread::sleep_for(1ms);
    ms::group waiting, others;
    waiting.task([&] {
      const auto begin = ms::time();
      const std::lock_guard held(m);
      seconds = (ms::time() - begin).count();
    });
    others.task([] { ms::cost(1ms); });
    others.wait();
    waits = true;
    waiting.wait();  // this thread drives, and nothing happens
    holder.join();
    EXPECT_GT(seconds, 0);
    EXPECT_LT(seconds, piece_seconds) << round;
  }
  over = true;
  other.join();
  std::filesystem::remove(trace);
}

// When code goes on
// -------------------------------------------------------------------------------------------------------------------

TEST(GoesOn, NoEarlierThanWordOfWhatItWaitedForArrives) {
  constexpr double handover = 0.5e-6;
  for (int tenths = 1; tenths <= 9; ++tenths) {
    const variable how("MASLIN_DURATIONS", "declared");
    const std::chrono::duration<double, std::micro> others(tenths * 0.1);
    run_on(cores(2), [&] {
      ms::task([&] {
        std::chrono::duration<double> child_ended{};
        ms::group short_ones;
        ms::task([&] {
          ms::cost(20us);
          child_ended = ms::time();
        });
        ms::cost(5us);  // the other worker has begun the child
        for (int i = 0; i < 200; ++i) short_ones.task([&] { ms::cost(others); });
        ms::wait();
        EXPECT_GE((ms::time() - child_ended).count(), 0.999 * handover) << tenths;
        short_ones.wait();
      });
      ms::wait();
    });
  }
}

// Slices
// -------------------------------------------------------------------------------------------------------------------

constexpr const char* accelerators = R"(
name = "accelerators"
{0}
[workers]
kind = "accelerator"
count = {1}
source = "this test"
[hosts]
contexts = {2}
quantum_us = 100
switch_us = 2
source = "this test"
[transfer]
signal_us = 1
bandwidth_gb_per_s = 10
source = "this test"
)";

std::string accelerators_behind_hosts(int count, int contexts) {
  return fmt::format(accelerators, "", count, contexts);
}

/// One stream's kernel is long, and the other stream is away for longer than a slice: the context is the one's, slice
/// after slice, and the other gets the next.
TEST(Slices, OfTheOperatingSystemFollowEachOtherWhileNobodyWantsTheNext) {
  static const ms::kernel long_one{"long", [] { ms::cost(2ms); }};
  for (const auto away : {130us, 450us, 730us}) {
    const variable how("MASLIN_DURATIONS", "declared"), host("MASLIN_HOST", "native"), pin("MASLIN_PIN", "streams=2x1");
    run_on(accelerators_behind_hosts(4, 1), [&] {
      ms::phase("streams", 2, [away](std::int64_t i) {
        if (i == 0) return ms::offload(long_one);
        const auto begin = ms::time();
        ms::task([away] { ms::cost(away); });
        ms::wait();
        // The one had the context again from 109 us on, and changing threads takes 2 us.
        EXPECT_EQ(std::llround(ms::time().count() * 1e6) % 100, 11);
        EXPECT_GE(ms::time() - begin, away);
      });
    });
  }
}

/// What both take together goes beyond the end of virtual time.
TEST(Slices, AreGivenUntilVirtualTimeEnds) {
  const variable how("MASLIN_DURATIONS", "declared"), host("MASLIN_HOST", "native"), pin("MASLIN_PIN", "streams=2x1");
  std::string machine = accelerators_behind_hosts(4, 1);
  const std::string quantum = "quantum_us = 100";
  machine.replace(machine.find(quantum), quantum.size(), "quantum_us = 1000000000");
  run_on(machine, [] {
    ms::phase("streams", 2, [](std::int64_t i) {
      ms::cost(std::chrono::duration<double>(i == 0 ? 8.9e6 : 1e6));
      EXPECT_NEAR(ms::time().count(), i == 0 ? 9e6 : 2e6, 2e3);  // two slices
    });
  });
}

// Links
// -------------------------------------------------------------------------------------------------------------------

constexpr const char* link_between = R"(
[[link]]
between = "{}"
latency_us = 50
bandwidth_gb_per_s = 10
source = "this test"
)";

std::string two_nodes_of_accelerators() {
  return fmt::format(accelerators, "nodes = 2", 1, 1) + fmt::format(link_between, "nodes");
}

TEST(Links, BetweenAHostAndAWorkerOfAnotherNodeAreCharged) {
  const variable how("MASLIN_DURATIONS", "declared");
  run_on(two_nodes_of_accelerators(), [&] {
    double first = 0, second = 0;
    ms::task([&] {
      first = ms::time().count();
      ms::cost(500us);
    });
    ms::task([&] { second = ms::time().count(); });
    EXPECT_EQ(ms::time().count(), 52e-6);  // two signals, of which one crosses the link
    ms::wait();
    EXPECT_EQ(first, 1e-6);
    EXPECT_EQ(second, 52e-6);
  });
}

TEST(Links, BetweenHostsOfTwoNodesAreCharged) {
  const variable how("MASLIN_DURATIONS", "declared"), pin("MASLIN_PIN", "streams=2x1");
  run_on(two_nodes_of_accelerators(), [&] {
    double ended = 0;
    ms::phase("streams", 2, [&](std::int64_t i) {
      ms::cost(i == 0 ? 1us : 100us);
      ended = std::max(ended, ms::time().count());
    });
    EXPECT_GE(ms::time().count(), ended + 0.999 * 50e-6);  // that the last stream has ended is known on the other node
  });
}

TEST(Links, AreNotCrossedByAStreamWhoseHostIsItsWorkersOwn) {
  static const ms::kernel kernel{"kernel", [] { ms::cost(10us); }};
  const variable how("MASLIN_DURATIONS", "declared"), pin("MASLIN_PIN", "streams=2x1");
  run_on(two_nodes_of_accelerators(), [&] {
    ms::phase("streams", 2, [&](std::int64_t) {
      const auto begin = ms::time();
      ms::offload(kernel);
      EXPECT_EQ(std::llround((ms::time() - begin).count() * 1e9), 12'000);
    });
  });
}

TEST(Links, AreCrossedByWhoTakesWorkFromAnotherGroup) {
  const std::string machine = R"(
name = "two groups of one core"
[workers]
kind = "cpu"
count = 2
groups = 2
source = "this test"
[dispatch]
handover_us = 0.5
source = "this test"
)" + fmt::format(link_between, "groups");
  const variable how("MASLIN_DURATIONS", "declared");
  run_on(machine, [&] {
    double stolen = 0;
    ms::task([&] { stolen = ms::time().count(); });
    ms::cost(500us);
    ms::wait();
    EXPECT_EQ(std::llround(stolen * 1e9), 101'000);  // the signal and the theft, which cross the link both
  });
}

// Memory: a byte takes a nanosecond.
std::string with_memory(int count, int shared_by) {
  return cores(count) + fmt::format(R"(
[[memory]]
level = "memory"
bytes = 1000000000
shared_by = {}
bandwidth_gb_per_s = 1
source = "this test"
)",
                                    shared_by);
}

/// Gives the microseconds of a loop of blocks of 10 us that move so many bytes each, on four workers.
double us_of_loop(std::int64_t bytes, int shared_by, int blocks = 4, ms::schedule policy = ms::schedule::static_) {
  const variable how("MASLIN_DURATIONS", "declared");
  double us = 0;
  std::string machine = with_memory(4, shared_by);
  machine.erase(machine.find("[dispatch]"), machine.find("[[memory]]") - machine.find("[dispatch]"));
  run_on(machine, [&] {
    const auto begin = ms::time();
    ms::parallel_for(
        0, blocks,
        [bytes](ms::range) {
          ms::memory_traffic(bytes);
          ms::cost(10us);
        },
        policy, ms::block{1});
    us = (ms::time() - begin).count() * 1e6;
  });
  return us;
}

TEST(Memory, IsWaitedForOnlyByThoseThatMoveMoreThanItCan) {
  EXPECT_DOUBLE_EQ(us_of_loop(0, 4), 10);
  EXPECT_DOUBLE_EQ(us_of_loop(2'500, 4), 10);  // all that it can move meanwhile
  EXPECT_DOUBLE_EQ(us_of_loop(5'000, 4), 20);
  EXPECT_DOUBLE_EQ(us_of_loop(5'000, 4, 8), 40);
  EXPECT_DOUBLE_EQ(us_of_loop(5'000, 2), 10);  // two instances
  EXPECT_DOUBLE_EQ(us_of_loop(20'000, 1), 20);
  EXPECT_DOUBLE_EQ(us_of_loop(20'000, 4, 4, ms::schedule::dbs), 80);  // the last one also waits at its end
}

TEST(Memory, IsOfOneNodeAlsoWhereAnInstanceHasFewerWorkersThere) {
  // Two nodes of three workers, two of which share an instance: the third one of the first node has one to itself, and
  // so has nothing in common with the first one of the second node.
  const variable how("MASLIN_DURATIONS", "declared");
  std::string machine = "nodes = 2\n" + with_memory(3, 2);
  machine.erase(machine.find("[dispatch]"), machine.find("[[memory]]") - machine.find("[dispatch]"));
  const auto us_of = [&](std::int64_t one, std::int64_t other) {
    double us = 0;
    run_on(machine, [&] {
      const auto begin = ms::time();
      ms::parallel_for(
          0, 6,
          [=](ms::range r) {
            if (*r.begin() == one || *r.begin() == other) ms::memory_traffic(10'000);
            ms::cost(10us);
          },
          ms::schedule::static_, ms::block{1});
      us = (ms::time() - begin).count() * 1e6;
    });
    return us;
  };
  EXPECT_DOUBLE_EQ(us_of(0, 1), 20);
  EXPECT_DOUBLE_EQ(us_of(1, 2), 10);
  EXPECT_DOUBLE_EQ(us_of(2, 3), 10);
  EXPECT_DOUBLE_EQ(us_of(3, 4), 20);
}

TEST(Static, WhoIsDoneDoesThePartOfWhoHasNotCome) {
  // Each of two workers has such a loop within its part of another one: the first half takes 1 ms, the second one 3.
  const variable how("MASLIN_DURATIONS", "declared");
  const auto halves = [](ms::range) {
    ms::cost(10us);  // by then both are at work
    ms::parallel_for(
        0, 2, [](ms::range r) { ms::cost(*r.begin() == 0 ? 1ms : 3ms); }, ms::schedule::static_, ms::block{1});
  };
  const double seconds = measured([&] { ms::parallel_for(0, 2, halves, ms::schedule::static_, ms::block{1}); }, 2);
  EXPECT_NEAR(seconds, 4e-3, 1e-4);  // and not 6: the first worker would wait 2 ms, and the second one has 3 ms more
}

TEST(Memory, MovesNoLessThanNothing) {
  run_on(with_memory(1, 1), [] { EXPECT_THROW(ms::memory_traffic(-1), ms::error); });
}

TEST(Memory, CountsWhereItTakesItsTimeOrATraceIsRecorded) {
  bool slow = false, free = true;
  run_on(with_memory(1, 1), [&] { slow = ms::memory_traffic_counts(); });
  std::string machine = with_memory(1, 1);
  machine.erase(machine.find("[[memory]]"));
  run_on(machine, [&] { free = ms::memory_traffic_counts(); });
  EXPECT_TRUE(slow);
  EXPECT_FALSE(free);
  const auto counts_here = [] {
    const ms::Runtime runtime(ms::Runtime::options{.workers = 1, .serial = false});
    return ms::memory_traffic_counts();
  };
  EXPECT_FALSE(counts_here());
  const variable trace("MASLIN_TRACE", "counts.mtrace");
  EXPECT_TRUE(counts_here());
}

TEST(Memory, IsWaitedForByWhateverMovesData) {
  const variable how("MASLIN_DURATIONS", "declared");
  run_on(with_memory(2, 2), [] {
    const auto since = [](auto begin) { return std::llround((ms::time() - begin).count() * 1e9); };
    auto begin = ms::time();
    ms::memory_traffic(50'000);
    ms::cost(20us);
    EXPECT_EQ(since(begin), 50'000);  // the program itself
    ms::cost(10us);
    EXPECT_EQ(since(begin), 50'000);  // it goes on meanwhile
    ms::cost(30us);
    EXPECT_EQ(since(begin), 60'000);

    begin = ms::time();
    double ended = 0;
    ms::task([&] {
      ms::memory_traffic(30'000);
      ms::cost(1us);
    });
    ms::wait();
    ended = static_cast<double>(since(begin));
    EXPECT_GE(ended, 30'000);
    EXPECT_LT(ended, 35'000);
    // What nobody else moves now is not waited for.
    begin = ms::time();
    ms::task([] { ms::cost(1us); });
    ms::wait();
    EXPECT_LT(since(begin), 5'000);
  });
}

}  // namespace
