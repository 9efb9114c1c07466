#include "phylo/run/sizing.hpp"

#include <gtest/gtest.h>

namespace phylo {
namespace {

TEST(Sizing, TheChoiceIsComparedWithTheWorstAndTheBestByMedians) {
  maslin::phase_report report;
  report.samples = {{{2, 1}, 1.0, 1.0}, {{1, 2}, 1.5, 1.0}, {{2, 1}, 9.0, 1.0},
                    {{2, 1}, 2.0, 1.0}, {{1, 1}, 1.0, 1.0}, {{1, 2}, 2.5, 1.0}};
  report.chosen = maslin::configuration{1, 2};
  report.seconds = 60;
  Sizing s = summarize(report);
  ASSERT_EQ(s.configurations.size(), 3U);
  EXPECT_EQ(s.configurations[0].under, (maslin::configuration{1, 1}));
  EXPECT_EQ(s.configurations[1].under, (maslin::configuration{2, 1}));
  EXPECT_DOUBLE_EQ(s.configurations[1].throughput, 2);
  EXPECT_EQ(s.configurations[1].samples, 3);
  EXPECT_TRUE(s.configurations[2].chosen);
  EXPECT_DOUBLE_EQ(*s.gain_over_worst, 1);
  EXPECT_DOUBLE_EQ(*s.loss_to_best, 0);
  report.chosen = maslin::configuration{1, 1};
  s = summarize(report);
  EXPECT_DOUBLE_EQ(*s.gain_over_worst, 0);
  EXPECT_DOUBLE_EQ(*s.loss_to_best, 1);
  EXPECT_NE(format_table(s).find("lost 100.0 % to the best"), std::string::npos);
}

// Teams of which some have a worker more are another configuration than those that have none.
TEST(Sizing, AChoiceWithWiderTeamsIsFound) {
  maslin::phase_report report;
  report.samples = {{{3, 2, 0}, 1.0, 1.0}, {{3, 2, 2}, 2.0, 1.0}};
  report.chosen = maslin::configuration{3, 2, 2};
  const Sizing s = summarize(report);
  ASSERT_EQ(s.configurations.size(), 2U);
  EXPECT_FALSE(s.configurations[0].chosen);
  EXPECT_TRUE(s.configurations[1].chosen);
  EXPECT_DOUBLE_EQ(*s.gain_over_worst, 1);
  EXPECT_NE(format_table(s).find("3 x 2+2"), std::string::npos);
}

TEST(Sizing, WithoutSamplesOrChoiceNothingIsClaimed) {
  maslin::phase_report report;
  EXPECT_FALSE(summarize(report).gain_over_worst);
  EXPECT_NE(format_table(summarize(report)).find("ended before one was chosen"), std::string::npos);
  report.samples = {{{2, 1}, 1.0, 1.0}};
  EXPECT_FALSE(summarize(report).loss_to_best);
  EXPECT_NE(format_table(summarize(report)).find("before the choice"), std::string::npos);
  report.current = maslin::configuration{3, 1};
  report.pinned_by = "MASLIN_PIN";
  EXPECT_NE(format_table(summarize(report)).find("3 x 1, pinned by MASLIN_PIN"), std::string::npos);
}

}  // namespace
}  // namespace phylo
