#include "cli/shared/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace command {

std::size_t printable_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return 0;
  if (byte(0) < 0x80) return byte(0) >= 0x20 && byte(0) != 0x7f ? 1 : 0;
  const std::size_t length = byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
  if (byte(0) < 0xc0 || byte(0) >= 0xf8 || length > text.size()) return 0;
  std::uint32_t code = byte(0) & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fU);
  }
  // Not longer than need be, no half of a pair of UTF-16, no control character, nothing behind the last one.
  constexpr std::uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000};
  return code < least[length] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff ? 0 : length;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t bytes = printable_bytes(text);
    if (bytes > 0)
      out += text.substr(0, bytes);
    else
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    text.remove_prefix(std::max(bytes, std::size_t{1}));
  }
  return out;
}

}  // namespace command
