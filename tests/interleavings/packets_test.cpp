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
  waits_for_room_without_a_look
};

/// One process writes packets, and one reads: a thread that sleeps, and perhaps a rank that looks.
struct two_processes : scenario {
  using small = ring<512>;  // eight packets without bytes
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
    packet* const head = packets.room(0);
    if (!head) return false;
    *head = {};
    head->is = packet::what::small;
    head->id = id;
    packets.publish(0);
    return true;
  }
  bool read_all() {
    bool any = false;
    while (const packet* const one = packets.first()) {
      if (one->id != read) fail("packet " + std::to_string(one->id) + " came in the place of " + std::to_string(read));
      ++read;
      packets.pop(0);
      any = true;
      if (read == all) is_over.store(true);
    }
    if (any && packets.takes_wait_back() && writer.is_to_be_rung()) wake(writer);
    return any;
  }

  two_processes(bool with_a_rank, mistake m) : makes(m) {
    for (std::uint64_t id = 0; id < before; ++id) write(id);
    threads.push_back([this] {
      for (std::uint64_t id = before; id < all;) {
        const std::uint32_t seen = writer.word().load();
        if (makes == mistake::rings_before_it_writes && reader.is_to_be_rung()) wake(reader);
        if (write(id)) {
          ++id;
          if (makes != mistake::rings_before_it_writes && reader.is_to_be_rung()) wake(reader);
          continue;
        }
        packets.await_room();
        if (packets.room(0)) continue;
        writer.lie_down();
        if (makes == mistake::waits_for_room_without_a_look || !packets.room(0)) node::sleep_at(writer.word(), seen);
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
    if (with_a_rank)
      threads.push_back([this] {
        const auto poll = [this] {
          if (!engine.try_lock()) return false;
          const bool any = read_all();
          engine.unlock();
          return any;
        };
        reader.begin_look();
        poll();
        reader.end_look();
        if (makes != mistake::leaves_without_a_look)
          while (packets.has_some())
            if (!poll()) {
              wake(reader);
              break;
            }
        if (is_over.load()) wake(reader);  // who sleeps is to leave
      });
  }
  void check() override {
    if (read != all) fail(std::to_string(read) + " packets were read");
  }
};

TEST(Interleavings, EveryPacketIsReadAlsoWhereThereIsNoRoom) {
  expect_well(explore([] { return std::make_unique<two_processes>(false, mistake::none); }, 3));
}

TEST(Interleavings, EveryPacketIsReadByThoseWhoLook) {
  expect_well(explore([] { return std::make_unique<two_processes>(true, mistake::none); }, 2));
}

TEST(Interleavings, MistakesWithPacketsAreFound) {
  const auto failure_of = [](bool with_a_rank, mistake m) {
    return explore([=] { return std::make_unique<two_processes>(with_a_rank, m); }, 3).failure;
  };
  EXPECT_NE(failure_of(false, mistake::rings_before_it_writes), "");
  EXPECT_NE(failure_of(false, mistake::sleeps_without_a_look), "");
  EXPECT_NE(failure_of(true, mistake::leaves_without_a_look), "");
  EXPECT_NE(failure_of(false, mistake::waits_for_room_without_a_look), "");
}

}  // namespace
}  // namespace maslin::comm
