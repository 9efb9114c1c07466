// Arrays of several dimensions as accesses: the same answers as in program order, whatever their strides.

#include "maslin/ndarray.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "executors.hpp"
#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {

using cube = ms::ndarray<int, 3>;

/// The bytes that an array's elements lie in, counted from its data.
template <class T, std::size_t Rank>
std::set<std::ptrdiff_t> bytes_of(const ms::ndarray<T, Rank>& a) {
  std::set<std::ptrdiff_t> all;
  std::array<std::size_t, Rank> at{};
  for (std::size_t left = a.size(); left > 0; --left) {
    std::ptrdiff_t offset = 0;
    for (std::size_t d = 0; d < Rank; ++d) offset += static_cast<std::ptrdiff_t>(at[d]) * a.stride(d);
    for (std::size_t b = 0; b < sizeof(T); ++b)
      all.insert(offset * static_cast<std::ptrdiff_t>(sizeof(T)) + static_cast<std::ptrdiff_t>(b));
    for (std::size_t d = Rank; d-- > 0;) {
      if (++at[d] < a.shape(d)) break;
      at[d] = 0;
    }
  }
  return all;
}

std::set<std::ptrdiff_t> bytes_of(const ms::detail::array_memory& m) {
  std::set<std::ptrdiff_t> all;
  for (std::size_t c = 0; c < m.columns; ++c)
    for (std::size_t b = 0; b < m.bytes; ++b) all.insert(m.lowest + static_cast<std::ptrdiff_t>(c * m.stride + b));
  return all;
}

TEST(ArrayMemory, HoldsEveryElementAndNothingElseWhereItSaysSo) {
  std::mt19937 draw(5);
  const auto upto = [&](int n) { return static_cast<int>(draw() % static_cast<unsigned>(n)); };
  int exact = 0, others = 0;
  for (int i = 0; i < 3000; ++i) {
    // A block of a cube with its dimensions in any order, steps over some elements, and some of them backwards.
    const std::array<std::ptrdiff_t, 3> whole{30, 5, 1};
    std::array<int, 3> order{0, 1, 2};
    std::shuffle(order.begin(), order.end(), draw);
    cube::shape_type shape{};
    cube::strides_type strides{};
    for (std::size_t d = 0; d < 3; ++d) {
      const auto from = static_cast<std::size_t>(order[d]);
      shape[d] = static_cast<std::size_t>(1 + upto(from == 2 ? 5 : 6));
      const bool every_second = upto(4) == 0;
      if (every_second) shape[d] = (shape[d] + 1) / 2;
      strides[d] = whole[from] * (every_second ? 2 : 1) * (upto(3) == 0 ? -1 : 1);
    }
    int data = 0;
    const cube a(&data, shape, strides);
    const auto memory = ms::detail::memory_of(a);
    const auto elements = bytes_of(a), taken = bytes_of(memory);
    ASSERT_FALSE(memory.repeats);
    if (memory.exact) {
      ASSERT_EQ(taken, elements);
    } else {
      ASSERT_TRUE(std::includes(taken.begin(), taken.end(), elements.begin(), elements.end()));
    }
    ++(memory.exact ? exact : others);
    // And the element with an index lies as far from the lowest byte wherever the columns are.
    std::vector<int> elsewhere(1000);
    const auto moved = ms::detail::laid_out_at(elsewhere.data(), a, memory, memory.stride);
    ASSERT_EQ(moved.data() - elsewhere.data(), -memory.lowest / static_cast<std::ptrdiff_t>(sizeof(int)));
  }
  EXPECT_GT(exact, 500);
  EXPECT_GT(others, 100);
}

TEST(ArrayMemory, IsEmptyOrRepeatsWhereTheArrayDoes) {
  int data[9] = {};
  EXPECT_EQ(ms::detail::memory_of(cube(data, {2, 0, 2})).bytes, 0U);
  EXPECT_TRUE(ms::detail::memory_of(ms::ndarray<int, 2>(data, {3, 3}, {0, 1})).repeats);
  EXPECT_TRUE(ms::detail::memory_of(ms::ndarray<int, 2>(data, {3, 3}, {1, 1})).repeats) << "windows that slide";
  EXPECT_FALSE(ms::detail::memory_of(ms::ndarray<int, 2>(data, {3, 1}, {1, 0})).repeats);
}

TEST(Ndarray, PartsAndIndicesAreThoseOfTheWhole) {
  std::vector<int> v(24);
  std::iota(v.begin(), v.end(), 0);
  const cube a(v.data(), {2, 3, 4});
  EXPECT_EQ(a(1, 2, 3), 23);
  EXPECT_TRUE(a.is_packed());
  EXPECT_EQ(a.elements().size(), 24U);
  const auto middle = a.part(1, 1, 3).part(2, 1, 3);
  EXPECT_EQ(middle.shape(), (cube::shape_type{2, 2, 2}));
  EXPECT_EQ(middle(1, 0, 1), a(1, 1, 2));
  EXPECT_FALSE(middle.is_packed());
  const ms::ndarray<const int, 2> plane = a.at(1, 2);
  EXPECT_EQ(plane(1, 3), a(1, 2, 3));
  const ms::ndarray<int, 1> backwards(v.data() + 23, {24}, {-1});
  EXPECT_EQ(backwards(5), 18);
}

struct array_of_a_library {
  int* memory;
  std::size_t dimensions = 2;
  int* data() const { return memory; }
  std::size_t ndim() const { return dimensions; }
  std::size_t shape(std::size_t d) const { return d == 0 ? 2 : 3; }
  std::int64_t stride(std::size_t d) const { return d == 0 ? 3 : 1; }
};

TEST(Ndarray, IsMadeOfALibrarysArrayWithAsManyDimensions) {
  int v[6] = {0, 1, 2, 3, 4, 5};
  const ms::ndarray<int, 2> a(array_of_a_library{v});
  EXPECT_EQ(a(1, 2), 5);
  const ms::ndarray<const int, 2> read(array_of_a_library{v});
  EXPECT_EQ(read(1, 1), 4);
  try {
    ms::ndarray<int, 3> wrong(array_of_a_library{v});
    FAIL();
  } catch (const ms::error& e) {
    EXPECT_STREQ(e.what(), "an array has 2 dimensions; expected one with 3");
  }
}

class Ndarrays : public Promise {};
MASLIN_ON_EVERY_EXECUTOR(Ndarrays);

/// Adds up an array by its indices.
std::int64_t sum_of(const ms::ndarray<const int, 3>& a) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a.shape(0); ++i)
    for (std::size_t j = 0; j < a.shape(1); ++j)
      for (std::size_t k = 0; k < a.shape(2); ++k) sum = sum * 3 + a(i, j, k);
  return sum;
}

TEST_P(Ndarrays, BlocksOfACubeAreTheirOwnDataInAnyOrderOfDimensions) {
  std::mt19937 draw(11);
  std::vector<int> v(6 * 6 * 6), expected;
  std::iota(v.begin(), v.end(), 0);
  expected = v;
  std::vector<std::int64_t> seen(300), right(300);
  // `on` does each step at once, or as a task.
  const auto blocks = [&](std::mt19937 random, std::vector<int>& data, auto on) {
    for (std::size_t step = 0; step < 300; ++step) {
      cube::strides_type strides{36, 6, 1};
      std::shuffle(strides.begin(), strides.end(), random);
      cube a(data.data(), {6, 6, 6}, strides);
      for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t from = random() % 5, size = 1 + random() % 3;
        a = a.part(d, from, std::min<std::size_t>(from + size, 6));
        if (random() % 4 == 0) {
          auto turned = a.shape();
          auto back = cube::strides_type{a.stride(0), a.stride(1), a.stride(2)};
          int* last = a.data() + static_cast<std::ptrdiff_t>(turned[d] - 1) * back[d];
          back[d] = -back[d];
          a = cube(last, turned, back);
        }
      }
      on(step, static_cast<int>(random() % 3), a);
    }
  };
  const auto write = [](cube a, int with, bool keep) {
    for (std::size_t i = 0; i < a.shape(0); ++i)
      for (std::size_t j = 0; j < a.shape(1); ++j)
        for (std::size_t k = 0; k < a.shape(2); ++k)
          a(i, j, k) = (keep ? a(i, j, k) % 1000 : 0) + with + static_cast<int>(i + 2 * j + 5 * k);
  };
  blocks(draw, expected, [&](std::size_t step, int what, const cube& a) {
    if (what == 0) right[step] = sum_of(a);
    if (what > 0) write(a, static_cast<int>(step), what == 1);
  });
  blocks(draw, v, [&](std::size_t step, int what, const cube& a) {
    if (what == 0)
      ms::task([](ms::ndarray<const int, 3> from, ms::view<std::int64_t> to) { to[0] = sum_of(from); }, ms::in(a),
               ms::out(seen[step]));
    if (what == 1) ms::task(write, ms::inout(a), static_cast<int>(step), true);
    if (what == 2) ms::task(write, ms::out(a), static_cast<int>(step), false);
  });
  ms::wait();
  EXPECT_EQ(v, expected);
  EXPECT_EQ(seen, right);
}

TEST_P(Ndarrays, WhatLiesBetweenTheElementsOfAnOutKeepsItsValues) {
  std::vector<int> v(2 * 4 * 6, 7);
  // Every second element of rows that are not all: no regular memory.
  const cube a(v.data(), {2, 2, 3}, {24, 6, 2});
  EXPECT_FALSE(ms::detail::memory_of(a).exact);
  for (int i = 0; i < 20; ++i)
    ms::task(
        [i](cube to) {
          for (std::size_t x = 0; x < 2; ++x)
            for (std::size_t y = 0; y < 2; ++y)
              for (std::size_t z = 0; z < 3; ++z) to(x, y, z) = i;
        },
        ms::out(a));
  ms::wait();
  for (std::size_t i = 0; i < v.size(); ++i) {
    const std::size_t row = i / 6;
    EXPECT_EQ(v[i], (row % 4 < 2 && i % 2 == 0) ? 19 : 7) << i;
  }
}

TEST_P(Ndarrays, AnArrayThatNamesAnElementTwiceIsReadAndNotWritten) {
  int x = 3;
  const ms::ndarray<int, 1> again(&x, {5}, {0});
  int sum = 0;
  ms::task([](ms::ndarray<const int, 1> a, ms::view<int> to) { to[0] = a(0) + a(4); }, ms::in(again), ms::out(sum));
  ms::wait();
  EXPECT_EQ(sum, 6);
  EXPECT_THROW(ms::inout(again), ms::error);
  EXPECT_THROW(ms::out(again), ms::error);
}

TEST_P(Ndarrays, KernelsOfOffLoadsTakeThem) {
  static const ms::kernel sum{"sum of an array", [](ms::ndarray<const int, 3> a) { return sum_of(a); }};
  std::vector<int> v(24, 1);
  EXPECT_EQ(ms::offload(sum, ms::in(cube(v.data(), {2, 3, 4}))), sum_of(cube(v.data(), {2, 3, 4})));
}

}  // namespace
