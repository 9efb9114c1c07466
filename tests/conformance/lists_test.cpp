// Lists of accesses whose length is known when the program runs.

#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "executors.hpp"

namespace {

class Lists : public Promise {};

MASLIN_ON_EVERY_EXECUTOR(Lists);

using parts = ms::view<const ms::view<const int>>;
using list_of_in = std::vector<decltype(ms::in(std::declval<const std::vector<int>&>()))>;

int sum_of(parts all) {
  int sum = 0;
  for (const ms::view<const int> part : all) sum = std::accumulate(part.begin(), part.end(), sum);
  return sum;
}

TEST_P(Lists, ATaskWaitsForAllThatAListNames) {
  for (const std::size_t length : {0, 1, 7, 300}) {
    std::vector<std::vector<int>> values(length, std::vector<int>(3));
    list_of_in read;
    int sum = -1;
    for (auto& one : values) {
      ms::task(
          [](ms::view<int> to) {
            dawdle();
            for (int& value : to) value = 2;
          },
          ms::out(one));
      read.push_back(ms::in(one));
    }
    ms::task([length](parts all, ms::view<int> to) { to[0] = all.size() == length ? sum_of(all) : -2; }, read,
             ms::out(sum));
    ms::wait_on(sum);
    EXPECT_EQ(sum, static_cast<int>(6 * length));
    ms::wait();
  }
}

TEST_P(Lists, EachArgumentGetsItsOwnData) {
  std::vector<std::vector<int>> a(3, std::vector<int>(1, 1));
  std::vector<std::vector<int>> b(2, std::vector<int>(1, 10));
  int before = 100;
  int after = 0;
  std::vector<decltype(ms::inout(b[0]))> changed;
  list_of_in read;
  for (auto& one : a) read.push_back(ms::in(one));
  for (auto& one : b) changed.push_back(ms::inout(one));
  ms::group group;
  group.task(
      [](ms::view<const int> x, parts all, int factor, ms::view<const ms::view<int>> to, ms::view<int> y) {
        for (const ms::view<int> one : to) one[0] += factor * sum_of(all);
        y[0] = x[0] + 1;
      },
      ms::in(before), read, 2, std::move(changed), ms::out(after), ms::priority{1});
  group.wait();
  EXPECT_EQ(b[0][0], 16);
  EXPECT_EQ(b[1][0], 16);
  EXPECT_EQ(after, 101);
}

TEST_P(Lists, RenamedDataArriveWhereTheyLie) {
  std::vector<int> buffer(50);
  std::vector<int> matrix(12);
  const ms::tile<int> part{matrix.data(), 2, 3, 4};
  std::vector<int> sums(20);
  int total = 0;
  for (int i = 0; i < 20; ++i) {
    ms::task(
        [i](ms::view<int> to, ms::tile<int> t) {
          dawdle();
          for (int& one : to) one = i;
          for (std::size_t c = 0; c < t.cols; ++c)
            for (std::size_t r = 0; r < t.rows; ++r) t(r, c) = i;
        },
        ms::out(buffer), ms::out(part));
    ms::task(
        [](parts all, ms::view<const ms::tile<const int>> tiles, ms::view<int> sum) {
          sum[0] = sum_of(all);
          for (const auto& t : tiles)
            for (std::size_t c = 0; c < t.cols; ++c)
              for (std::size_t r = 0; r < t.rows; ++r) sum[0] += t(r, c);
        },
        list_of_in{ms::in(buffer)}, std::vector{ms::in(part)}, ms::out(sums[static_cast<std::size_t>(i)]));
    ms::task([](parts all, ms::view<const ms::view<int>> to) { to[0][0] += sum_of(all); },
             list_of_in{ms::in(std::span<const int>(&sums[static_cast<std::size_t>(i)], 1))},
             std::vector{ms::reduction(total)});
  }
  ms::wait();
  EXPECT_EQ(total, 190 * 56);
}

TEST_P(Lists, TasksThatAreTooSmallToBeHandedOverHaveThemToo) {
  int x = 0;
  int y = 0;
  for (int i = 0; i < 5'000; ++i)
    ms::task([](ms::view<const ms::view<int>> both) { both[1][0] += ++both[0][0]; },
             std::vector{ms::inout(x), ms::inout(y)});
  ms::wait();
  EXPECT_EQ(x, 5'000);
  EXPECT_EQ(y, 5'000 * 5'001 / 2);
}

TEST_P(Lists, AReplayTakesThemToOtherData) {
  std::vector<int> a(4, 1);
  std::vector<int> b(4, 10);
  int sum = 0;
  ms::recording tasks = ms::record([&] {
    ms::task([](parts all, ms::view<int> to) { to[0] += sum_of(all); }, std::vector(3, ms::in(a)), ms::inout(sum));
  });
  EXPECT_EQ(sum, 12);
  ms::replay(tasks, ms::rebind(a, b));
  EXPECT_EQ(sum, 132);
  ms::replay(tasks);
  EXPECT_EQ(sum, 144);
}

TEST_P(Lists, WhatHasViewsIsNoList) {
  struct scene {
    std::vector<int> views;
    std::size_t size() const { return views.size(); }
  };
  int x = 3;
  int y = 0;
  ms::task([](const scene& s, parts all, ms::view<int> to) { to[0] = s.views[1] + sum_of(all); }, scene{{1, 2}},
           std::vector{ms::in(x), ms::in(x)}, ms::out(y));
  ms::wait();
  EXPECT_EQ(y, 8);
}

TEST_P(Lists, AListMayBeLong) {
  constexpr std::size_t length = 20'000;
  int x = 0;
  int y = 0;
  ms::task(
      [](ms::view<int> v) {
        dawdle();
        v[0] = 1;
      },
      ms::out(x));
  ms::task([](parts all, ms::view<int> to) { to[0] = sum_of(all); }, std::vector(length, ms::in(x)), ms::out(y));
  ms::wait();
  EXPECT_EQ(static_cast<std::size_t>(y), length);
}

TEST_P(Lists, ALongListMayNameDataAgain) {
  std::vector<int> values(50);
  std::vector<int> times(values.size());
  std::vector<decltype(ms::inout(values[0]))> changed;
  list_of_in read;
  std::vector<int> snapshots(values.size());
  for (std::size_t i = 0; i < 10'000; ++i) {
    const std::size_t at = i * i % 45;  // not every number is a square modulo 45
    changed.push_back(ms::inout(values[at]));
    ++times[at];
    read.push_back(ms::in(std::span<const int>(&values[i % 48], 1)));
  }
  for (int& value : values)
    ms::task(
        [](ms::view<int> v) {
          dawdle();
          v[0] = 100;
        },
        ms::out(value));
  for (const bool reads_first : {true, false}) {
    const auto body = [](ms::view<const ms::view<int>> to) {
      for (const ms::view<int> one : to) ++one[0];
    };
    if (reads_first)
      ms::task([body](parts, ms::view<const ms::view<int>> to) { body(to); }, read, changed);
    else
      ms::task([body](ms::view<const ms::view<int>> to, parts) { body(to); }, changed, read);
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    ms::task([](ms::view<const int> from, ms::view<int> to) { to[0] = from[0]; }, ms::in(values[i]),
             ms::out(snapshots[i]));
  for (int& value : values) ms::task([](ms::view<int> v) { v[0] = -1; }, ms::out(value));
  ms::wait();
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(snapshots[i], 100 + 2 * times[i]) << i;
  EXPECT_EQ(values, std::vector<int>(values.size(), -1));
}

TEST_P(Lists, ATaskWithTooManyAccessesIsAnError) {
  if (serial()) GTEST_SKIP() << "it is run by its creator and needs no room";
  int x = 0;
  for (const std::size_t count : {33'000, 65'000, 100'000})
    EXPECT_THROW(ms::task([](parts) { ADD_FAILURE() << "it ran"; }, std::vector(count, ms::in(x))), ms::error) << count;
  ms::wait();
}

}  // namespace
