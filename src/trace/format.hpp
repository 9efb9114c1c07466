#pragma once
// The bytes of a trace file, as README.md draws them; the encoder and the reader share what stands here.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/checksum.hpp"
#include "maslin/trace.hpp"

namespace maslin::trace::internal {

/// The first byte is not ASCII and the last is a line feed, so that a copy in text mode is noticed.
inline constexpr std::array<unsigned char, 8> magic{0x89, 'M', 'T', 'R', 'A', 'C', 'E', '\n'};
inline constexpr std::uint32_t format_version = 2;  // 1 is still read
inline constexpr std::size_t preamble_bytes = magic.size() + sizeof(format_version);

enum class block_type : std::uint8_t { about = 1, strings, events, end };

/// What stands before every block's payload; little-endian.
struct block_head {
  std::uint32_t bytes;  ///< of the payload
  std::uint16_t track;  ///< worker; `foreign_track`; 0 for blocks that are not events
  block_type type;
  std::uint8_t reserved;   ///< 0
  std::uint64_t checksum;  ///< of the eight bytes before it and of the payload
};
static_assert(sizeof(block_head) == 16);
inline constexpr std::uint16_t foreign_track = 0xffff;
inline constexpr std::uint32_t most_payload_bytes = std::uint32_t{1} << 22;
inline constexpr std::size_t most_name_bytes = 4096;

inline std::uint64_t checksum(const block_head& head, const unsigned char* payload) noexcept {
  std::uint64_t seed;
  std::memcpy(&seed, &head, sizeof seed);
  return base::checksum(seed * 0xd6e8feb86659fd93u, payload, head.bytes);
}

/// Seven bits a byte, lowest first; the high bit says that more follow.
inline unsigned char* put_varint(unsigned char* at, std::uint64_t value) noexcept {
  while (value >= 0x80) {
    *at++ = static_cast<unsigned char>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<unsigned char>(value);
  return at;
}
inline constexpr std::size_t most_varint_bytes = 10;

constexpr std::uint64_t zigzag(std::uint64_t difference) noexcept {
  return difference << 1 ^ (difference >> 63 ? ~std::uint64_t{0} : 0);
}
constexpr std::uint64_t unzigzag(std::uint64_t coded) noexcept {
  return coded >> 1 ^ (coded & 1 ? ~std::uint64_t{0} : 0);
}

/// The first byte of an event: the kind, and which fields follow. A field that is absent is what the last event of the
/// family in this block said (at first 0), so that an end costs no more than its time.
inline constexpr std::uint8_t kind_mask = 0x3f;
inline constexpr std::uint8_t has_argument = 0x40;
inline constexpr std::uint8_t has_id = 0x80;
static_assert(event_kinds <= kind_mask + 1);

/// Gives the kind under which the last id and argument are remembered: the first of its family.
constexpr event_kind family(event_kind kind) {
  switch (kind) {
    case event_kind::worker_stop:
      return event_kind::worker_start;
    case event_kind::stream_end:
    case event_kind::stream_suspend:
    case event_kind::stream_resume:
      return event_kind::stream_begin;
    case event_kind::task_begin:
    case event_kind::task_end:
    case event_kind::task_suspend:
    case event_kind::task_resume:
      return event_kind::task_create;
    case event_kind::loop_end:
      return event_kind::loop_begin;
    case event_kind::chunk_end:
      return event_kind::chunk_begin;
    case event_kind::offload_end:
      return event_kind::offload_begin;
    case event_kind::wait_end:
      return event_kind::wait_begin;
    case event_kind::unpark:
      return event_kind::park;
    case event_kind::phase_end:
      return event_kind::phase_begin;
    case event_kind::help_end:
      return event_kind::help_begin;
    case event_kind::resume:
      return event_kind::suspend;
    case event_kind::rank_end:
      return event_kind::rank_begin;
    case event_kind::completes:
      return event_kind::starts;
    default:
      return kind;
  }
}

/// What the last event of each family said.
struct memory {
  struct fields {
    std::uint32_t id = 0;
    std::uint64_t argument = 0;
  };
  std::array<fields, event_kinds> last{};
  fields& of(event_kind kind) { return last[static_cast<std::size_t>(families[static_cast<std::size_t>(kind)])]; }

 private:
  static constexpr auto families = [] {
    std::array<event_kind, event_kinds> table{};
    for (int k = 0; k < event_kinds; ++k) table[static_cast<std::size_t>(k)] = family(static_cast<event_kind>(k));
    return table;
  }();
};

}  // namespace maslin::trace::internal
