#pragma once
// One process writes packets, and one reads and sleeps, as exec/ranks/gateway does it (src/exec/ranks/ACROSS.md): for
// the explorer, and for Relacy.

#include <cstdint>

#include "base/fence.hpp"
#include "base/lock.hpp"
#include "comm/doorbell.hpp"
#include "comm/packet_ring.hpp"

namespace maslin::comm {

enum class mistake {
  none,
  rings_before_it_writes,
  sleeps_without_a_look,
  leaves_without_a_look,
  waits_without_a_look,
  waits_in_secret,
  waits_for_room_without_a_look,
  leaves_without_a_second_try,
  forgets_who_waits_for_room
};

/// Who reads, besides the thread that sleeps: nobody; a rank that looks for a while and leaves; or one that does
/// something else first, and then waits until all has been read. Only for that one packets may stay unread meanwhile.
enum class rank { none, looks, waits };

/// `write_all` and `receive` are the code of two threads, `look` or `wait` that of a rank of the reader. In the place
/// of `write_all` there may be `send_all`, of a rank that writes what there is room for, and `write_rest`, of the
/// thread of its process.
template <bool HasBytes>
class two_processes {
 public:
  using few = ring<8, 128>;  // or two that have bytes
  static constexpr std::size_t bytes = HasBytes ? few::most_bytes : 0;
  static constexpr std::uint64_t before = HasBytes ? 1 : 7, all = before + 2;

  explicit two_processes(mistake m = mistake::none) : makes_(m) {}
  virtual ~two_processes() = default;
  two_processes(const two_processes&) = delete;
  two_processes& operator=(const two_processes&) = delete;

  /// Packets that are there before anybody reads.
  void write_first() {
    for (std::uint64_t id = 0; id < before; ++id) write(id);
  }

  void write_all(bool at_once) {
    for (std::uint64_t id = before; id < all;) {
      const std::uint32_t seen = writer.word().load();
      if (makes_ == mistake::rings_before_it_writes && reader.is_to_be_rung(at_once)) wake(reader);
      if (write(id)) {
        ++id;
        if (makes_ != mistake::rings_before_it_writes && reader.is_to_be_rung(at_once)) wake(reader);
        continue;
      }
      packets.await_room();
      if (has_room()) continue;
      if (reader.is_to_be_rung(true)) wake(reader);
      writer.lie_down();
      if (makes_ == mistake::waits_for_room_without_a_look || !has_room()) writer.word().wait(seen);
      writer.get_up();
    }
  }

  void send_all() {
    {
      const base::locked held(out);
      has_rest.store(true, std::memory_order_relaxed);
    }
    flush();
  }
  void write_rest() {
    while (!is_over.load()) {
      const std::uint32_t seen = writer.word().load(std::memory_order_acquire);
      if (flush_rest()) continue;
      writer.lie_down();
      if (!flush_rest() && !is_over.load()) writer.word().wait(seen);
      writer.get_up();
    }
  }

  void receive() {
    while (!is_over.load()) {
      const std::uint32_t seen = reader.word().load(std::memory_order_acquire);
      {
        const base::locked held(engine);
        if (read_all()) continue;
      }
      reader.lie_down();
      if (makes_ == mistake::sleeps_without_a_look || (!packets.has_some() && !is_over.load()))
        reader.word().wait(seen);
      reader.get_up();
    }
    wake(writer);  // who sleeps is to leave
  }

  void look() {
    reader.begin_look();
    poll();
    reader.end_look();
    if (makes_ != mistake::leaves_without_a_look) look_once_more();
    if (is_over.load()) wake(reader);  // who sleeps is to leave
  }

  void wait() {
    poll();
    if (makes_ != mistake::waits_in_secret) reader.begin_wait();
    if (makes_ != mistake::waits_without_a_look) look_once_more();
    is_over.wait(false);
    reader.end_wait();
    wake(reader);
  }

  std::uint64_t read_count() const { return read_; }

 protected:
  /// A packet is about to be published; it has been found, in its place or another's.
  virtual void goes(std::uint64_t) {}
  virtual void came(std::uint64_t id, std::uint64_t in_place_of) = 0;

  alignas(64) few packets;
  doorbell reader, writer;
  base::short_lock engine, out;
  MASLIN_ATOMIC<bool> is_over{false}, has_rest{false};

 private:
  static void wake(doorbell& of) {
    of.ring();
    of.word().notify_all();
  }
  bool has_room() { return bool(packets.room(packet::what::letter, bytes)); }
  bool write(std::uint64_t id) {
    const auto room = packets.room(packet::what::letter, bytes);
    if (!room) return false;
    room.head->id = id;
    goes(id);
    packets.publish();
    return true;
  }
  bool write_some(bool& any) {
    for (; written_ < all; ++written_, any = true)
      if (!write(written_)) return false;
    has_rest.store(false, std::memory_order_relaxed);
    return true;
  }
  bool flush() {
    bool any = false, is_full = false;
    {
      const base::locked held(out);
      if (!write_some(any)) {
        packets.await_room();
        MASLIN_FENCE(std::memory_order_seq_cst);
        is_full = makes_ == mistake::leaves_without_a_second_try || !write_some(any);
      }
    }
    if ((any || is_full) && reader.is_to_be_rung(true)) wake(reader);
    return any;
  }
  bool flush_rest() { return has_rest.load(std::memory_order_relaxed) && flush(); }
  bool read_all() {
    bool any = false, is_to_tell = false;
    while (const auto one = packets.first()) {
      came(one.head->id, read_);
      ++read_;
      is_to_tell |= packets.pop();
      any = true;
      if (read_ == all) is_over.store(true);
    }
    if (makes_ != mistake::forgets_who_waits_for_room && is_to_tell) {
      MASLIN_FENCE(std::memory_order_seq_cst);
      if (packets.takes_wait_back() && writer.is_to_be_rung(true)) wake(writer);
    }
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

  std::uint64_t read_ = 0;          // under `engine`
  std::uint64_t written_ = before;  // under `out`
  const mistake makes_;
};

}  // namespace maslin::comm
