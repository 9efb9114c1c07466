#pragma once
// A digest of bytes, which tells apart what differs by accident, not by malice.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace command {

/// Gives 64 bits (FNV-1a), continuing from `seed`.
std::uint64_t digest(std::string_view bytes, std::uint64_t seed = 0xcbf29ce484222325U);

/// The same of numbers, as they lie in memory.
template <class Number>
std::uint64_t digest_of(std::span<const Number> numbers, std::uint64_t seed = digest("")) {
  return digest({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()}, seed);
}

/// Gives it as 16 digits.
std::string hex(std::uint64_t digest);

}  // namespace command
