// Local stores: what is copied where, how much room there is, and that the adversary finds a wrong order.

#include "exec/store/local_store.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <exception>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "exec/store/thread_platform.hpp"

namespace {

using namespace maslin;
using detail::declared;
using store::copy;
using store::local_store;
using store::places;
using store::plan;
using store::thread_platform;

constexpr int seeds = 50;

declared access(void* data, std::size_t bytes, access_mode mode, std::size_t columns = 1, std::size_t stride = 0) {
  return {data, bytes, columns, stride ? stride : bytes, mode, true, nullptr};
}

template <class T>
T* as(std::byte* piece) {
  return reinterpret_cast<T*>(piece);
}

TEST(Arena, GivesNoMoreThanItHasAndTakesItBack) {
  store::arena a(1024);
  std::byte* const first = a.take(500);
  std::byte* const second = a.take(512);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(a.take(1), nullptr);
  EXPECT_EQ(a.most_taken(), 1024u);
  a.give(first);
  EXPECT_EQ(a.take(513), nullptr);
  EXPECT_EQ(a.take(512), first);
  a.give(second);
  a.give(first);
  EXPECT_EQ(a.taken(), 0u);
  EXPECT_EQ(a.take(1024), first);
}

TEST(Arena, AnOddSizeIsRoundedDown) {
  store::arena a(1000);
  EXPECT_EQ(a.bytes(), 960u);
  EXPECT_EQ(a.take(961), nullptr);
}

TEST(Arena, PiecesNeverOverlap) {
  std::minstd_rand chance(1);
  store::arena a(8192);
  std::vector<std::pair<std::byte*, std::size_t>> held;
  for (int i = 0; i < 20000; ++i) {
    if (!held.empty() && chance() % 2) {
      const std::size_t which = chance() % held.size();
      a.give(held[which].first);
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
      continue;
    }
    const std::size_t bytes = 1 + chance() % 1000;
    std::byte* const piece = a.take(bytes);
    if (!piece) continue;
    ASSERT_TRUE(a.holds(piece) && a.holds(piece + bytes - 1));
    for (const auto& [other, size] : held) ASSERT_TRUE(piece + bytes <= other || other + size <= piece);
    held.emplace_back(piece, bytes);
  }
}

TEST(Plan, AccessesToTheSameRegionShareACopy) {
  std::vector<char> data(100);
  const plan p =
      store::make_plan({access(data.data(), 100, access_mode::in), access(data.data(), 100, access_mode::out)});
  ASSERT_EQ(p.copies.size(), 1u);
  EXPECT_EQ(p.of_access, (std::vector<int>{0, 0}));
  EXPECT_TRUE(p.copies[0].reads);
  EXPECT_TRUE(p.copies[0].writes);
}

TEST(Plan, WhatOverlapsInPartStaysOnMemory) {
  std::vector<char> data(100);
  const plan p = store::make_plan({access(data.data(), 60, access_mode::in), access(&data[80], 20, access_mode::out),
                                   access(&data[50], 20, access_mode::inout)});
  EXPECT_EQ(p.of_access, (std::vector<int>{plan::on_memory, 0, plan::on_memory}));
  EXPECT_FALSE(p.copies[0].reads);
}

TEST(Plan, TilesOfOneMatrixThatLieBetweenEachOtherAreCopied) {
  std::vector<double> matrix(64);
  const auto tile = [&](std::size_t row) { return access(&matrix[row], 32, access_mode::inout, 8, 64); };
  const plan p = store::make_plan({tile(0), tile(4)});
  EXPECT_EQ(p.copies.size(), 2u);
  EXPECT_EQ(p.bytes(), 512u);
}

TEST(Plan, WhatIsMoreThanBytesStaysOnMemory) {
  int x = 0, y = 0;
  declared fixed = access(&x, sizeof x, access_mode::inout);
  fixed.renames = false;
  const plan p = store::make_plan({fixed, access(&y, sizeof y, access_mode::in), access(&x, 0, access_mode::in)});
  EXPECT_EQ(p.of_access, (std::vector<int>{plan::on_memory, 0, plan::on_memory}));
}

/// A store of 4 KiB and a task that adds what it reads to a tile of a matrix.
struct adding {
  static constexpr std::size_t rows = 5, columns = 7, ld = 11;
  std::vector<int> source = std::vector<int>(rows * columns);
  std::vector<int> matrix = std::vector<int>(ld * columns, 100);
  local_store<thread_platform> in;
  plan of;
  places at;

  explicit adding(std::optional<std::uint64_t> seed) : in(4096, seed) {
    std::iota(source.begin(), source.end(), 1);
    of = store::make_plan({access(source.data(), source.size() * sizeof(int), access_mode::in),
                           access(&matrix[2], rows * sizeof(int), access_mode::inout, columns, ld * sizeof(int))});
    EXPECT_TRUE(in.take(of, at));
  }
  void body() {
    const int* from = as<int>(at[static_cast<std::size_t>(of.of_access[0])]);
    int* to = as<int>(at[static_cast<std::size_t>(of.of_access[1])]);
    for (std::size_t i = 0; i < source.size(); ++i) to[i] += from[i];
  }
  /// Ends when its data are on their way to memory.
  void go_on_to_stage_out() {
    in.begin_stage_in(of, at, false);
    in.end_stage_in();
    body();
    in.begin_stage_out(of, at, false);
  }
  bool is_right() const {
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      const std::size_t row = i % ld, column = i / ld;
      const bool inside = row >= 2 && row < 2 + rows;
      if (matrix[i] != (inside ? 100 + source[column * rows + row - 2] : 100)) return false;
    }
    return true;
  }
};

TEST(LocalStore, ATileIsGatheredColumnByColumnAndComesBack) {
  for (int seed = -1; seed < seeds; ++seed) {
    adding task(seed < 0 ? std::nullopt : std::optional<std::uint64_t>(seed));
    store::run_on_copies(
        task.in, task.of, task.at, true, [&] { task.body(); }, [] {});
    EXPECT_TRUE(task.is_right()) << seed;
    const store::counts told = task.in.told();
    EXPECT_EQ(told.bytes_in, 2 * adding::rows * adding::columns * sizeof(int));
    EXPECT_EQ(told.bytes_out, adding::rows * adding::columns * sizeof(int));
    EXPECT_LE(told.most_bytes, 4096u);
  }
}

TEST(LocalStore, TheAdversaryFindsABodyThatRunsBeforeItsCopyHasArrived) {
  int found = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    adding task(seed);
    task.in.begin_stage_in(task.of, task.at, false);
    task.body();  // the mistake: `end_stage_in` comes first
    task.in.end_stage_in();
    task.in.begin_stage_out(task.of, task.at, false);
    task.in.end_stage_out();
    found += !task.is_right();
  }
  EXPECT_GT(found, seeds / 2);
}

TEST(LocalStore, TheAdversaryFindsATaskThatIsDoneBeforeItsDataAreInMemory) {
  int found = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    adding task(seed);
    task.go_on_to_stage_out();
    found += !task.is_right();  // the mistake: `end_stage_out` comes first
    task.in.end_stage_out();
    EXPECT_TRUE(task.is_right());
  }
  EXPECT_GT(found, seeds / 2);
}

TEST(LocalStore, TheAdversaryFindsRoomThatIsGivenBackBeforeItsDataAreInMemory) {
  int found = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    adding task(seed);
    task.go_on_to_stage_out();
    task.in.give(task.at);  // the mistake: `end_stage_out` comes first
    std::vector<int> other(adding::rows * adding::columns);
    const plan next = store::make_plan({access(other.data(), other.size() * sizeof(int), access_mode::out),
                                        access(task.source.data(), other.size() * sizeof(int), access_mode::out)});
    ASSERT_TRUE(task.in.take(next, task.at));
    for (std::byte* piece : task.at) std::memset(piece, 0, other.size() * sizeof(int));
    task.in.end_stage_out();
    found += !task.is_right();
  }
  EXPECT_GT(found, seeds / 2);
}

TEST(LocalStore, WhatAFailedBodyHasChangedIsInMemory) {
  int kept = 1, lost = 1;
  local_store<thread_platform> in(4096, std::optional<std::uint64_t>(3));
  const plan of =
      store::make_plan({access(&kept, sizeof kept, access_mode::inout), access(&lost, sizeof lost, access_mode::out)});
  places at;
  ASSERT_TRUE(in.take(of, at));
  const auto body = [&] {
    *as<int>(at[static_cast<std::size_t>(of.of_access[0])]) = 2;
    throw std::runtime_error("no");
  };
  EXPECT_THROW(store::run_on_copies(in, of, at, true, body, [] {}), std::runtime_error);
  EXPECT_EQ(kept, 2);
  EXPECT_EQ(lost, 1);
  EXPECT_TRUE(at.empty());
}

TEST(LocalStore, WithoutRoomForAllCopiesATaskGetsNone) {
  std::vector<char> data(4096);
  local_store<thread_platform> in(4096, std::nullopt);
  const plan half = store::make_plan({access(data.data(), 2048, access_mode::in)});
  const plan two =
      store::make_plan({access(data.data(), 2048, access_mode::in), access(&data[2048], 64, access_mode::in)});
  places first, second, third;
  ASSERT_TRUE(in.take(half, first));
  EXPECT_TRUE(in.take(half, second));
  EXPECT_FALSE(in.take(two, third));
  in.give(second);
  EXPECT_FALSE(in.take(store::make_plan({access(data.data(), 4096, access_mode::in)}), third));
  EXPECT_TRUE(third.empty());
  EXPECT_TRUE(in.take(half, third));
}

}  // namespace
