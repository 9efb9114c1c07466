// A ring gives what was written, in its order, and never more than it has room for.

#include "comm/packet_ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace {

using maslin::comm::packet;
using ring = maslin::comm::ring<64, 4096>;

std::vector<unsigned char> bytes_of(std::uint64_t id) {
  std::vector<unsigned char> made(id * 37 % (id % 3 == 0 ? 40 : ring::most_bytes + 1));
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = static_cast<unsigned char>(id * 31 + i * 7);
  return made;
}

/// Small packets, whose bytes are in them if they are few, and others.
packet::what kind_of(std::uint64_t id) { return id % 5 == 0 ? packet::what::letter : packet::what::small; }

bool write(ring& to, std::uint64_t id) {
  const auto bytes = bytes_of(id);
  const auto room = to.room(kind_of(id), bytes.size());
  if (!room) return false;
  room.head->id = id;
  if (kind_of(id) == packet::what::letter) room.head->whole = {id, id + 1, id + 2};
  if (!bytes.empty()) std::memcpy(room.data, bytes.data(), bytes.size());
  to.publish();
  return true;
}

/// Reads a packet, which must be that one; false where there is none.
bool read(ring& from, std::uint64_t id) {
  const auto one = from.first();
  if (!one) return false;
  const auto expected = bytes_of(id);
  EXPECT_EQ(one.head->id, id);
  EXPECT_EQ(one.head->is, kind_of(id));
  EXPECT_EQ(one.head->bytes, expected.size());
  if (kind_of(id) == packet::what::letter) {
    EXPECT_EQ(one.head->whole.at, id + 2);
  }
  const auto* const came = reinterpret_cast<const unsigned char*>(one.data);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), came));
  from.pop();
  return true;
}

TEST(PacketRing, GivesWhatWasWrittenInItsOrder) {
  const auto one = std::make_unique<ring>();
  std::mt19937 random(7);
  std::uint64_t written = 0, gone = 0;
  bool was_full = false;
  for (int step = 0; step < 20000; ++step) {
    if (random() % 3 > 0)
      write(*one, written) ? void(++written) : void(was_full = true);
    else if (read(*one, gone))
      ++gone;
    ASSERT_EQ(one->has_some(), written > gone);
  }
  EXPECT_TRUE(was_full);
  while (read(*one, gone)) ++gone;
  EXPECT_EQ(gone, written);
}

TEST(PacketRing, TakesSevenOfTheLongestPackets) {
  const auto one = std::make_unique<ring>();
  int count = 0;
  while (one->room(packet::what::small, ring::most_bytes)) one->publish(), ++count;
  EXPECT_GE(count, 7);
}

TEST(PacketRing, HasASlotForEachPacket) {
  const auto one = std::make_unique<ring>();
  for (int round = 0; round < 3; ++round) {
    int count = 0;
    while (one->room(packet::what::small, packet::few)) one->publish(), ++count;
    EXPECT_EQ(count, 64);
    while (one->first()) one->pop();
  }
}

TEST(PacketRing, TellsAWaitingWriterOnce) {
  const auto one = std::make_unique<ring>();
  EXPECT_FALSE(one->takes_wait_back());
  one->await_room();
  EXPECT_TRUE(one->takes_wait_back());
  EXPECT_FALSE(one->takes_wait_back());
}

TEST(PacketRing, LetsTwoThreadsGoOnSideBySide) {
  const auto one = std::make_unique<ring>();
  constexpr std::uint64_t count = 50000;
  std::thread writer([&] {
    for (std::uint64_t id = 0; id < count;)
      if (write(*one, id))
        ++id;
      else
        std::this_thread::yield();
  });
  for (std::uint64_t id = 0; id < count;)
    if (read(*one, id))
      ++id;
    else
      std::this_thread::yield();
  writer.join();
  EXPECT_FALSE(one->has_some());
}

}  // namespace
