#include "exec/threads/place_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "scratch_folder.hpp"

namespace {

using maslin::location;
using maslin::place_choice;
using maslin::place_meter;
using maslin::placement;
using maslin::place::comparison;

location line(unsigned number) { return location::current("a.cpp", number); }

/// Gives what the meter has of a line: how many tasks, and their ticks.
std::pair<std::uint64_t, std::uint64_t> taken(place_meter& from, unsigned number) {
  std::pair<std::uint64_t, std::uint64_t> found{0, 0};
  from.take_each([&](const place_meter::site& s) {
    if (s.where.line() == number) found = {s.tasks, s.ticks};
  });
  return found;
}

TEST(PlaceMeter, ATaskTakesFromTheEndOfTheOneBeforeToItsOwn) {
  place_meter meter;
  meter.begin(100);
  meter.ran(line(1), 130);
  meter.ran(line(2), 150);
  meter.ran(line(1), 170);
  EXPECT_EQ(meter.sum(), 70u);
  EXPECT_EQ(taken(meter, 1), std::pair(std::uint64_t{2}, std::uint64_t{50}));
  EXPECT_EQ(meter.sum(), 0u);
}

TEST(PlaceMeter, ChoosingTheFirstTaskCounts) {
  place_meter meter;
  meter.chose_since(90);
  meter.begin(100);
  meter.ran(line(1), 130);
  EXPECT_EQ(taken(meter, 1), std::pair(std::uint64_t{1}, std::uint64_t{40}));
}

TEST(PlaceMeter, WhatItTakesToQueueATaskCountsWhereItIsToldApart) {
  place_meter meter;
  EXPECT_FALSE(meter.runs());
  meter.queued(line(1), 7);
  meter.begin(100);
  EXPECT_TRUE(meter.runs());
  meter.ran(line(1), 130);
  EXPECT_EQ(taken(meter, 1), std::pair(std::uint64_t{1}, std::uint64_t{37}));
  meter.queued(line(1), 5);
  EXPECT_EQ(taken(meter, 1), std::pair(std::uint64_t{0}, std::uint64_t{5})) << "its task may run in a later stretch";
  EXPECT_EQ(taken(meter, 1), std::pair(std::uint64_t{0}, std::uint64_t{0}));
}

TEST(PlaceMeter, ATaskThatOthersRanInsideIsNotKnown) {
  place_meter meter;
  meter.begin(100);
  meter.begin(110);  // inside its body
  meter.ran(line(2), 120);
  meter.end();
  meter.ran(line(1), 500);
  EXPECT_EQ(taken(meter, 1).first, 0u);
}

TEST(PlaceMeter, ATaskWhoseCPUWasTakenCountsAsEightOfItsKind) {
  place_meter meter;
  meter.begin(1);
  std::uint64_t now = 1;
  for (int i = 0; i < 10; ++i) meter.ran(line(1), now += 10);
  meter.ran(line(1), now + 1'000'000);
  EXPECT_EQ(taken(meter, 1), std::pair(std::uint64_t{11}, std::uint64_t{180}));
  meter.ran(line(1), now + 2'000'000);
  EXPECT_EQ(taken(meter, 1), std::pair(std::uint64_t{1}, std::uint64_t{128})) << "what is usual stays known";
}

class PlaceFile : public testing::Test {
 protected:
  void write(const std::string& text) const { std::ofstream(path_) << text; }
  std::string read() const {
    std::ifstream in(path_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  const scratch_folder folder_;
  const std::string path_ = folder_.file("places");
};

TEST_F(PlaceFile, WhatIsKeptIsRead) {
  const comparison before({3, -0.25, 0.125}, placement::locality, {{"some file.cpp:7", {12, 0.5}}});
  maslin::keep_place(path_, 2, before);
  const comparison after = maslin::read_place(path_, 2);
  EXPECT_EQ(after.known().pairs, 3);
  EXPECT_EQ(after.known().mean, -0.25);
  EXPECT_EQ(after.known().squares, 0.125);
  EXPECT_EQ(after.alone_under(), placement::locality);
  ASSERT_EQ(after.alone().size(), 1u);
  EXPECT_EQ(after.alone().at("some file.cpp:7").tasks, 12u);
  EXPECT_EQ(after.alone().at("some file.cpp:7").seconds, 0.5);
  EXPECT_EQ(maslin::read_place(path_, 3).known().pairs, 0) << "of other workers";
}

TEST_F(PlaceFile, TheLinesOfOthersStayAndItsOwnIsReplaced) {
  maslin::keep_place(path_, 2, comparison({1, 0, 0}, placement::dbs, {}));
  maslin::keep_place(path_, 3, comparison({2, 0, 0}, placement::dbs, {}));
  maslin::keep_place(path_, 2, comparison({5, 0, 0}, placement::dbs, {}));
  EXPECT_EQ(maslin::read_place(path_, 2).known().pairs, 5);
  EXPECT_EQ(maslin::read_place(path_, 3).known().pairs, 2);
  const std::string all = read();
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 3);
}

TEST_F(PlaceFile, DamagedLinesAreLeftOut) {
  maslin::keep_place(path_, 2, comparison({5, -0.5, 0.25}, placement::dbs, {{"a.cpp:1", {4, 1}}}));
  const std::string whole = read();
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"\t5\t", "\t-5\t"},
                                                                                 {"\t-0.5\t", "\tnan\t"},
                                                                                 {"\t0.25\t", "\t-1\t"},
                                                                                 {"4 1 a", "0 1 a"},
                                                                                 {"4 1 a", "4 inf a"},
                                                                                 {"4 1 a", "4"}}) {
    std::string damaged = whole;
    ASSERT_NE(damaged.find(from), std::string::npos);
    damaged.replace(damaged.find(from), from.size(), to);
    write(damaged);
    EXPECT_EQ(maslin::read_place(path_, 2).known().pairs, 0) << to;
  }
  write("notes of somebody\n" + whole);
  EXPECT_EQ(maslin::read_place(path_, 2).known().pairs, 0);
  maslin::keep_place(path_, 2, comparison({1, 0, 0}, placement::dbs, {}));
  EXPECT_EQ(read(), "notes of somebody\n" + whole) << "a file of somebody else is not replaced";
}

/// Stretches of a program on two workers: 100 tasks, which take as many µs under locality, and 1,000 under dbs.
class Program {
 public:
  explicit Program(std::string file, double under_locality)
      : choice_(2, std::move(file)), under_locality_(under_locality) {}
  placement now() const { return choice_.now().near ? placement::locality : placement::dbs; }
  void run() {
    const double us = now() == placement::locality ? under_locality_ : 1000;
    place_meter meter;
    std::uint64_t ticks = 1;
    meter.begin(ticks);
    for (int i = 0; i < 100; ++i)
      meter.ran(line(1), ticks += static_cast<std::uint64_t>(us * 1e-6 / maslin::base::seconds_per_tick()));
    choice_.hand_in(choice_.now(), meter);
  }
  place_choice& choice() { return choice_; }

 private:
  place_choice choice_;
  double under_locality_;
};

TEST_F(PlaceFile, ARunWithManyStretchesDecidesByThem) {
  Program program("", 500);
  for (int i = 0; i < 9; ++i) {
    EXPECT_TRUE(program.choice().now().measures);
    program.run();
    EXPECT_TRUE(program.choice().is_long());
    program.choice().end_stretch();
  }
  EXPECT_FALSE(program.choice().now().measures) << "the first one does not count, and eight are four pairs";
  EXPECT_EQ(program.now(), placement::locality);
  const auto told = maslin::what_place_was_told();
  ASSERT_TRUE(told);
  EXPECT_TRUE(told->is_decided && told->is_near);
  EXPECT_EQ(told->pairs, 4);
  EXPECT_NEAR(told->ratio, 0.5, 0.01);
}

TEST_F(PlaceFile, RunsWithOneStretchAreComparedWithEachOther) {
  std::vector<placement> order;
  for (int run = 0; run < 9; ++run) {
    Program program(path_, 2000);
    order.push_back(program.now());
    if (program.choice().now().measures) program.run();
    if (run % 2 == 1) program.choice().end_stretch();  // the last task may have ended it
    program.choice().end();
  }
  using enum placement;
  EXPECT_EQ(order, (std::vector{dbs, locality, locality, dbs, dbs, locality, dbs, dbs, dbs}));
  EXPECT_EQ(maslin::read_place(path_, 2).chosen(), dbs);
  EXPECT_TRUE(place_choice(2, path_).has_chosen_dbs());
  EXPECT_FALSE(place_choice(3, path_).has_chosen_dbs());
}

TEST_F(PlaceFile, AShortStretchDoesNotEnd) {
  place_choice choice(2, "");
  place_meter meter;
  meter.begin(1);
  meter.ran(line(1), 100);
  const auto before = choice.now();
  choice.hand_in(before, meter);
  choice.end_stretch();
  EXPECT_EQ(choice.now(), before);
  maslin::forget_place_told();
  EXPECT_FALSE(maslin::what_place_was_told());
}

TEST_F(PlaceFile, WhatWasMeasuredInAnEarlierStretchDoesNotCount) {
  Program program("", 500);
  const auto first = program.choice().now();
  program.run();
  program.choice().end_stretch();
  place_meter late;
  late.begin(1);
  for (int i = 0; i < 100; ++i) late.ran(line(1), 1 + static_cast<std::uint64_t>(i + 1) * 10'000'000);
  program.choice().hand_in(first, late);
  EXPECT_FALSE(program.choice().is_long());
}

}  // namespace
