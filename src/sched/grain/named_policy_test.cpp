#include "sched/grain/named_policy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "maslin/error.hpp"
#include "sched/grain/feasible.hpp"
#include "sched/grain/simulated_phase.hpp"

namespace maslin::grain {
namespace {

std::string complaint(std::string_view text) {
  try {
    parse_policy(text);
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

// Two of the names are those of bench/grain/peers, which this test is linked with.
TEST(Policy, EveryNameIsReadAsItIsWritten) {
  for (const char* name : {"edtlp", "edtlp-llp:1", "edtlp-llp:4", "edtlp-llp:4096", "mgps", "s-mgps", "s-mgps:work",
                           "auto", "hill-climbing", "ucb"})
    EXPECT_EQ(name_of(parse_policy(name)), name);
  EXPECT_EQ(name_of({}), "auto") << "what nobody chose";
}

TEST(Policy, WhatCannotBeReadIsSaidWithTheNearestName) {
  const std::pair<const char*, const char*> cases[] = {
      {"smgps", "did you mean 's-mgps'?"},
      {"mgp", "did you mean 'mgps'?"},
      {"edtlpllp:4", "did you mean 'edtlp-llp'?"},
      {"EDTLP", "unknown policy; write"},
      {"banana", "unknown policy; write auto, edtlp, edtlp-llp:WIDTH"},
      {":4", "unknown policy"},
      {"edtlp-llp", "expected ':' and a width"},
      {"edtlp-llp:", "column 11: expected a width"},
      {"edtlp-llp:0", "column 11: expected a width"},
      {"edtlp-llp:-2", "column 11: expected a width"},
      {"edtlp-llp:2x", "column 11: expected a width"},
      {"edtlp-llp:99999999999", "column 11: expected a width"},
      {"mgps:2", "mgps takes no width"},
      {"edtlp:", "edtlp takes no width"},
      {"s-mgps:wrk", "did you mean 's-mgps:work'?"},
      {"ucb1", "did you mean 'ucb'?"},
      {"hill-climbing:2", "did you mean 'hill-climbing'?"},
  };
  for (const auto& [text, expected] : cases)
    EXPECT_NE(complaint(text).find(expected), std::string::npos) << text << ": " << complaint(text);
}

TEST(Policy, EachMakesItsController) {
  const situation begin{8, 100};
  EXPECT_EQ(make_controller(parse_policy("edtlp"), begin)->current(), (configuration{8, 1}));
  EXPECT_EQ(make_controller(parse_policy("edtlp-llp:4"), begin)->current(), (configuration{2, 4}));
  EXPECT_EQ(make_controller(parse_policy("mgps"), begin)->epoch(), 100);
  EXPECT_TRUE(make_controller(parse_policy("s-mgps"), begin)->sampling());
  EXPECT_EQ(make_controller(parse_policy("hill-climbing"), begin)->current(), (configuration{8, 1}));
  EXPECT_EQ(make_controller(parse_policy("ucb"), begin)->current(), (configuration{1, 1})) << "the first arm";
}

/// What a controller is asked and told in one step of its phase.
using step = std::function<void(controller&)>;

/// Everything that a controller has decided so far, as text.
std::string decisions_of(const controller& grain) {
  const auto text = [](configuration c) {
    return std::to_string(c.streams) + 'x' + std::to_string(c.width) + '+' + std::to_string(c.wider);
  };
  const auto chosen = grain.chosen();
  const sample_rule rule = grain.rule();
  std::string all = text(grain.current()) + " chosen " + (chosen ? text(*chosen) : "nothing") + " sampling " +
                    std::to_string(grain.sampling()) + ' ' + std::to_string(rule.seconds) + ' ' +
                    std::to_string(rule.kernels) + " epoch " + std::to_string(grain.epoch()) + " expects";
  for (const phase_estimate& e : grain.estimates()) all += ' ' + text(e.under) + '=' + std::to_string(e.throughput);
  return all;
}

TEST(Policy, TheSameHistoryGivesTheSameDecisions) {
  constexpr int workers = 16;
  constexpr std::int64_t streams = 100;
  for (const char* name : {"edtlp", "edtlp-llp:3", "mgps", "s-mgps", "s-mgps:work", "auto", "hill-climbing", "ucb"})
    for (unsigned seed = 0; seed < 3; ++seed) {
      std::mt19937 random(seed);
      std::normal_distribution<double> noise(0, 0.1);
      std::vector<step> history;
      std::vector<std::string> decided;
      const auto first = make_controller(parse_policy(name), {workers, streams});
      for (int i = 0; i < 400; ++i) {
        const configuration now = first->current();
        const double throughput = now.streams * std::sqrt(now.width) * std::exp(noise(random));
        sample slice = simulated_slice(now, throughput, 0.01);
        slice.at = 0.01 * (i + 1);
        slice.units = i % 3;
        history.emplace_back([slice](controller& grain) {
          if (grain.sampling()) grain.observe(slice);
          grain.departed({.count = 40, .on_workers = 40 + 3 * slice.under.streams});
        });
        if (i % 10 == 9)
          history.emplace_back([left = streams - i / 10](controller& grain) { grain.streams_left(left); });
        if (i % 50 == 49)
          history.emplace_back([has = i % 100 == 49 ? 5 : workers](controller& grain) {
            grain.resize(has);
            grain.decide();
          });
        while (decided.size() < history.size()) {
          history[decided.size()](*first);
          decided.push_back(decisions_of(*first));
        }
      }
      const auto again = make_controller(parse_policy(name), {workers, streams});
      for (std::size_t i = 0; i < history.size(); ++i) {
        history[i](*again);
        ASSERT_EQ(decisions_of(*again), decided[i]) << name << ", seed " << seed << ", step " << i;
      }
      EXPECT_EQ(first->samples().empty(), !make_controller(parse_policy(name), {workers, streams})->sampling()) << name;
      EXPECT_EQ(again->samples().size(), first->samples().size()) << name;
    }
}

TEST(Policy, NoneAsksForMoreThanThereIsWhenNothingIsObservedAtAll) {
  for (const char* name : {"edtlp", "edtlp-llp:4", "mgps", "s-mgps", "auto", "hill-climbing", "ucb"})
    for (int workers = 1; workers <= 64; ++workers)
      for (const std::int64_t streams : {1, 3, 1000}) {
        const auto grain = make_controller(parse_policy(name), {workers, streams});
        for (const int later : {workers, 1, 64, workers}) {
          grain->resize(later);
          const configuration c = grain->current();
          ASSERT_LE(busy(c), later) << name;
          ASSERT_LE(c.streams, streams) << name;
        }
      }
}

}  // namespace
}  // namespace maslin::grain
