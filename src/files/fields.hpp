#pragma once
// Lines of text with fields.

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace maslin::files {

/// Gives what stands between those characters.
inline std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> all;
  for (;;) {
    const std::size_t end = text.find(at);
    all.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return all;
    text.remove_prefix(end + 1);
  }
}

/// Gives a text as a field has it: without characters that end one.
inline std::string field(std::string_view text) {
  std::string clean(text);
  for (char& c : clean)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return clean;
}

/// Reads a number; false where the text is something else, or more.
template <class Number>
bool read(std::string_view text, Number& into) {
  const char* behind = text.data() + text.size();
  const auto [end, failure] = std::from_chars(text.data(), behind, into);
  return failure == std::errc{} && end == behind;
}

}  // namespace maslin::files
