#include "trace/encoder.hpp"

#include <algorithm>

namespace maslin::trace::internal {

void encoder::begin(std::uint64_t dropped) {
  if (bytes_.empty()) bytes_.resize(std::size_t{1} << 16);
  memory_ = {};
  events_ = 0;
  last_ticks_ = 0;
  used_ = static_cast<std::size_t>(put_varint(bytes_.data(), dropped) - bytes_.data());
}

void encoder::add(std::uint64_t ticks, event_kind kind, std::uint32_t id, std::uint64_t argument) {
  if (bytes_.size() - used_ < most_event_bytes) bytes_.resize(2 * bytes_.size());
  unsigned char* const first = bytes_.data() + used_;
  unsigned char* at = first + 1;
  auto head = static_cast<unsigned char>(kind);
  const std::uint64_t now = std::max(ticks, last_ticks_);
  at = put_varint(at, now - last_ticks_);
  last_ticks_ = now;
  memory::fields& last = memory_.of(kind);
  if (id != last.id) {
    head |= has_id;
    at = put_varint(at, id);
    last.id = id;
  }
  if (argument != last.argument) {
    head |= has_argument;
    at = put_varint(at, zigzag(argument - last.argument));
    last.argument = argument;
  }
  *first = head;
  used_ += static_cast<std::size_t>(at - first);
  ++events_;
}

}  // namespace maslin::trace::internal
