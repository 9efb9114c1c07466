#include "exec/reports.hpp"

#include <gtest/gtest.h>

#include "exec/report_json.hpp"

namespace maslin {
namespace {

detail::phase phase(const char* name) { return {name, 4, nullptr, nullptr, location::current()}; }

void choose(live_report& report, std::optional<configuration> what, double expected) {
  report.change([&](phase_report& r) {
    r.estimates = {{{8, 1}, 99, 0.1, 1}};
    if (what) r.estimates.push_back({*what, expected, 0.1, 2});
    r.chosen = what;
  });
}

TEST(Reports, AreTheLatestOfEachNameInTheOrderInWhichTheyBegan) {
  begin_report(phase("b"));
  begin_report(phase("a"));
  const auto again = begin_report(phase("b"));
  const auto all = all_reports();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]->read().name, "a");
  EXPECT_EQ(all[1], again);
  EXPECT_EQ(all[0]->times(), 1);
  EXPECT_EQ(all[1]->tell().times, 2);
  forget_reports_after_fork();
  EXPECT_TRUE(all_reports().empty());
  EXPECT_FALSE(report("a"));
}

TEST(Reports, KeepWhatWasChosenAndWhatWasExpectedOfItThen) {
  live_report report({});
  choose(report, std::nullopt, 2);
  choose(report, configuration{4, 2}, 5);
  choose(report, configuration{4, 2}, 7);
  choose(report, std::nullopt, 8);
  choose(report, configuration{1, 8}, 9);
  const told_phase told = report.tell();
  EXPECT_EQ(report.changes(), 5u);
  ASSERT_EQ(told.choices.size(), 2u);
  EXPECT_EQ(told.choices[0].what, (configuration{4, 2}));
  EXPECT_EQ(told.choices[0].expected, 5);
  EXPECT_EQ(told.choices[1].what, (configuration{1, 8}));
  EXPECT_EQ(told.choices[1].expected, 9);
}

TEST(Reports, OfVeryManyChoicesTheLastStays) {
  live_report report({});
  for (int i = 1; i <= 100; ++i) choose(report, configuration{i, 1}, 0);
  const told_phase told = report.tell();
  EXPECT_LT(told.choices.size(), 100u);
  EXPECT_EQ(told.choices.front().what.streams, 1);
  EXPECT_EQ(told.choices.back().what.streams, 100);
}

TEST(ReportJson, QuotesWhateverANameHolds) {
  EXPECT_EQ(json_text("a \"b\" \\ \n\t"), R"("a \"b\" \\ \u000a\u0009")");
  EXPECT_EQ(json_text("grün €𝄞"), "\"grün €𝄞\"");
  EXPECT_EQ(json_text("\xff \xc3 \xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82"), "\"? ? ?? ??? ???? ??\"");
  EXPECT_EQ(json_text(""), "\"\"");
}

TEST(ReportJson, HasNoWordForWhatIsNoNumber) {
  told_phase told;
  told.last.estimates = {{{2, 1, 1}, 1.5, 0.25, 3}, {{1, 2}, 1.0 / 0.0, std::nullopt, 1}};
  const std::string text = report_json({}, {told});
  for (const char* says :
       {R"({"under": {"streams": 2, "width": 1, "wider": 1}, "throughput": 1.5, "error": 0.25, "samples": 3})",
        R"("wider": 0}, "throughput": null, "error": null, "samples": 1})"})
    EXPECT_NE(text.find(says), std::string::npos) << says << "\nis not in\n" << text;
  EXPECT_NE(text.find(R"("cpu_seconds": null)"), std::string::npos) << text;
}

}  // namespace
}  // namespace maslin
