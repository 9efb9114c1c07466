// MASLIN_CHECK=1: what a task takes from memory that it declared with `out`, or from where renamed data were before, is
// not a number; what it declared with `in` it must not write.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "executors.hpp"

namespace {

struct checks_on {
  checks_on() { setenv("MASLIN_CHECK", "1", 1); }
  ~checks_on() { unsetenv("MASLIN_CHECK"); }
};

class Checked : checks_on, public Promise {};

MASLIN_ON_EVERY_EXECUTOR(Checked);

TEST_P(Checked, AnOutThatReadsGetsNoNumber) {
  double x = 1;
  float y[3] = {1, 1, 1};
  std::int64_t n = 1;
  ms::task([](ms::view<double> v) { v[0] += 1; }, ms::out(x));
  ms::task([](ms::view<float> v) { v[0] = v[1] = 2; }, ms::out(y));
  ms::task([](ms::view<std::int64_t> v) { ++v[0]; }, ms::out(n));
  ms::wait();
  EXPECT_TRUE(std::isnan(x));
  EXPECT_EQ(y[1], 2);
  EXPECT_TRUE(std::isnan(y[2]));
  EXPECT_GT(n, std::numeric_limits<int>::max());
}

TEST_P(Checked, AWriteThroughAPointerToRenamedDataIsNotSeen) {
  static double x;
  x = 1;
  ms::task([](ms::view<double>) { x = 2; }, ms::out(x));
  ms::wait();
  EXPECT_TRUE(std::isnan(x));
}

TEST_P(Checked, AReadThroughAPointerToRenamedDataGetsNoNumber) {
  static double x;  // no other test names memory that overlaps it, so that it is renamed
  x = 1;
  double y = 1;
  ms::task([](ms::view<double> v) { v[0] = 2; }, ms::out(x));
  ms::task([](ms::view<const double>, ms::view<double> to) { to[0] = x; }, ms::in(x), ms::out(y));
  ms::wait_on(y);  // x is brought home later
  EXPECT_TRUE(std::isnan(y));
  ms::wait();
  EXPECT_EQ(x, 2);
}

TEST_P(Checked, OnlyTheElementsOfATileAreFilled) {
  double all[6] = {1, 1, 1, 1, 1, 1};  // columns of 3, of which a tile has 2
  ms::task([](ms::tile<double> t) { t(0, 0) = t(0, 1) = t(1, 1) = 2; }, ms::out(ms::tile<double>{all, 2, 2, 3}));
  ms::wait();
  EXPECT_EQ(all[0], 2);
  EXPECT_TRUE(std::isnan(all[1]));
  EXPECT_EQ(all[2], 1);
  EXPECT_EQ(all[3], 2);
  EXPECT_EQ(all[4], 2);
  EXPECT_EQ(all[5], 1);
}

TEST_P(Checked, WhatATaskMayReadStays) {
  double x[4] = {1, 1, 1, 1};
  std::string texts[1] = {"kept"};
  ms::task([](ms::view<const double> from, ms::view<double> to) { to[0] = from[0] + 1; }, ms::in(x[0]), ms::out(x[0]));
  ms::task([](ms::view<double> v, ms::view<double>) { ++v[1]; }, ms::inout(x), ms::out(x[2]));
  ms::task([](ms::view<std::string> v) { v[0] += " as it was"; }, ms::out(texts));
  ms::wait();
  EXPECT_EQ(x[0], 2);
  EXPECT_EQ(x[1], 2);
  EXPECT_EQ(x[2], 1);
  EXPECT_EQ(texts[0], "kept as it was");
}

TEST_P(Checked, OfManyAccessesWhatIsOnlyReadMustStay) {
  std::mt19937 random(1);
  int found = 0;
  constexpr int tasks = 100;
  for (int i = 0; i < tasks; ++i) {
    std::vector<double> memory(200, 1.0);
    std::vector<int> only_read(memory.size());  // how many tiles that nothing writes have it
    std::vector<decltype(ms::in(ms::tile<const double>()))> read;
    std::vector<decltype(ms::inout(ms::tile<double>()))> written;
    std::vector<ms::tile<double>> tiles;
    for (int k = 0; k < 20; ++k) {
      const std::size_t rows = 1 + random() % 3, ld = rows + random() % 8, cols = 1 + random() % 4;
      tiles.push_back({memory.data() + random() % (memory.size() - rows - ld * (cols - 1)), rows, cols, ld});
    }
    const auto elements = [&](const ms::tile<double>& t) {
      std::vector<std::size_t> all;
      for (std::size_t c = 0; c < t.cols; ++c)
        for (std::size_t r = 0; r < t.rows; ++r) all.push_back(static_cast<std::size_t>(&t(r, c) - memory.data()));
      return all;
    };
    std::vector<bool> may_change(memory.size());
    const std::size_t writes = random() % 4;
    for (std::size_t k = 0; k < tiles.size(); ++k) {
      if (k >= writes) {
        read.push_back(ms::in(ms::tile<const double>(tiles[k])));
      } else {
        written.push_back(ms::inout(tiles[k]));
        for (const std::size_t at : elements(tiles[k])) may_change[at] = true;
      }
    }
    for (std::size_t k = writes; k < tiles.size(); ++k) {
      const std::vector<std::size_t> own = elements(tiles[k]);
      if (std::any_of(own.begin(), own.end(), [&](std::size_t at) { return may_change[at]; })) continue;
      for (const std::size_t at : own) ++only_read[at];
    }
    const std::size_t at = random() % memory.size();
    bool caught = false;
    try {
      ms::task(
          [&memory, at](ms::view<const ms::tile<const double>>, ms::view<const ms::tile<double>>) { memory[at] = 2; },
          read, written);
      ms::wait();
    } catch (const ms::error&) {
      caught = true;
    }
    EXPECT_EQ(caught, only_read[at] > 0) << i;
    found += caught;
  }
  EXPECT_GT(found, tasks / 10);
  EXPECT_LT(found, tasks * 9 / 10);
}

TEST_P(Checked, AReplayIsCheckedToo) {
  double x = 1;
  ms::recording tasks = ms::record([&] { ms::task([](ms::view<double> v) { v[0] += 1; }, ms::out(x)); });
  EXPECT_TRUE(std::isnan(x));
  x = 1;
  ms::replay(tasks);
  EXPECT_TRUE(std::isnan(x));
}

TEST_P(Checked, ARightProgramGivesWhatItGivesOtherwise) {
  std::vector<double> buffer(100);
  std::vector<double> sums(20);
  double total = 0;
  for (int i = 0; i < 20; ++i) {
    ms::task(
        [i](ms::view<double> to) {
          dawdle();
          for (double& one : to) one = i;
        },
        ms::out(buffer));
    ms::task(
        [](ms::view<const double> from, ms::view<double> sum) {
          sum[0] = 0;
          for (const double one : from) sum[0] += one;
        },
        ms::in(buffer), ms::out(sums[static_cast<std::size_t>(i)]));
    ms::task([](ms::view<const double> sum, ms::view<double> all) { all[0] += sum[0]; },
             ms::in(sums[static_cast<std::size_t>(i)]), ms::reduction(total));
  }
  ms::wait_on(total);
  EXPECT_EQ(total, 100 * 190);
  ms::wait();
  EXPECT_EQ(sums[7], 700);
  EXPECT_EQ(buffer[99], 19);
}

}  // namespace
