#include "model/layers/prediction.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/layers/layouts.hpp"

namespace maslin::layers {
namespace {

constexpr double us = 1e-6;

constant known(double value, double error = 0) { return {value, error, true}; }

/// Six accelerators behind one core of two hardware threads.
machine console() {
  machine m;
  m.name = "console";
  m.workers = 6;
  m.contexts = 2;
  m.threads_per_core = 2;
  return m;
}

/// Two nodes of two accelerators, over a link of 40 us.
machine two_nodes() {
  machine m = console();
  m.workers = 2;
  m.nodes = 2;
  m.threads_per_core = 1;
  m.cost.between_nodes = known(40 * us);
  return m;
}

/// A stream of so many equal off-loads; times in microseconds, of each.
stream off_loading(int kernels, double host, double serial, double loop, std::int64_t blocks) {
  stream s;
  s.kernels = kernels;
  s.host = kernels * host * us;
  s.serial = kernels * serial * us;
  s.in_kernel = {{kernels, blocks, kernels * loop * us}};
  s.host_squares = kernels * host * host * us * us;
  s.kernel_squares = kernels * (serial + loop) * (serial + loop) * us * us;
  return s;
}

phase of(int streams, const stream& each) {
  return {"p", {phase_run{std::vector<stream>(static_cast<std::size_t>(streams), each)}}};
}

TEST(Prediction, OneStreamTakesWhatItsPartsTake) {
  // 10 off-loads: 20 us on the host, 8 us alone, 36 us in 6 blocks.
  const phase p = of(1, off_loading(10, 20, 8, 36, 6));
  EXPECT_NEAR(predict(p, console(), {1, 1, 1, 1}, {}).seconds, 640 * us, 1e-12);
  EXPECT_NEAR(predict(p, console(), {1, 1, 1, 2}, {}).seconds, 460 * us, 1e-12);  // 20 + 8 + 18
  EXPECT_NEAR(predict(p, console(), {1, 1, 1, 4}, {}).seconds, 400 * us, 1e-12);  // two blocks for some
  EXPECT_NEAR(predict(p, console(), {1, 1, 1, 6}, {}).seconds, 340 * us, 1e-12);
}

TEST(Prediction, ThreadsOnOneHardwareThreadAreSlowedByAlpha) {
  machine m = console();
  m.cost.contention = known(0.5);
  m.threads_per_core = 1;
  // Four streams, two to a hardware thread: α = 1.5, so 30 us each and a kernel of 100: nobody waits but at the start.
  const phase p = of(4, off_loading(10, 20, 100, 0, 1));
  const prediction at = predict(p, m, {1, 1, 4, 1}, {});
  EXPECT_NEAR(at.seconds, (10 * 130 + 30) * us, 1e-9);
  EXPECT_NEAR(at.by.host, 10 * 30 * us, 1e-9);
  EXPECT_NEAR(at.by.serial, 10 * 100 * us, 1e-9);
  EXPECT_NEAR(at.by.waiting, 30 * us, 1e-9);
  EXPECT_NEAR(at.idealised, 10 * 130 * us, 1e-9);
}

TEST(Prediction, ABusyNeighbourOfTheCoreSlowsTheHost) {
  machine m = console();
  m.cost.smt = known(0.5);
  const phase p = of(2, off_loading(10, 20, 100, 0, 1));
  EXPECT_NEAR(predict(p, m, {1, 1, 1, 1}, {}).seconds, 2 * 10 * 120 * us, 1e-9);  // one after the other
  EXPECT_NEAR(predict(p, m, {1, 1, 2, 1}, {}).seconds, 10 * 130 * us, 1e-9);
}

TEST(Prediction, SignalsAndSwitchesCostWhatIsDescribed) {
  machine m = console();
  m.contexts = m.threads_per_core = 1;
  m.cost.signal = known(1 * us);
  m.cost.context_switch = known(2 * us);
  // One stream: all six workers are told at the start and at the end; each off-load is a signal there and one back.
  const phase one = of(1, off_loading(10, 20, 100, 0, 1));
  EXPECT_NEAR(predict(one, m, {1, 1, 1, 1}, {}).seconds, (6 + 10 * (20 + 1 + 100 + 1) + 6) * us, 1e-9);
  // Two that share the hardware thread and have no time to wait: 20 + 1 + 2 for each in turn.
  const phase two = of(2, off_loading(10, 20, 1, 0, 1));
  EXPECT_NEAR(predict(two, m, {1, 1, 2, 1}, {}).seconds, (6 + 10 * 2 * 23 + 2 + 6) * us, 1e-9);
}

TEST(Prediction, WorkersThatRunEverythingTakeStreamsInOrder) {
  machine m;
  m.workers = 4;
  const phase p = of(3, off_loading(1, 10, 0, 60, 6));
  EXPECT_NEAR(predict(p, m, {1, 1, 1, 4}, {}).seconds, 3 * 30 * us, 1e-12);  // 10 + two blocks
  EXPECT_NEAR(predict(p, m, {1, 1, 3, 1}, {}).seconds, 70 * us, 1e-12);
  EXPECT_NEAR(predict(p, m, {1, 1, 2, 2}, {}).seconds, 2 * 40 * us, 1e-12);  // two, then the third
}

TEST(Prediction, SpeedsScaleWhatWasRecorded) {
  machine m = console();
  m.worker_speed = 2;
  m.host_speed = 0.5;
  EXPECT_NEAR(predict(of(1, off_loading(1, 20, 8, 0, 1)), m, {1, 1, 1, 1}, {}).seconds, (40 + 4) * us, 1e-12);
}

TEST(Prediction, RanksAsStreamsDivideTheLoopsOfOneStream) {
  wishes w;
  w.ranks = ranks_are::streams;
  machine m = console();
  m.threads_per_core = 1;
  // Two ranks: 20 us each at a time, 8 us, and 18 of 36 us in 3 blocks.
  EXPECT_NEAR(predict(of(1, off_loading(1, 20, 8, 36, 6)), m, {1, 1, 2, 3}, w).seconds, (20 + 8 + 6) * us, 1e-12);
}

TEST(Prediction, RanksAsProcessesPayForMessages) {
  wishes w;
  w.ranks = ranks_are::processes;
  w.all_reduces = {3, 8};
  w.sends = {2, 1000};
  machine m = console();
  m.threads_per_core = 1;
  m.nodes = 2;
  m.cost.between_nodes = known(50 * us);
  m.cost.node_byte = known(0.01 * us);
  // One rank on each of two nodes: half of the loop; 3 all-reduces of 2 messages of 50.08 us, 2 messages of 60 us.
  const prediction at = predict(of(1, off_loading(1, 20, 8, 36, 6)), m, {2, 1, 1, 3}, w);
  EXPECT_NEAR(at.by.communication, (3 * 2 * 50.08 + 2 * 60) * us, 1e-10);
  EXPECT_NEAR(at.seconds, (20 + 8 + 6) * us + at.by.communication, 1e-10);
}

TEST(Prediction, ATeamAcrossTwoGroupsOrNodesPaysForTheirLink) {
  machine m;
  m.workers = 4;
  m.groups = 2;
  m.cost.between_groups = known(5 * us);
  m.cost.between_nodes = known(50 * us);
  // Two workers are in the other group: telling them takes 10 us when the phase begins, and when it ends.
  // A loop of 40 us in 4 blocks on 3 workers: the third, which is in the other group, is called by the second.
  const phase p = of(1, off_loading(1, 0, 0, 40, 4));
  const double near = predict(p, m, {1, 1, 1, 2}, {}).seconds;
  const double far = predict(p, m, {1, 1, 1, 3}, {}).seconds;
  EXPECT_NEAR(near, (10 + 20 + 10) * us, 1e-12);
  // The second calls while the caller does two blocks; then it does its own.
  EXPECT_NEAR(far, (10 + 20 + 10) * us, 1e-12);
  m.cost.between_groups = known(15 * us);
  EXPECT_NEAR(predict(p, m, {1, 1, 1, 3}, {}).seconds, (30 + 15 + 10 + 30) * us, 1e-12);
}

TEST(Prediction, AWorkerToWhichWordIsOnItsWayDoesNotHelpEarlier) {
  // The stream of each node has a loop of 100 us in 10 blocks. The workers of the other node are told over the link,
  // the leader first.
  const machine m = two_nodes();
  wishes w;
  w.ranks = ranks_are::streams;
  const phase p = of(1, off_loading(1, 0, 0, 200, 20));
  // The leader there begins at 40 us; its second worker comes at 80 us, when four blocks are done. With it the other
  // six take 30 us. Then the two workers there are told that the phase is over, and the program is.
  EXPECT_NEAR(predict(p, m, {1, 1, 2, 2}, w).seconds, (110 + 80 + 40) * us, 1e-9);
  // A stream here has its team at once.
  EXPECT_NEAR(predict(p, m, {1, 1, 1, 2}, w).seconds, (100 + 80) * us, 1e-9);
}

TEST(Prediction, WhoHasNoWordYetIsNotToldThatThePhaseIsOver) {
  const machine m = two_nodes();
  // The workers of the other node have word at 40 and 80 us. At 50 us one of them is told that it is over.
  EXPECT_NEAR(predict(of(1, off_loading(1, 0, 50, 0, 1)), m, {1, 1, 1, 1}, {}).seconds, (50 + 40) * us, 1e-12);
  EXPECT_NEAR(predict(of(1, off_loading(1, 0, 100, 0, 1)), m, {1, 1, 1, 1}, {}).seconds, (100 + 80) * us, 1e-12);
  // The program goes on once it has told all that the phase has begun.
  EXPECT_NEAR(predict(of(1, off_loading(1, 0, 20, 0, 1)), m, {1, 1, 1, 1}, {}).seconds, 80 * us, 1e-12);
}

TEST(Prediction, NoLayoutIsFasterBecauseWordComesLater) {
  // Seven consoles. Kernels are so short that sharing them does not always pay: then a team that is smaller as long as
  // word is on its way is faster, and nothing may be counted for that.
  machine m = console();
  m.nodes = 7;
  m.cost.smt = known(0.33);
  m.cost.context_switch = known(1.5 * us);
  m.cost.signal = known(0.5 * us);
  for (const stream& each : {off_loading(24, 18, 3, 18, 7), off_loading(24, 18.4, 7.6, 35.4, 15)}) {
    const phase p = of(192, each);
    for (const layout& at : layouts_of(m, 192, ranks_are::none)) {
      m.cost.between_nodes = known(0);
      const double soon = predict(p, m, at, {}).seconds;
      m.cost.between_nodes = known(40 * us);
      EXPECT_GE(predict(p, m, at, {}).seconds, soon * (1 - 1e-9)) << at.streams << "x" << at.width;
    }
  }
}

TEST(Prediction, ErrorsOfCostsAddUpAsIndependentOnesDo) {
  machine m = console();
  m.contexts = m.threads_per_core = 1;
  m.cost.signal = known(1 * us, 0.1 * us);
  const phase p = of(1, off_loading(10, 20, 100, 0, 1));
  const prediction at = predict(p, m, {1, 1, 1, 1}, {});
  // 32 signals (12 of the phase, 20 of its off-loads), each off by 0.1 us in the same direction; and the model's own.
  EXPECT_NEAR(at.error, std::hypot(32 * 0.1 * us, error_of_the_model * at.seconds), 1e-10);
}

TEST(Prediction, TheProfilesErrorIsThatOfItsKernels) {
  stream s = off_loading(100, 0, 10, 0, 1);
  s.in_kernel.clear();
  s.kernel_squares = 100 * (10 * 10 + 4) * us * us;  // lengths vary by 2 us
  const prediction at = predict(of(1, s), console(), {1, 1, 1, 1}, {});
  EXPECT_NEAR(at.error, std::hypot(0.02 * at.by.serial, error_of_the_model * at.seconds), 1e-10);
}

TEST(Prediction, MemoryIsSharedAsItsSaturationCurveSays) {
  machine m;
  m.workers = 4;
  m.measured_curves.saturation = {{1, {10e9, 0}}, {4, {20e9, 0}}};
  const phase p = of(4, off_loading(1, 0, 100, 0, 1));
  wishes w;
  EXPECT_NEAR(predict(p, m, {1, 1, 4, 1}, w).seconds, 100 * us, 1e-12);
  w.memory_traffic = 10e9;  // all of what one worker gets: four get twice as much
  EXPECT_NEAR(predict(p, m, {1, 1, 4, 1}, w).seconds, 200 * us, 1e-12);
  w.memory_traffic = 5e9;  // half of the time
  EXPECT_NEAR(predict(p, m, {1, 1, 4, 1}, w).seconds, 150 * us, 1e-12);
}

/// Ten off-loads of 5 us on the host and a loop of 8 blocks, which computes 80 us and moves so many bytes.
stream moving(double bytes) {
  stream s = off_loading(10, 5, 0, 80, 8);
  s.in_kernel.front().bytes_moved = 10 * bytes;
  return s;
}

TEST(Prediction, LoopsThatMoveMoreThanTheyComputeAreBoundByCommunication) {
  machine m = console();
  const auto us_of = [&](int streams, int width, double bytes) {
    return predict(of(streams, moving(bytes)), m, {1, 1, streams, width}, {}).seconds / us;
  };
  EXPECT_NEAR(us_of(1, 1, 160'000), 10 * 85, 1e-6);  // there are no stores
  m.engines.worker = 1e9;
  EXPECT_NEAR(us_of(1, 1, 40'000), 10 * 85, 1e-6);
  EXPECT_NEAR(us_of(1, 1, 160'000), 10 * 165, 1e-6);
  EXPECT_NEAR(us_of(1, 2, 160'000), 10 * 85, 1e-6);
  m.engines.bus = 1e9;
  m.engines.of_a_bus = 6;
  EXPECT_NEAR(us_of(1, 2, 160'000), 10 * 165, 1e-6);
  EXPECT_NEAR(us_of(1, 2, 40'000), 10 * 45, 1e-6);
  // The bus is all that counts: it moves 20 times 160,000 bytes.
  EXPECT_NEAR(us_of(2, 1, 160'000), 20 * 160, 32);
  // What takes longer than computing is none of it.
  const terms by = predict(of(1, moving(160'000)), m, {1, 1, 1, 1}, {}).by;
  EXPECT_NEAR(by.parallel / us, 10 * 80, 1e-6);
  EXPECT_NEAR(by.accelerator_overhead / us, 10 * 80, 1e-6);
}

TEST(Prediction, TheLastStreamsHaveTheBusForThemselves) {
  machine m = console();
  m.engines.worker = m.engines.bus = 1e9;
  m.engines.of_a_bus = 6;
  phase p = of(2, moving(160'000));
  stream& longer = p.runs.front().streams.back();
  longer = off_loading(20, 5, 0, 80, 8);
  longer.in_kernel.front().bytes_moved = 20 * 160'000.0;
  const double together = 20 * 160 * us, alone = 10 * 165 * us;
  EXPECT_NEAR(predict(p, m, {1, 1, 2, 1}, {}).seconds, together + alone, 0.05 * (together + alone));
}

TEST(Prediction, TheFasterMasterOfLoopsIsTaken) {
  machine m = console();
  m.threads_per_core = 1;
  m.cost.signal = known(2 * us);
  // 5 us of the host, and a loop of 30 us in 3 blocks. A worker: 2 us to it, 2 us from it to the second, 2 us from that
  // to the third, 10 us, 2 us back to it, 2 us to the host. The host: 2 us to each worker, 10 us of the third, 2 us
  // back. The first off-load is sent in any case. The stream's worker is told first, and all six that the phase is
  // over.
  const phase p = of(1, off_loading(20, 5, 0, 30, 3));
  const prediction host = predict(p, m, {1, 1, 1, 3}, {});
  ASSERT_TRUE(host.by_master);
  EXPECT_NEAR(host.by_master->front(), (2 + 20 * 25 + 12) * us, 1e-12);
  EXPECT_NEAR(host.by_master->back(), (2 + 25 + 19 * 23 + 12) * us, 1e-12);
  EXPECT_EQ(host.master, loop_master::host);
  EXPECT_DOUBLE_EQ(host.seconds, host.by_master->back());
  EXPECT_DOUBLE_EQ(host.by.sum(), host.seconds);
  // Where hosts are slow, what is no loop is better sent: 4 us take 8 us there.
  m.host_speed = 0.5;
  const prediction worker = predict(of(1, off_loading(20, 5, 4, 30, 3)), m, {1, 1, 1, 3}, {});
  EXPECT_NEAR(worker.by_master->back() - worker.by_master->front(), 19 * (8 - 4 - 2) * us, 1e-12);
  EXPECT_EQ(worker.master, loop_master::worker);
  EXPECT_DOUBLE_EQ(worker.seconds, worker.by_master->front());
}

TEST(Prediction, AHostThatIsTheMasterKeepsOtherStreamsWaiting) {
  // Two streams on one hardware thread: what is no loop, 30 us, is run there, one after the other.
  machine m = console();
  m.contexts = m.threads_per_core = 1;
  const prediction at = predict(of(2, off_loading(50, 5, 30, 20, 2)), m, {1, 1, 2, 2}, {});
  EXPECT_NEAR(at.by_master->front(), (50 * 45 + 5) * us, 1e-9);
  EXPECT_NEAR(at.by_master->back(), (48.5 * 70 + 5 + 40) * us, 100 * us);
}

TEST(Prediction, OnlyLoopsHaveMasters) {
  const machine m = console();
  EXPECT_TRUE(predict(of(1, off_loading(5, 5, 0, 20, 2)), m, {1, 1, 1, 2}, {}).by_master);
  EXPECT_FALSE(predict(of(1, off_loading(5, 5, 0, 20, 2)), m, {1, 1, 1, 1}, {}).by_master);
  EXPECT_FALSE(predict(of(1, off_loading(5, 5, 0, 20, 1)), m, {1, 1, 1, 2}, {}).by_master);
  stream tasks = off_loading(5, 5, 0, 20, 2);
  tasks.kernels_have_tasks = true;
  EXPECT_FALSE(predict(of(1, tasks), m, {1, 1, 1, 2}, {}).by_master);
  machine cores = m;
  cores.contexts = 0;
  EXPECT_FALSE(predict(of(1, off_loading(5, 5, 0, 20, 2)), cores, {1, 1, 1, 2}, {}).by_master);
}

TEST(Prediction, WorkersThatComputeSlowEachOther) {
  machine m;
  m.workers = 4;
  phase p = of(4, off_loading(1, 0, 100, 0, 1));
  p.slowed_by = {0.1, 0};
  EXPECT_NEAR(predict(p, m, {1, 1, 1, 1}, {}).seconds, 400 * us, 1e-12);
  EXPECT_NEAR(predict(p, m, {1, 1, 2, 1}, {}).seconds, 200 * 1.1 * us, 1e-12);
  EXPECT_NEAR(predict(p, m, {1, 1, 4, 1}, {}).seconds, 100 * 1.3 * us, 1e-12);
  // Three at a time, then one.
  EXPECT_NEAR(predict(p, m, {1, 1, 3, 1}, {}).seconds, (100 * 1.2 + 100) * us, 1e-12);
}

TEST(Prediction, ATeamIsSlowedByItsOwnWorkersInLoopsOnly) {
  machine m;
  m.workers = 4;
  phase p = of(1, off_loading(1, 20, 0, 80, 8));
  p.slowed_by = {0.2, 0.1};
  EXPECT_NEAR(predict(p, m, {1, 1, 1, 1}, {}).seconds, 100 * us, 1e-12);
  EXPECT_NEAR(predict(p, m, {1, 1, 1, 2}, {}).seconds, (20 + 40 * 1.1) * us, 1e-12);
  EXPECT_NEAR(predict(p, m, {1, 1, 1, 4}, {}).seconds, (20 + 20 * 1.3) * us, 1e-12);
  p = of(1, off_loading(1, 20, 0, 80, 2));  // only two have a block
  p.slowed_by = {0.2, 0.1};
  EXPECT_NEAR(predict(p, m, {1, 1, 1, 4}, {}).seconds, (20 + 40 * 1.1) * us, 1e-12);
}

TEST(Prediction, ATeamIsSlowedByThoseOfOtherTeamsThatComputeInTheMean) {
  machine m;
  m.workers = 4;
  phase p = of(2, off_loading(1, 40, 0, 80, 8));
  p.slowed_by = {0.2, 0.1};
  const prediction at = predict(p, m, {1, 1, 2, 2}, {});
  const double of_other = (40 + 2 * 44.0) / (40 + 44);
  EXPECT_NEAR(at.seconds, (40 * (1 + 0.2 * of_other) + 40 * (1 + 0.1 * (1 + of_other))) * us, 1e-12);
  EXPECT_NEAR(at.by.sum(), at.seconds, 1e-15);
  EXPECT_NEAR(at.by.waiting, 0, 1e-12);
}

TEST(Prediction, WhatNeighboursTakeIsKnownWithinATenth) {
  machine m;
  m.workers = 2;
  phase p = of(2, off_loading(1, 100, 0, 0, 1));
  p.slowed_by = {0.5, 0};
  const prediction at = predict(p, m, {1, 1, 2, 1}, {});
  EXPECT_NEAR(at.error, std::hypot(0.05 * 100 * us, error_of_the_model * 150 * us), 1e-12);
}

TEST(Prediction, OutsideOfPhasesOneProcessHasItsWorkers) {
  profile p;
  p.alone = 5 * us;
  p.between = {{2, 4, 80 * us}};
  machine m;
  m.workers = 4;
  EXPECT_NEAR(predict_between(p, m, 4).seconds, (5 + 2 * 10) * us, 1e-12);
  EXPECT_NEAR(predict_between(p, m, 1).seconds, 85 * us, 1e-12);
  p.between_slowed_by.loops = 0.1;
  EXPECT_NEAR(predict_between(p, m, 4).seconds, (5 + 2 * 10 * 1.3) * us, 1e-12);
  EXPECT_NEAR(predict_between(p, m, 1).seconds, 85 * us, 1e-12);
}

TEST(Layouts, FitTheMachineAndTheStreams) {
  const machine m = console();
  const auto all = layouts_of(m, 192, ranks_are::none);
  EXPECT_EQ(all.size(), 14u);  // 6 + 3 + 2 + 1 + 1 + 1
  for (const layout& l : all) EXPECT_TRUE(fits(m, l, ranks_are::none));
  EXPECT_EQ(layouts_of(m, 1, ranks_are::none).size(), 6u);
  EXPECT_EQ(layouts_of(m, 1, ranks_are::streams).size(), 14u);
  for (const layout& l : layouts_of(m, 192, ranks_are::processes)) {
    EXPECT_TRUE(fits(m, l, ranks_are::processes));
    EXPECT_EQ(6 % l.on_a_node, 0);
  }
  EXPECT_FALSE(fits(m, {1, 1, 3, 3}, ranks_are::none));
  EXPECT_FALSE(fits(m, {4, 4, 1, 2}, ranks_are::processes));
}

TEST(Layouts, TheFastestComesFirst) {
  // Streams of long kernels: as many at a time as there are workers.
  const machine m = console();
  const phase p = of(6, off_loading(10, 1, 100, 60, 6));
  const auto best = ranked(p, m, layouts_of(m, 6, ranks_are::none), {});
  EXPECT_EQ(best.front().at, (layout{1, 1, 6, 1}));
  for (std::size_t i = 1; i < best.size(); ++i) EXPECT_LE(best[i - 1].takes.seconds, best[i].takes.seconds);
  // One stream: the widest team.
  EXPECT_EQ(ranked(of(1, off_loading(10, 1, 10, 60, 6)), m, layouts_of(m, 1, ranks_are::none), {}).front().at,
            (layout{1, 1, 1, 6}));
}

}  // namespace
}  // namespace maslin::layers
