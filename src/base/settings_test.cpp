#include "base/settings.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <set>
#include <string>

#include "complaint.hpp"

namespace maslin::base {
namespace {

/// Sets or unsets (nullptr) a variable as long as it lives.
class variable {
 public:
  variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  ~variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(Settings, EachRowIsComplete) {
  std::set<std::string_view> names;
  auto before = setting::reach::everywhere;
  for (const setting& row : all_settings) {
    SCOPED_TRACE(row.name);
    EXPECT_TRUE(std::string_view(row.name).starts_with("MASLIN_"));
    EXPECT_TRUE(names.insert(row.name).second) << "twice";
    EXPECT_LE(before, row.counts) << "the table is in the order of its page, which has a part for each place";
    before = row.counts;
    EXPECT_TRUE(row.help.ends_with('.'));
    EXPECT_FALSE(row.otherwise.empty() && row.unset.empty());
    EXPECT_FALSE(values_of(row).empty());
    EXPECT_EQ(row.is == setting::kind::number || row.is == setting::kind::size, !row.unit.empty());
    EXPECT_EQ((words_of(row).empty() ? 0 : 1) + (row.form.empty() ? 0 : 1) + (row.unit.empty() ? 0 : 1), 1)
        << "the values are words, a form or a range";
  }
}

TEST(Settings, WhatCountsIfOneIsNotSetMayBeWritten) {
  for (const setting& row : all_settings) {
    if (row.otherwise.empty()) continue;
    const variable given(row.name, std::string(row.otherwise).c_str());
    EXPECT_EQ(problem_with(row), "");
  }
}

TEST(Settings, NonsenseIsAProblemOfEachThatIsNoFile) {
  for (const setting& row : all_settings) {
    if (row.is == setting::kind::file) continue;
    const variable given(row.name, "no/sense");
    EXPECT_EQ(problem_with(row).find(std::string(row.name) + "=no/sense: "), 0u) << problem_with(row);
  }
  const variable machine("MASLIN_MACHINE", "/nonexistent/machine.toml");
  EXPECT_NE(problem_with(known_setting("MASLIN_MACHINE").row()).find("machine.toml"), std::string::npos);
}

TEST(Settings, AnEmptyOneIsNotSet) {
  for (const setting& row : all_settings) {
    const variable given(row.name, "");
    EXPECT_EQ(problem_with(row), "");
    EXPECT_EQ(text_of(row), nullptr);
  }
  const variable loop("MASLIN_LOOP", "");
  EXPECT_EQ(word_of("MASLIN_LOOP"), 0u);
}

TEST(Settings, AWordGivesItsPlace) {
  const variable wait("MASLIN_WAIT", "adaptive");
  EXPECT_EQ(word_of("MASLIN_WAIT"), 2u);
  const variable serial("MASLIN_SERIAL", "1");
  EXPECT_TRUE(flag_of("MASLIN_SERIAL"));
  const variable check("MASLIN_CHECK", nullptr);
  EXPECT_EQ(flag_of("MASLIN_CHECK"), is_debug_build);
}

TEST(Settings, AnotherWordIsToldWithTheNearest) {
  const variable wait("MASLIN_WAIT", "yeild");
  EXPECT_EQ(complaint([] { word_of("MASLIN_WAIT"); }),
            "MASLIN_WAIT=yeild: expected spin, yield, adaptive, park or auto, did you mean 'yield'?; if not set: auto");
  const variable foreign("MASLIN_FOREIGN", "2");
  EXPECT_EQ(complaint([] { word_of("MASLIN_FOREIGN"); }),
            "MASLIN_FOREIGN=2: expected 1 (BLAS and OpenMP code uses the threads that its caller was granted), "
            "reproducible (one thread always) or 0 (it uses as many as it likes); if not set: 1");
}

TEST(Settings, NumbersKeepTheirBounds) {
  const variable workers("MASLIN_WORKERS", nullptr);
  EXPECT_FALSE(number_of("MASLIN_WORKERS"));
  EXPECT_EQ(parse_number("MASLIN_WORKERS", "4096"), 4096u);
  EXPECT_EQ(complaint([] { parse_number("MASLIN_WORKERS", "4097"); }),
            "MASLIN_WORKERS=4097: expected a number of workers from 1 to 4096; if not set: one for each CPU of the "
            "budget");
  for (const char* bad : {"", "0", "-1", "1.5", "8 ", "8K", "banana", "99999999999999999999"})
    EXPECT_NE(complaint([&] { parse_number("MASLIN_WORKERS", bad); }), "") << bad;
  EXPECT_EQ(parse_number("MASLIN_RENAME", "0"), 0u);
  EXPECT_EQ(complaint([] { parse_number("MASLIN_RENAME", "much"); }),
            "MASLIN_RENAME=much: expected a number of mebibytes, 0 or more; if not set: 256");
  EXPECT_NE(complaint([] { parse_number("MASLIN_RENAME", "9999999999999"); }), "") << "bytes are counted in 64 bits";
}

TEST(Settings, SizesMayHaveAUnit) {
  const variable stack("MASLIN_STACK", nullptr);
  EXPECT_EQ(number_of("MASLIN_STACK"), std::uint64_t{1} << 20);
  EXPECT_EQ(parse_number("MASLIN_STACK", "65536"), 65536u);
  EXPECT_EQ(parse_number("MASLIN_STACK", "256K"), 256u << 10);
  EXPECT_EQ(parse_number("MASLIN_STACK", "2M"), 2u << 20);
  for (const char* bad : {"1K", "big", "-1", "1G", "1025M", "9999999M", "18446744073709551615M", "5 M", "MM", "K"})
    EXPECT_EQ(complaint([&] { parse_number("MASLIN_STACK", bad); }),
              std::string("MASLIN_STACK=") + bad +
                  ": expected a number of bytes from 64K to 1024M, such as 256K or 1M; if not set: 1M");
}

TEST(Settings, ASlipInANameIsRecognized) {
  const std::pair<const char*, const char*> slips[] = {{"MASLIN_WROKERS", "MASLIN_WORKERS"},
                                                       {"MASLIN_WORKER", "MASLIN_WORKERS"},
                                                       {"MASLIN_PNI", "MASLIN_PIN"},
                                                       {"MASLIN_WIAT", "MASLIN_WAIT"},
                                                       {"MASLIN_TRACE_DETIAL", "MASLIN_TRACE_DETAIL"},
                                                       {"MASLIN_HOSTS", "MASLIN_HOST"},
                                                       {"MASLIN_ATONCE", "MASLIN_AT_ONCE"},
                                                       {"WORKERS", "MASLIN_WORKERS"}};
  for (const auto& [written, meant] : slips) EXPECT_EQ(nearest_setting(written), meant);
  for (const char* other : {"MASLIN_", "MASLIN_DIR", "MASLIN_HOME", "MASLIN_DATA", "MASLIN_TEST_WORKERS", "MASLIN_X",
                            "MASLIN_SOAK_SECONDS", "MASLIN_TEST_JOB", "MASLIN_PACKAGES", "MASLIN_WRITE_GOLDEN"})
    EXPECT_EQ(nearest_setting(other), "") << other;
}

TEST(Settings, OnlyMisspeltOnesAreFoundInTheEnvironment) {
  const variable slip("MASLIN_WROKERS", "2"), right("MASLIN_WORKERS", "2"), other("MASLIN_DATA", "x"),
      elsewhere("WORKERS", "2");
  const auto found = misspelt_settings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "MASLIN_WROKERS");
  EXPECT_EQ(found[0].meant, "MASLIN_WORKERS");
}

TEST(Settings, TerminalsShowNoMarkdown) {
  EXPECT_EQ(plain("The [budget](machine.md) of `this` process."), "The budget of this process.");
  EXPECT_EQ(plain(""), "");
}

}  // namespace
}  // namespace maslin::base
