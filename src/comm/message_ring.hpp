#pragma once
// Small messages from one rank to another, before the receiver's mailbox: one writes them, one reads them at a time.
// exec/ranks/README.md states the protocol.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <typeinfo>

#include "base/atomic.hpp"
#include "base/prefetch.hpp"
#include "comm/mailbox.hpp"

// tests/interleavings has fewer. A power of two.
#ifndef MASLIN_RING_CELLS
#define MASLIN_RING_CELLS 128
#endif

namespace maslin::comm {

/// Messages lie in cells of half a cache line: a head with the first bytes, and as many cells behind it as the other
/// bytes take. The first word of each cell says in which turn round the ring it was written; that of a head is written
/// last, and with it the message is there. So the reader looks at one line, which also has a message of 8 bytes.
class message_ring {
 public:
  static constexpr std::size_t cells = MASLIN_RING_CELLS;
  static constexpr std::size_t most_bytes = 256;

  /// The first message; it has come from a rank that the reader knows.
  struct head {
    envelope said;
    detail::elements data;  ///< without the bytes, which `copy_to` gives
    std::uint64_t number;   ///< of all in this ring; never 0

    std::size_t bytes() const noexcept { return data.extent * data.bytes; }
  };

  // The writer's.

  /// Gives whether there was room for the message. `number()` is its number then.
  bool put(const envelope& said, const detail::elements& data) noexcept {
    const std::size_t bytes = data.extent * data.bytes, taken = cells_of(bytes);
    if (bytes > most_bytes || taken > cells) return false;
    if (put_ + taken - seen_ > cells) {
      seen_ = taken_.load(std::memory_order_acquire);  // pairs with `pop`: the cells have been read
      if (put_ + taken - seen_ > cells) return false;
    }
    const std::uint32_t turn = turn_at(put_) << extent_bits;
    cell& first = at(put_);
    first.rest[0] = static_cast<std::uint32_t>(said.tag);
    first.rest[1] = said.group;
    first.rest[2] = static_cast<std::uint32_t>(said.source) | static_cast<std::uint32_t>(bytes ? data.bytes : 0) << 16;
    std::memcpy(&first.rest[3], &data.type, sizeof data.type);
    const auto* const from = static_cast<const std::byte*>(data.data);
    copy_first(&first.rest[5], from, bytes);
    std::uint64_t next = put_ + 1;
    for (std::size_t done = in_head; done < bytes; done += in_cell, ++next) {
      cell& more = at(next);
      std::memcpy(more.rest.data(), from + done, std::min(bytes - done, in_cell));
      more.word.store(turn_at(next) << extent_bits, std::memory_order_relaxed);
    }
    last_ = put_;
    put_ = next;
    // Release, pairs with `first`: the message is there.
    first.word.store(turn | static_cast<std::uint32_t>(data.extent), std::memory_order_release);
    if (next % 2 == 0) base::prefetch_to_write(&at(next + 2));
    return true;
  }
  /// The number of the message that was put last.
  std::uint64_t number() const noexcept { return number_of(last_); }
  /// Have all messages been read? Then what the reader did with them has happened.
  bool is_read() noexcept {
    if (seen_ != put_) seen_ = taken_.load(std::memory_order_acquire);
    return seen_ == put_;
  }

  // The reader's.

  /// Whether there is a message. Also for one who is not the reader, and looks again when it is.
  bool has_some() const noexcept {
    const std::uint64_t position = taken_.load(std::memory_order_relaxed);
    return at(position).word.load(std::memory_order_relaxed) >> extent_bits == turn_at(position);
  }
  /// Gives whether there is a message, which stays.
  bool first(head& its) const noexcept {
    const std::uint64_t position = taken_.load(std::memory_order_relaxed);
    const cell& one = at(position);
    const std::uint32_t word = one.word.load(std::memory_order_acquire);  // pairs with `put`
    if (word >> extent_bits != turn_at(position)) return false;
    its.said = {static_cast<int>(one.rest[2] & 0xffff), static_cast<int>(one.rest[0]), one.rest[1]};
    its.data = {nullptr, word & ((1u << extent_bits) - 1), one.rest[2] >> 16, nullptr};
    std::memcpy(&its.data.type, &one.rest[3], sizeof its.data.type);
    its.number = number_of(position);
    return true;
  }
  /// Copies so many bytes, those of the first message.
  void copy_to(void* into, std::size_t bytes) const noexcept {
    std::uint64_t position = taken_.load(std::memory_order_relaxed);
    auto* const to = static_cast<std::byte*>(into);
    copy_first(to, &at(position).rest[5], bytes);
    for (std::size_t done = in_head; done < bytes; done += in_cell)
      std::memcpy(to + done, at(++position).rest.data(), std::min(bytes - done, in_cell));
  }
  /// Removes the first message, of so many bytes.
  void pop(std::size_t bytes) noexcept {
    // Release, pairs with `put` and `is_read`.
    taken_.store(taken_.load(std::memory_order_relaxed) + cells_of(bytes), std::memory_order_release);
  }

 private:
  static constexpr std::size_t in_head = 8, in_cell = 28;
  static constexpr unsigned extent_bits = 16;
  struct alignas(32) cell {
    MASLIN_ATOMIC<std::uint32_t> word{0};  ///< the turn, from 1; in a head, how many elements there are
    std::array<std::uint32_t, 7> rest;
  };
  static_assert((cells & (cells - 1)) == 0 && most_bytes < 1u << extent_bits);

  /// Copies what lies in the head, of so many bytes.
  static void copy_first(void* to, const void* from, std::size_t bytes) noexcept {
    if (bytes >= in_head) [[likely]]
      std::memcpy(to, from, in_head);  // which needs no call
    else if (bytes > 0)
      std::memcpy(to, from, bytes);
  }
  static constexpr std::size_t cells_of(std::size_t bytes) noexcept {
    return bytes <= in_head ? 1 : 1 + (bytes - in_head + in_cell - 1) / in_cell;
  }
  /// The cell was written in the turn before, or never: two turns are never taken for one.
  static std::uint32_t turn_at(std::uint64_t position) noexcept {
    return static_cast<std::uint32_t>(position / cells + 1) & ((1u << (32 - extent_bits)) - 1);
  }
  /// No copy that a mailbox numbers has that.
  static std::uint64_t number_of(std::uint64_t position) noexcept { return position | std::uint64_t{1} << 63; }
  cell& at(std::uint64_t position) noexcept { return cells_[position % cells]; }
  const cell& at(std::uint64_t position) const noexcept { return cells_[position % cells]; }

  // What several ranks write lies two lines apart, since processors fetch neighbours, too.
  // The writer's: where the next message goes, the latest one, and up to where it knows that all is read.
  alignas(128) std::uint64_t put_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t seen_ = 0;
  // The reader's.
  alignas(128) MASLIN_ATOMIC<std::uint64_t> taken_{0};
  alignas(128) std::array<cell, cells> cells_;
};

}  // namespace maslin::comm
