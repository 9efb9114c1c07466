#include "sched/grain/named_policy.hpp"

#include <gtest/gtest.h>

#include <string>

#include "maslin/error.hpp"

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
      {"hill-climbing:2", "hill-climbing takes no width"},
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

TEST(Policy, NoneAsksForMoreThanThereIsWhenNothingIsObservedAtAll) {
  for (const char* name : {"edtlp", "edtlp-llp:4", "mgps", "s-mgps", "auto", "hill-climbing", "ucb"})
    for (int workers = 1; workers <= 64; ++workers)
      for (const std::int64_t streams : {1, 3, 1000}) {
        const auto grain = make_controller(parse_policy(name), {workers, streams});
        for (const int later : {workers, 1, 64, workers}) {
          grain->resize(later);
          const configuration c = grain->current();
          ASSERT_LE(c.streams * c.width + c.wider, later) << name;
          ASSERT_LE(c.streams, streams) << name;
        }
      }
}

}  // namespace
}  // namespace maslin::grain
