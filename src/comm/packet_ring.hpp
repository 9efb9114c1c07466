#pragma once
// Packets from one process to another, through memory that both have. exec/ranks/ACROSS.md states the protocol.

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "comm/between_processes.hpp"

namespace maslin::comm {

/// A packet without its bytes. Numbers mean what `what` says.
struct packet {
  enum class what : std::uint8_t {
    small,     ///< a message with its bytes; its sender is done
    offered,   ///< a message whose bytes its sender keeps, at `address`; `id`: the sender's transfer
    taken,     ///< to that sender: its message has been received
    wanted,    ///< to that sender: its bytes, which are at `at`, are to be sent to the receive at `address`
    piece,     ///< some of them
    asked,     ///< is that message still there? Then it is taken back. `address`: the question
    brief,     ///< what the ranks of a process give in a brief call; `id`: its number, `source`: the group's first rank
    letter,    ///< some of a letter: what processes tell each other and what has no fixed length
    lent,      ///< a letter whose text its sender keeps, at `address`, and knows by `at`
    returned,  ///< to that sender: its text, `id`, has been copied; `tag`: it could not be, and is to be sent
    answered,  ///< to a question at `address`: `id`
    woken      ///< what some ranks wait for in slots of brief calls may be there: the i-th bit of `id` is rank i
  };
  /// Of what has more bytes than a small message, or none.
  struct long_one {
    std::uint64_t extent;   ///< bytes of the whole
    std::uint64_t address;  ///< in one of the two processes
    std::uint64_t at;       ///< how many bytes of the whole come before
  };
  static constexpr std::size_t few = sizeof(long_one);
  /// The kind of letters that only ranks wait for.
  static constexpr std::int32_t package = 0;

  what is = what::small;
  std::uint8_t type = 0;    ///< of a message: what its bytes begin with (`number_of`)
  std::uint16_t bytes = 0;  ///< of this packet
  std::int32_t to = 0;      ///< the receiving rank, in the world
  std::int32_t owner = 0;   ///< the sending one
  std::int32_t source = 0;  ///< the same in their communicator
  std::int32_t tag = 0;     ///< of a question: is it about a copy? Of a letter: which kind
  std::uint32_t group = 0;  ///< their communicator
  std::uint64_t id = 0;     ///< how its sender knows it
  union {
    long_one whole{};
    std::byte own[few];  ///< the bytes of a small message or a brief call, if they are few
  };

  /// Does it hold its bytes itself? Otherwise they are beside it.
  bool has_room_for_its_bytes() const noexcept { return (is == what::small || is == what::brief) && bytes <= few; }
  /// Does it concern the process that it is for although none of its ranks waits? What it brings to ranks alone they
  /// see before they wait. Of a small message its sender does not wait for more.
  bool is_urgent() const noexcept {
    if (is == what::small || is == what::taken || is == what::answered || is == what::brief || is == what::woken)
      return false;
    if (is == what::returned) return tag != 0;
    return (is != what::letter && is != what::lent) || tag != package;
  }
  /// The kind of a brief call, which needs no ranks.
  void set_kind(std::uint64_t kind) noexcept {
    to = static_cast<std::int32_t>(kind >> 32);
    owner = static_cast<std::int32_t>(kind);
  }
  std::uint64_t kind() const noexcept {
    return std::uint64_t{static_cast<std::uint32_t>(to)} << 32 | static_cast<std::uint32_t>(owner);
  }
};
static_assert(sizeof(packet) == 56);

/// One writer, one reader. All zeros is an empty ring. A packet is in a slot, which is a cache line. It has come when
/// the slot's `turn` says so, which the reader knows for each round: so a small message is one line, and nothing else
/// that both use changes. More bytes lie in a ring of their own, those of a packet in one piece.
template <std::size_t Slots, std::size_t Bytes>
class ring {
  static_assert((Slots & (Slots - 1)) == 0 && Bytes % 64 == 0 && Bytes / 8 <= UINT16_MAX);

 public:
  /// The most bytes of a packet.
  static constexpr std::size_t most_bytes = Bytes / 8;

  /// A packet and its bytes. `peer`: where packets of several processes go one way, which process it is for or from.
  template <class Packet, class Byte>
  struct place {
    Packet* head = nullptr;
    Byte* data = nullptr;
    int peer = 0;
    explicit operator bool() const noexcept { return head != nullptr; }
  };
  using room_for_one = place<packet, std::byte>;
  using one_that_came = place<const packet, const std::byte>;

  /// The writer's: gives the place of that packet; none where there is no room. It is the reader's once it is written
  /// and `publish` is called.
  room_for_one room(packet::what is, std::size_t bytes, int peer = 0) noexcept {
    packet one;
    one.is = is;
    one.bytes = static_cast<std::uint16_t>(bytes);
    const std::size_t needed = needed_at(bytes_written_, one);
    if (written_ - read_seen_ >= Slots || bytes_written_ + needed - bytes_read_seen_ > Bytes) {
      read_seen_ = read_.load(std::memory_order_acquire);  // pair with `pop`: the reader has read what was there
      bytes_read_seen_ = bytes_read_.load(std::memory_order_acquire);
      if (written_ - read_seen_ >= Slots || bytes_written_ + needed - bytes_read_seen_ > Bytes) return {};
    }
    slot& its = slot_of(written_);
    packet& head = its.head;
    head.is = is;
    head.bytes = one.bytes;
    its.peer = peer;
    return {&head, one.has_room_for_its_bytes() ? head.own : bytes_at(bytes_written_, bytes), peer};
  }
  void publish() noexcept {
    slot& one = slot_of(written_);
    bytes_written_ += needed_at(bytes_written_, one.head);
    tells_process(this);
    one.turn.store(turn_of(written_), std::memory_order_release);  // pairs with `first`
    ++written_;
  }
  /// The writer, who has found no room, is to be told of some. It looks again after this.
  void await_room() noexcept { is_awaited_.store(1, std::memory_order_relaxed); }

  /// The reader's: gives the first packet; none where there is none.
  one_that_came first() noexcept {
    const std::uint64_t at = read_.load(std::memory_order_relaxed);
    slot& one = slot_of(at);
    if (one.turn.load(std::memory_order_acquire) != turn_of(at)) return {};
    const packet& head = one.head;
    if (head.has_room_for_its_bytes()) return {&head, head.own, one.peer};
    return {&head, bytes_at(bytes_read_.load(std::memory_order_relaxed), head.bytes), one.peer};
  }
  /// That one has been read; its place may be written. Gives whether the writer may wait for room, and is to be looked
  /// after: this is so four times in a round. A ring without room holds more than is read between two of them.
  bool pop() noexcept {
    const std::uint64_t at = read_.load(std::memory_order_relaxed);
    bool passes_mark = (at + 1) % (Slots / 4) == 0;
    const std::uint64_t from = bytes_read_.load(std::memory_order_relaxed);
    if (const std::size_t size = needed_at(from, slot_of(at).head)) {
      passes_mark |= from / (Bytes / 4) != (from + size) / (Bytes / 4);
      bytes_read_.store(from + size, std::memory_order_release);
    }
    read_.store(at + 1, std::memory_order_release);
    return passes_mark;
  }
  /// Is there something to read? May be asked by any thread of any process.
  bool has_some() const noexcept {
    for (std::uint64_t at = read_.load(std::memory_order_acquire);;) {
      if (slots_[at % Slots].turn.load(std::memory_order_acquire) == turn_of(at)) return true;
      // Read meanwhile, that slot may have another turn.
      const std::uint64_t now = read_.load(std::memory_order_acquire);
      if (now == at) return false;
      at = now;
    }
  }
  /// Does the writer wait for room? Then it is to be told, once.
  bool takes_wait_back() noexcept {
    return is_awaited_.load(std::memory_order_relaxed) != 0 && is_awaited_.exchange(0, std::memory_order_relaxed) != 0;
  }

 private:
  struct alignas(64) slot {
    packet head;
    MASLIN_ATOMIC<std::uint32_t> turn{0};  ///< in which round it was written, from 1
    std::int32_t peer = 0;
  };
  slot& slot_of(std::uint64_t at) noexcept { return slots_[at % Slots]; }
  static constexpr std::uint32_t turn_of(std::uint64_t at) noexcept {
    return static_cast<std::uint32_t>(at / Slots) + 1;
  }

  /// How many bytes a packet takes of the bytes' ring, from there on: also those at its end that are too few for it.
  static constexpr std::size_t needed_at(std::uint64_t from, const packet& one) noexcept {
    if (one.bytes == 0 || one.has_room_for_its_bytes()) return 0;
    const std::size_t size = size_of(one.bytes), left = Bytes - static_cast<std::size_t>(from % Bytes);
    return size > left ? left + size : size;
  }
  static constexpr std::size_t size_of(std::size_t bytes) noexcept { return (bytes + 63) / 64 * 64; }
  std::byte* bytes_at(std::uint64_t from, std::size_t bytes) noexcept {
    const auto at = static_cast<std::size_t>(from % Bytes);
    return bytes_ + (size_of(bytes) > Bytes - at ? 0 : at);
  }

  // The writer's.
  alignas(64) std::uint64_t written_ = 0;
  std::uint64_t bytes_written_ = 0;
  std::uint64_t read_seen_ = 0;
  std::uint64_t bytes_read_seen_ = 0;
  // The reader's; the writer looks there when there seems to be no room.
  alignas(64) MASLIN_ATOMIC<std::uint64_t> read_{0};
  MASLIN_ATOMIC<std::uint64_t> bytes_read_{0};
  alignas(64) MASLIN_ATOMIC<std::uint32_t> is_awaited_{0};
  alignas(64) slot slots_[Slots];
  alignas(64) std::byte bytes_[Bytes];
};

}  // namespace maslin::comm
