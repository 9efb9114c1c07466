#pragma once
// What a terminal can show of a text that somebody else has written: names of files, words of command lines.

#include <cstddef>
#include <string>
#include <string_view>

namespace command {

/// Gives how many bytes the first character of a text takes; 0 if it is no UTF-8 (RFC 3629), or a control character.
std::size_t printable_bytes(std::string_view text);

/// Gives the text in one line that a terminal can show, with all other bytes as \xNN.
std::string printable(std::string_view text);

}  // namespace command
