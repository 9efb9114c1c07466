#pragma once
// What fuzzers expect.

#include <cstdlib>
#include <exception>
#include <string_view>

inline void check(bool holds) {
  if (!holds) std::abort();
}

/// Aborts unless what the user is told is one line that a terminal can show, and not as long as the input was.
inline void check_message(const std::exception& e) {
  const std::string_view text = e.what();
  constexpr std::size_t longest = 1500;
  check(!text.empty() && text.size() <= longest);
  for (const char byte : text) check(static_cast<unsigned char>(byte) >= 0x20 && byte != 0x7f);
}
