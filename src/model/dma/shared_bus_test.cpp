#include "model/dma/shared_bus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "model/dma/simulation.hpp"

namespace maslin::dma {
namespace {

constexpr double gb_per_s = 1e-3;  // in bytes a picosecond

std::int64_t end_of(shared_bus& bus) {
  std::int64_t now = 0;
  while (bus.next_ps() != shared_bus::never) bus.advance(now = bus.next_ps());
  return now;
}

/// Gives when transfers of so many bytes, which begin at the same time, each of another worker, are over.
std::vector<std::int64_t> ends_of(const bandwidths& of, const std::vector<std::uint64_t>& bytes) {
  shared_bus bus(static_cast<int>(bytes.size()), of);
  std::vector<std::int64_t> ends(bytes.size());
  std::int64_t now = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bus.add(static_cast<int>(i), bytes[i], 0, [&ends, &now, i] { ends[i] = now; });
  while (bus.next_ps() != shared_bus::never) bus.advance(now = bus.next_ps());
  return ends;
}

TEST(SharedBus, GivesOneTransferAllOfIt) {
  EXPECT_EQ(ends_of({.bus = {25.6 * gb_per_s, 1}}, {256})[0], 10'000);
  EXPECT_EQ(ends_of({.worker_bytes_per_ps = 25.6 * gb_per_s}, {256})[0], 10'000);
  EXPECT_EQ(ends_of({}, {256})[0], 0);
}

TEST(SharedBus, GivesEqualTransfersEqualParts) {
  EXPECT_EQ(ends_of({.bus = {25.6 * gb_per_s, 4}}, {256, 256, 256, 256}),
            (std::vector<std::int64_t>{40'000, 40'000, 40'000, 40'000}));
}

TEST(SharedBus, GivesWhatAnEndedTransferLeavesToTheOthers) {
  // Both at half until the short one is over, then the other alone.
  EXPECT_EQ(ends_of({.bus = {25.6 * gb_per_s, 2}}, {256, 512}), (std::vector<std::int64_t>{20'000, 30'000}));
}

TEST(SharedBus, GivesTheLeastOfWorkerBusAndMemory) {
  const bandwidths of{25.6 * gb_per_s, {40 * gb_per_s, 2}, {20 * gb_per_s, 4}};
  EXPECT_EQ(ends_of(of, {1024})[0], 51'200);                                          // memory
  EXPECT_EQ(ends_of({of.worker_bytes_per_ps, of.bus, {}}, {1024, 1024})[1], 51'200);  // a bus's half
  EXPECT_EQ(ends_of({of.worker_bytes_per_ps, of.bus, {}}, {1024, 0, 1024})[2],
            40'000);  // another bus: the worker's own
}

TEST(SharedBus, HasAWorkersTransfersFollowEachOtherAndBeginNoEarlierThanAsked) {
  shared_bus bus(2, {.worker_bytes_per_ps = 25.6 * gb_per_s});
  std::vector<int> order;
  bus.add(0, 256, 5'000, [&] { order.push_back(0); });
  bus.add(0, 256, 0, [&] { order.push_back(1); });
  bus.add(1, 256, 0, [&] { order.push_back(2); });
  EXPECT_EQ(end_of(bus), 25'000);
  EXPECT_EQ(order, (std::vector<int>{2, 0, 1}));
}

TEST(SharedBus, SaysWhatDmasimSays) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20; ++round) {
    constexpr int workers = 4;
    constexpr std::int64_t cycle_ps = 5000;
    parameters p;
    p.workers = workers;
    p.cache_bytes = 0;
    simulation exact(p);
    exact.note_ends();
    std::vector<operation> all;
    for (int i = 0; i < 40; ++i)
      all.push_back({static_cast<int>(random() % workers), static_cast<std::int64_t>(random() % 4000) * cycle_ps,
                     static_cast<std::uint64_t>(i) << 20, 128 * (1 + random() % 200), direction::get});
    std::ranges::stable_sort(all, {}, &operation::start_ps);
    for (const auto& o : all) exact.add(o);
    exact.run();

    shared_bus bus(workers, {.bus = {25.6 * gb_per_s, workers}});
    std::vector<std::int64_t> ends(all.size());
    std::int64_t now = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      bus.add(all[i].worker, all[i].bytes, all[i].start_ps, [&ends, &now, i] { ends[i] = now; });
    while (bus.next_ps() != shared_bus::never) bus.advance(now = bus.next_ps());
    // Where packets have a length, a transfer ends some rounds of all workers earlier or later.
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_NEAR(static_cast<double>(ends[i]), static_cast<double>(exact.ends()[i]), 3.0 * cycle_ps * workers)
          << round << ' ' << i;
  }
}

}  // namespace
}  // namespace maslin::dma
