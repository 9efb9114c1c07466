#include "trace/ring.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace maslin::trace::internal {
namespace {

std::vector<std::uint64_t> arguments_of(ring& r) {
  std::vector<std::uint64_t> found;
  r.pop([&](const cell& c) { found.push_back(c.argument); });
  return found;
}

TEST(Ring, GivesBackWhatWasPushedInOrder) {
  ring r;
  r.open(8);
  r.push(event_kind::steal, 3, 11);
  r.push(event_kind::park, 4, 12);
  std::vector<cell> found;
  EXPECT_EQ(r.pop([&](const cell& c) { found.push_back(c); }), 2u);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kind, event_kind::steal);
  EXPECT_EQ(found[0].id, 3u);
  EXPECT_EQ(found[0].argument, 11u);
  EXPECT_EQ(found[1].kind, event_kind::park);
  EXPECT_LE(found[0].ticks, found[1].ticks);
  EXPECT_TRUE(arguments_of(r).empty());
}

TEST(Ring, DropsTheNewestAndCountsThemWhenFull) {
  ring r;
  r.open(4);
  for (std::uint64_t i = 0; i < 7; ++i) r.push(event_kind::steal, 0, i);
  EXPECT_EQ(r.dropped(), 3u);
  EXPECT_EQ(arguments_of(r), (std::vector<std::uint64_t>{0, 1, 2, 3}));
  r.push(event_kind::steal, 0, 7);
  EXPECT_EQ(arguments_of(r), std::vector<std::uint64_t>{7});
  EXPECT_EQ(r.dropped(), 3u);
}

TEST(Ring, WrapsAroundManyTimes) {
  ring r;
  r.open(4);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    r.push(event_kind::steal, 0, i);
    if (i % 3 == 2) {
      ASSERT_EQ(arguments_of(r), (std::vector<std::uint64_t>{i - 2, i - 1, i}));
    }
  }
  EXPECT_EQ(r.dropped(), 0u);
}

// The promise of the orderings in push and pop: a cell that is handed over is whole, and none is overwritten before it
// was read. The ring is so small that both ends meet all the time.
TEST(Ring, HandsOverWholeEventsWhileTheProducerRuns) {
  for (const std::size_t capacity : {1u, 2u, 64u}) {
    ring r;
    r.open(capacity);
    constexpr std::uint64_t events = 200'000;
    std::atomic<bool> done{false};
    std::thread producer([&] {
      for (std::uint64_t i = 1; i <= events; ++i)
        r.push(static_cast<event_kind>(1 + i % 20), static_cast<std::uint32_t>(i * 3), i);
      done.store(true, std::memory_order_release);
    });
    std::uint64_t last = 0;
    std::uint64_t taken = 0;
    bool whole = true;
    const auto take = [&](const cell& c) {
      whole = whole && c.argument > last && c.id == static_cast<std::uint32_t>(c.argument * 3) &&
              c.kind == static_cast<event_kind>(1 + c.argument % 20);
      last = c.argument;
      ++taken;
    };
    while (!done.load(std::memory_order_acquire)) {
      r.pop(take);
      std::this_thread::yield();
    }
    r.pop(take);
    producer.join();
    EXPECT_TRUE(whole) << "capacity " << capacity;
    EXPECT_EQ(taken + r.dropped(), events) << "capacity " << capacity;
    EXPECT_GT(taken, 0u);
  }
}

}  // namespace
}  // namespace maslin::trace::internal
