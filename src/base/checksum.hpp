#pragma once
// A checksum for files and for data in memory.

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace maslin::base {

/// Gives a checksum that any change of one aligned word of eight bytes alters: every step is a bijection of the state.
inline std::uint64_t checksum(std::uint64_t seed, const void* from, std::size_t bytes) noexcept {
  const auto* data = static_cast<const unsigned char*>(from);
  std::uint64_t state = seed ^ bytes;
  const auto mix = [&](std::uint64_t word) {
    state = (state ^ word) * 0x9e3779b97f4a7c15u;  // odd, so the product can be undone
    state ^= state >> 32;
  };
  for (; bytes >= 8; data += 8, bytes -= 8) {
    std::uint64_t word;
    std::memcpy(&word, data, 8);
    mix(word);
  }
  if (bytes > 0) {
    std::uint64_t word = 0;
    std::memcpy(&word, data, bytes);
    mix(word);
  }
  return state;
}

}  // namespace maslin::base
