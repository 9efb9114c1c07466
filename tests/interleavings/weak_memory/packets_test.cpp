// Packets between processes under the C++ memory model: their content comes with them, no place is written while it is
// read, and nobody sleeps while there is something for it.

#include <array>

#include "two_processes.hpp"
#include "verdict.hpp"

namespace maslin::comm {
namespace {

/// Packets with bytes: there is room for bytes of two, and for eight packets.
template <bool IsWeak>
struct packets_with_bytes : rl::test_suite<packets_with_bytes<IsWeak>, 2> {
  static constexpr std::size_t bytes = 16;
  ring<8, 128> packets;
  std::array<data, 2> lines{};

  void before() {
    for (data& line : lines) line($) = 0;
    if (IsWeak) relaxed::weaken(packets);
  }
  data& line_at(const std::byte* at) {
    const std::byte*& first = first_byte;
    if (!first) first = at;
    return lines[at == first ? 0 : 1];
  }
  void thread(unsigned index) {
    for (int id = 1; id <= 5; ++id)
      if (index == 0) {
        auto room = packets.room(packet::what::letter, bytes);
        while (!room) {
          rl::yield(1, $);
          room = packets.room(packet::what::letter, bytes);
        }
        line_at(room.data)($) = id;
        packets.publish();
      } else {
        auto one = packets.first();
        while (!one) {
          rl::yield(1, $);
          one = packets.first();
        }
        RL_ASSERT(line_at(one.data)($) == id);
        packets.pop();
      }
  }
  const std::byte* first_byte = nullptr;
};

TEST(WeakMemory, BytesComeWithTheirPacket) { expect_that_orders_matter<packets_with_bytes>(); }

/// The code of two processes, and what is in their packets. Either the ring's orders are taken away, or the fences.
template <rank With, bool HasOrders, bool HasFences>
struct watched_processes : rl::test_suite<watched_processes<With, HasOrders, HasFences>, With == rank::none ? 2 : 3>,
                           two_processes<false> {
  std::array<data, 8> slots{};

  void before() {
    for (data& slot : slots) slot($) = 0;
    relaxed::has_fences = HasFences;
    if (!HasOrders) relaxed::weaken(packets);
    write_first();
  }
  void goes(std::uint64_t id) override { slots[id % 8]($) = static_cast<int>(id); }
  void came(std::uint64_t id, std::uint64_t in_place_of) override {
    RL_ASSERT(id == in_place_of);
    RL_ASSERT(slots[id % 8]($) == static_cast<int>(id));
  }
  void thread(unsigned index) {
    if (index == 0) return write_all(With != rank::waits);
    if (index == 1) return receive();
    With == rank::looks ? look() : wait();
  }
  void after() { RL_ASSERT(read_count() == all); }
};

template <bool IsWeak>
using ring_alone = watched_processes<rank::none, !IsWeak, true>;
template <bool IsWeak>
using who_sleeps = watched_processes<rank::none, true, !IsWeak>;
template <bool IsWeak>
using who_looks = watched_processes<rank::looks, true, !IsWeak>;
template <bool IsWeak>
using who_waits = watched_processes<rank::waits, true, !IsWeak>;

TEST(WeakMemory, APlaceIsWrittenWhenItHasBeenRead) { expect_that_orders_matter<ring_alone>(); }
TEST(WeakMemory, NobodySleepsWhileThereIsAPacketOrRoom) { expect_that_orders_matter<who_sleeps>(); }
TEST(WeakMemory, PacketsAreReadThatComeWhileARankLeaves) { expect_that_orders_matter<who_looks>(); }
TEST(WeakMemory, PacketsAreReadThatComeWhileARankBeginsToWait) { expect_that_orders_matter<who_waits>(); }

/// A rank that writes what there is room for, the thread of its process, which sleeps when that begins, and the reader.
/// (Relacy keeps the last three values of an atomic: here the place that is waited for is given back in two steps.)
template <bool IsWeak>
struct rank_and_thread : rl::test_suite<rank_and_thread<IsWeak>, 3>, two_processes<true> {
  void before() {
    relaxed::has_fences = !IsWeak;
    write_first();
    writer.lie_down();
  }
  void came(std::uint64_t id, std::uint64_t in_place_of) override { RL_ASSERT(id == in_place_of); }
  void thread(unsigned index) {
    if (index == 0) return send_all();
    if (index == 1) {
      writer.word().wait(0);
      writer.get_up();
    }
    index == 1 ? write_rest() : receive();
  }
};

TEST(WeakMemory, WhatARankLeavesIsWritten) { expect_that_orders_matter<rank_and_thread>(); }

/// How a process ends: it says so, rings, and sleeps until the other has said so, too.
template <bool IsWeak>
struct processes_that_end : rl::test_suite<processes_that_end<IsWeak>, 2> {
  std::array<doorbell, 2> bells;
  std::array<MASLIN_ATOMIC<bool>, 2> has_ended;

  void before() {
    for (auto& one : has_ended) one.store(false, std::memory_order_relaxed);
    if (IsWeak) relaxed::weaken(*this);
  }
  void thread(unsigned index) {
    has_ended[index].store(true, std::memory_order_release);
    bells[1 - index].ring();
    for (;;) {
      const std::uint32_t rung = bells[index].word().load(std::memory_order_acquire);
      if (has_ended[1 - index].load(std::memory_order_acquire)) return;
      bells[index].word().wait(rung);
    }
  }
};

TEST(WeakMemory, WhoEndsHearsThatAnotherHasEnded) { expect_that_orders_matter<processes_that_end>(); }

}  // namespace
}  // namespace maslin::comm
