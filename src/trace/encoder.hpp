#pragma once
// Events become the payload of one block.

#include <cstdint>
#include <span>
#include <vector>

#include "trace/format.hpp"
#include "trace/ring.hpp"

namespace maslin::trace::internal {

/// Builds the payload of one events block. Ticks that run backwards within a track are taken as no time.
class encoder {
 public:
  /// Begins a block; `dropped` events were lost on this track since its last block.
  void begin(std::uint64_t dropped);
  void add(std::uint64_t ticks, event_kind kind, std::uint32_t id, std::uint64_t argument);
  void add(const cell& c) { add(c.ticks, c.kind, c.id, c.argument); }

  std::uint64_t events() const { return events_; }
  /// Gives whether the block should end here; what one event adds still has room.
  bool full() const { return used_ > most_payload_bytes / 2; }
  /// Gives the finished payload; valid until the next `begin`.
  std::span<const unsigned char> payload() const { return {bytes_.data(), used_}; }

 private:
  static constexpr std::size_t most_event_bytes = 1 + most_varint_bytes + 5 + most_varint_bytes;

  std::vector<unsigned char> bytes_;
  std::size_t used_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t last_ticks_ = 0;
  memory memory_;
};

}  // namespace maslin::trace::internal
