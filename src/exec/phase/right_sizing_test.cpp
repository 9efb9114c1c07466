#include "exec/phase/right_sizing.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "sched/grain/feasible.hpp"

namespace maslin {
namespace {

/// Workers that are nobody's.
class no_host final : public phase_host {
 public:
  int worker_count() const override { return workers; }
  std::atomic<team*>& team_served_by(int) override { return none_; }
  void notify_worker(int) override {}
  int track() const noexcept override { return -1; }
  std::uint64_t ticks() const override { return 1'000'000; }
  double seconds_per_tick() const override { return 1e-9; }
  double handing_over() const override { return 0; }
  std::optional<grain::wait_sums> waits(int, int) const override { return std::nullopt; }
  std::optional<double> cpu_seconds() const override { return std::nullopt; }
  std::unique_ptr<learned_phases> open_learned() const override { return std::make_unique<learned_phases>("", ""); }

  static constexpr int workers = 16;

 private:
  std::atomic<team*> none_{nullptr};
};

struct RightSizing : testing::TestWithParam<const char*> {
  RightSizing() {
    setenv("MASLIN_GRAIN", GetParam(), 1);
    host.emplace();
    unsetenv("MASLIN_GRAIN");
    sizing.emplace(*host, what, 0, *report, no_host::workers);
  }

  int wanted_workers() const { return grain::busy(sizing->wanted()); }
  /// Gives the same policy, which nobody keeps waiting.
  std::unique_ptr<grain::controller> policy() const {
    return grain::make_controller(host->policy(), {no_host::workers, what.streams, host->handing_over()});
  }
  /// Has the policy hear of all that there is; gives how often it was asked.
  int decide_all() {
    int times = 0;
    for (; sizing->begin_decision(); ++times) {
      sizing->decide();
      sizing->end_decision();
    }
    return times;
  }

  const detail::phase what{"sized", 40, nullptr, nullptr, {}};
  std::optional<no_host> host;
  std::shared_ptr<live_report> report = begin_report(what);
  std::optional<right_sizing> sizing;
};

TEST_P(RightSizing, OneCallerDecidesAtATimeAndHearsOfAll) {
  EXPECT_FALSE(sizing->begin_decision());  // there is nothing to tell
  sizing->stream_ended(39, true);
  ASSERT_TRUE(sizing->begin_decision());
  sizing->stream_ended(3, true);
  EXPECT_FALSE(sizing->begin_decision());
  sizing->decide();
  sizing->end_decision();
  EXPECT_EQ(decide_all(), 1);
  EXPECT_EQ(decide_all(), 0);
  const auto same = policy();
  same->streams_left(39);
  same->streams_left(3);
  EXPECT_EQ(sizing->wanted(), same->current());
}

TEST_P(RightSizing, WhatIsWantedFitsAlsoWhileAPolicyDecidesForOtherWorkers) {
  const auto same = policy();
  for (const int workers : {5, 16, 3, 2, 9, 1, 16}) {
    sizing->stream_ended(30, true);
    ASSERT_TRUE(sizing->begin_decision());
    sizing->serve(0, workers);
    EXPECT_LE(wanted_workers(), workers);
    sizing->decide();
    EXPECT_LE(wanted_workers(), workers);
    sizing->end_decision();
    EXPECT_LE(wanted_workers(), workers);
    EXPECT_EQ(decide_all(), 1);
    same->streams_left(30);
    same->resize(workers);
    same->decide();
    EXPECT_EQ(sizing->wanted(), same->current());
  }
}

TEST_P(RightSizing, ASliceThatBeganUnderAnotherConfigurationIsNone) {
  sizing->runs_under(sizing->wanted(), 0);
  if (!sizing->sampling()) return;
  const int settled = sizing->wanted().streams;
  sizing->look(1, 40, settled, false, 0, 0);
  ASSERT_TRUE(sizing->begin_decision());  // a slice begins
  sizing->decide();
  sizing->runs_under({1, 1}, 2);  // meanwhile
  sizing->end_decision();
  sizing->look(3, 40, settled, false, 0, 0);
  ASSERT_TRUE(sizing->begin_decision());  // so another one begins
  sizing->decide();
  EXPECT_FALSE(sizing->end_decision());  // and none has ended
}

INSTANTIATE_TEST_SUITE_P(Of, RightSizing,
                         testing::Values("auto", "s-mgps", "mgps", "edtlp", "edtlp-llp:2", "hill-climbing", "ucb"),
                         [](const auto& one) {
                           std::string name = one.param;
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

}  // namespace
}  // namespace maslin
