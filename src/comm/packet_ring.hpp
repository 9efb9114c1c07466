#pragma once
// Packets from one process to another, through memory that both have. exec/ranks/ACROSS.md states the protocol.

#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "comm/between_processes.hpp"

namespace maslin::comm {

/// What stands before the bytes of a packet. Numbers mean what `what` says.
struct alignas(64) packet {
  enum class what : std::uint32_t {
    skipped,  ///< nothing: the ring goes on at its beginning
    small,    ///< a message with its bytes; its sender is done
    offered,  ///< a message whose bytes its sender keeps, at `address`; `id`: the sender's transfer
    taken,    ///< to that sender: its message has been received
    wanted,   ///< to that sender: its bytes are to be sent to the receive at `address`
    piece,    ///< some of them
    asked,    ///< is that message still there? Then it is taken back. `address`: the question
    letter,   ///< some of a letter: what processes tell each other and what has no fixed length
    answered  ///< to a question at `address`
  };
  what is = what::skipped;
  std::uint32_t bytes = 0;    ///< of this packet, behind it
  std::int32_t to = 0;        ///< the receiving rank, in the world
  std::int32_t owner = 0;     ///< the sending one
  std::int32_t source = 0;    ///< the same in their communicator
  std::int32_t tag = 0;       ///< of a question: is it about a copy? Of a letter: which kind
  std::uint32_t group = 0;    ///< their communicator
  std::uint32_t answer = 0;   ///< to a question
  std::uint64_t extent = 0;   ///< bytes of the whole
  std::uint64_t id = 0;       ///< how its sender knows it
  std::uint64_t address = 0;  ///< in one of the two processes
  std::uint64_t at = 0;       ///< how many bytes of the whole come before
};
static_assert(sizeof(packet) == 64);

/// One writer, one reader. All zeros is an empty ring. Packets begin at multiples of 64 bytes, and their bytes lie
/// behind them in one piece.
template <std::size_t Capacity>
class ring {
  static_assert(Capacity % sizeof(packet) == 0);

 public:
  /// The most bytes of a packet: with its head, an eighth of the ring.
  static constexpr std::size_t most_bytes = Capacity / 8 - sizeof(packet);

  /// The writer's: gives the place of a packet with so many bytes; null where there is no room. It is the reader's once
  /// it is written and `publish` is called.
  packet* room(std::size_t bytes) noexcept {
    const std::size_t size = size_of(bytes), at = place_of(written_now_), left = Capacity - at;
    const std::size_t needed = size > left ? left + size : size;
    if (written_now_ + needed - read_seen_ > Capacity) {
      read_seen_ = read_.load(std::memory_order_acquire);  // pairs with `pop`: the reader has read what was there
      if (written_now_ + needed - read_seen_ > Capacity) return nullptr;
    }
    if (size > left) {
      *packet_at(at) = {};
      written_now_ += left;
    }
    return packet_at(place_of(written_now_));
  }
  void publish(std::size_t bytes) noexcept {
    written_now_ += size_of(bytes);
    tells_process(this);
    written_.store(written_now_, std::memory_order_release);  // pairs with `first`
  }
  /// The writer, who has found no room, is to be told of some. It looks again after this.
  void await_room() noexcept { is_awaited_.store(1, std::memory_order_relaxed); }

  /// The reader's: gives the first packet; null where there is none.
  const packet* first() noexcept {
    for (;;) {
      if (read_now_ == written_seen_) {
        written_seen_ = written_.load(std::memory_order_acquire);
        if (read_now_ == written_seen_) return nullptr;
      }
      const packet* const found = packet_at(place_of(read_now_));
      if (found->is != packet::what::skipped) return found;
      read_now_ += Capacity - place_of(read_now_);
    }
  }
  /// It has been read; its place may be written.
  void pop(std::size_t bytes) noexcept {
    read_now_ += size_of(bytes);
    read_.store(read_now_, std::memory_order_release);
  }
  /// Is there something to read? May be asked by any thread of the reader's.
  bool has_some() const noexcept {
    return written_.load(std::memory_order_acquire) != read_.load(std::memory_order_relaxed);
  }
  /// Does the writer wait for room? Then it is to be told, once.
  bool takes_wait_back() noexcept {
    return is_awaited_.load(std::memory_order_relaxed) != 0 && is_awaited_.exchange(0, std::memory_order_relaxed) != 0;
  }

 private:
  static constexpr std::size_t size_of(std::size_t bytes) noexcept {
    return (sizeof(packet) + bytes + sizeof(packet) - 1) / sizeof(packet) * sizeof(packet);
  }
  static constexpr std::size_t place_of(std::uint64_t at) noexcept { return static_cast<std::size_t>(at % Capacity); }
  packet* packet_at(std::size_t at) noexcept { return reinterpret_cast<packet*>(bytes_ + at); }

  // What one writes and the other reads, and what each keeps for itself.
  alignas(64) MASLIN_ATOMIC<std::uint64_t> written_{0};
  std::uint64_t written_now_ = 0;
  std::uint64_t read_seen_ = 0;
  alignas(64) MASLIN_ATOMIC<std::uint64_t> read_{0};
  std::uint64_t read_now_ = 0;
  std::uint64_t written_seen_ = 0;
  alignas(64) MASLIN_ATOMIC<std::uint32_t> is_awaited_{0};
  alignas(64) std::byte bytes_[Capacity];
};

}  // namespace maslin::comm
