#pragma once
// Names in pictures.

#include <string>
#include <string_view>

/// Gives the text as XML has it, also between quotation marks.
inline std::string svg_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += c;
  }
  return safe;
}
