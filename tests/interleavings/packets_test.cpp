// Packets between processes: a ring that is nearly full, and readers that sleep (src/exec/ranks/ACROSS.md).

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

#include "base/lock.hpp"
#include "comm/doorbell.hpp"
#include "comm/packet_ring.hpp"
#include "well.hpp"

namespace maslin::node {

void sleep_at(explorer::atomic<std::uint32_t>& bell, std::uint32_t seen) { bell.wait(seen); }

}  // namespace maslin::node

namespace maslin::comm {
namespace {

using explorer::explore;
using explorer::fail;
using explorer::scenario;

enum class mistake {
  none,
  rings_before_it_writes,
  sleeps_without_a_look,
  leaves_without_a_look,
  waits_without_a_look,
  waits_in_secret,
  waits_for_room_without_a_look,
  forgets_who_waits_for_room
};

/// Who reads, besides the thread that sleeps: nobody; a rank that looks for a while and leaves; or one that does
/// something else first, and then waits until all has been read. Only for that one packets may stay unread meanwhile.
enum class rank { none, looks, waits };

/// One process writes packets, and one reads.
struct two_processes : scenario {
  using small = ring<8, 64>;  // packets have no bytes
  static constexpr std::uint64_t before = 7, all = 9;

  alignas(64) small packets;
  doorbell reader, writer;
  base::short_lock engine;
  std::uint64_t read = 0;  // under it
  explorer::atomic<bool> is_over{false};
  const mistake makes;

  static void wake(doorbell& of) {
    of.ring();
    of.word().notify_all();
  }
  bool write(std::uint64_t id) {
    const auto room = packets.room(packet::what::small, 0);
    if (!room) return false;
    room.head->id = id;
    packets.publish();
    return true;
  }
  bool read_all() {
    bool any = false, is_to_tell = false;
    while (const auto one = packets.first()) {
      const std::uint64_t id = one.head->id;
      if (id != read) fail("packet " + std::to_string(id) + " came in the place of " + std::to_string(read));
      ++read;
      is_to_tell |= packets.pop();
      any = true;
      if (read == all) is_over.store(true);
    }
    if (makes != mistake::forgets_who_waits_for_room && is_to_tell && packets.takes_wait_back() &&
        writer.is_to_be_rung(true))
      wake(writer);
    if (is_over.load()) is_over.notify_all();
    return any;
  }
  bool poll() {
    if (!engine.try_lock()) return false;
    const bool any = read_all();
    engine.unlock();
    return any;
  }
  void look_once_more() {
    while (packets.has_some())
      if (!poll()) return wake(reader);
  }

  two_processes(rank with, mistake m) : makes(m) {
    const bool at_once = with != rank::waits;
    for (std::uint64_t id = 0; id < before; ++id) write(id);
    threads.push_back([this, at_once] {
      for (std::uint64_t id = before; id < all;) {
        const std::uint32_t seen = writer.word().load();
        if (makes == mistake::rings_before_it_writes && reader.is_to_be_rung(at_once)) wake(reader);
        if (write(id)) {
          ++id;
          if (makes != mistake::rings_before_it_writes && reader.is_to_be_rung(at_once)) wake(reader);
          continue;
        }
        const auto has_room = [this] { return bool(packets.room(packet::what::small, 0)); };
        packets.await_room();
        if (has_room()) continue;
        if (reader.is_to_be_rung(true)) wake(reader);
        writer.lie_down();
        if (makes == mistake::waits_for_room_without_a_look || !has_room()) node::sleep_at(writer.word(), seen);
        writer.get_up();
      }
    });
    threads.push_back([this] {
      while (!is_over.load()) {
        const std::uint32_t seen = reader.word().load();
        {
          const base::locked held(engine);
          if (read_all()) continue;
        }
        reader.lie_down();
        if (makes == mistake::sleeps_without_a_look || (!packets.has_some() && !is_over.load()))
          node::sleep_at(reader.word(), seen);
        reader.get_up();
      }
    });
    if (with == rank::looks)
      threads.push_back([this] {
        reader.begin_look();
        poll();
        reader.end_look();
        if (makes != mistake::leaves_without_a_look) look_once_more();
        if (is_over.load()) wake(reader);  // who sleeps is to leave
      });
    if (with == rank::waits)
      threads.push_back([this] {
        poll();
        if (makes != mistake::waits_in_secret) reader.begin_wait();
        if (makes != mistake::waits_without_a_look) look_once_more();
        is_over.wait(false);
        reader.end_wait();
        wake(reader);
      });
  }
  void check() override {
    if (read != all) fail(std::to_string(read) + " packets were read");
  }
};

TEST(Interleavings, EveryPacketIsReadAlsoWhereThereIsNoRoom) {
  expect_well(explore([] { return std::make_unique<two_processes>(rank::none, mistake::none); }, 3));
}

TEST(Interleavings, EveryPacketIsReadByThoseWhoLook) {
  expect_well(explore([] { return std::make_unique<two_processes>(rank::looks, mistake::none); }, 2));
}

TEST(Interleavings, EveryPacketIsReadBeforeARankWaitsForEver) {
  expect_well(explore([] { return std::make_unique<two_processes>(rank::waits, mistake::none); }, 2));
}

TEST(Interleavings, MistakesWithPacketsAreFound) {
  const auto failure_of = [](rank with, mistake m) {
    return explore([=] { return std::make_unique<two_processes>(with, m); }, 3).failure;
  };
  EXPECT_NE(failure_of(rank::none, mistake::rings_before_it_writes), "");
  EXPECT_NE(failure_of(rank::none, mistake::sleeps_without_a_look), "");
  EXPECT_NE(failure_of(rank::looks, mistake::leaves_without_a_look), "");
  EXPECT_NE(failure_of(rank::waits, mistake::waits_without_a_look), "");
  EXPECT_NE(failure_of(rank::waits, mistake::waits_in_secret), "");
  EXPECT_NE(failure_of(rank::none, mistake::waits_for_room_without_a_look), "");
  EXPECT_NE(failure_of(rank::none, mistake::forgets_who_waits_for_room), "");
}

}  // namespace
}  // namespace maslin::comm
