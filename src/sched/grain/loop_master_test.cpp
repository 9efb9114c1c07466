#include "sched/grain/loop_master.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace maslin::grain {
namespace {

constexpr int streams = 4;
constexpr std::int64_t epoch = std::int64_t{master_trial::off_loads_of_a_stream} * streams;

struct outcome {
  loop_master chosen = loop_master::automatic;
  std::int64_t off_loads = 0;
  std::int64_t with_host = 0;
  double ratio = 0;
};

/// Tries both where the off-loads of all streams begin so far apart.
outcome tried(const std::function<std::int64_t(loop_master, std::int64_t)>& apart) {
  master_trial trial(streams);
  outcome out;
  std::int64_t now = 0;
  while (!trial.chosen() && out.off_loads < 100 * epoch) {
    const loop_master master = trial.begins(now);
    out.with_host += master == loop_master::host;
    now += apart(master, out.off_loads++);
  }
  out.chosen = trial.chosen().value_or(loop_master::automatic);
  out.ratio = trial.ratio();
  return out;
}

TEST(LoopMaster, IsWhoLetsStreamsOffLoadMore) {
  for (const auto& [worker, host] : {std::pair{1000, 999}, {999, 1000}, {1000, 500}, {500, 1000}}) {
    const outcome out = tried([&](loop_master m, std::int64_t) { return m == loop_master::host ? host : worker; });
    EXPECT_EQ(out.chosen, host < worker ? loop_master::host : loop_master::worker) << worker << ' ' << host;
    EXPECT_NEAR(out.ratio, static_cast<double>(worker) / host, 1e-9);
    // An epoch in which streams begin, and three turns of both; the call that finds that out is the last one.
    EXPECT_EQ(out.off_loads, (1 + 2 * master_trial::fewest_turns) * epoch + 1);
    EXPECT_EQ(out.with_host, master_trial::fewest_turns * epoch + (host < worker));
  }
}

TEST(LoopMaster, IsAWorkerWhereBothAreAlike) {
  const outcome out = tried([](loop_master, std::int64_t) { return 7; });
  EXPECT_EQ(out.chosen, loop_master::worker);
  EXPECT_EQ(out.off_loads, (1 + 2 * master_trial::most_turns) * epoch + 1);
}

TEST(LoopMaster, IsFoundWhereKernelsDiffer) {
  for (const bool host_is_faster : {false, true}) {
    std::mt19937_64 random(1);
    const outcome out = tried([&](loop_master m, std::int64_t) {
      const std::int64_t mean = (m == loop_master::host) == host_is_faster ? 900 : 1000;
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * mean));
    });
    EXPECT_EQ(out.chosen, host_is_faster ? loop_master::host : loop_master::worker);
  }
}

TEST(LoopMaster, IsNotWhoCameFirstWhereOffLoadsBecomeShorter) {
  for (const bool host_is_faster : {false, true}) {
    const outcome out = tried([&](loop_master m, std::int64_t k) {
      return 1'000'000 - 20 * k + ((m == loop_master::host) == host_is_faster ? 0 : 20'000);
    });
    EXPECT_EQ(out.chosen, host_is_faster ? loop_master::host : loop_master::worker);
  }
}

TEST(LoopMaster, IsNotTakenForSlowBecauseOfWhatInterruptedIt) {
  master_trial trial(1);
  std::int64_t now = 0;
  for (int k = 0; !trial.chosen(); ++k) {
    const bool host = trial.begins(now) == loop_master::host;
    now += host ? 10 : 11;
    if (!host || k % 150 != 0) continue;
    now += 1'000'000;  // a slice under another configuration
    trial.interrupt();
  }
  EXPECT_EQ(trial.chosen(), loop_master::host);
  EXPECT_NEAR(trial.ratio(), 1.1, 1e-9);
}

TEST(LoopMaster, StaysWhenItIsChosen) {
  master_trial trial(1);
  std::int64_t now = 0;
  while (!trial.chosen()) now += trial.begins(now) == loop_master::host ? 10 : 20;
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(trial.begins(now += 1000), loop_master::host);
}

}  // namespace
}  // namespace maslin::grain
