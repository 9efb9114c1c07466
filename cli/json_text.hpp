#pragma once
// JSON as text.

#include <string>

/// Gives the text of a value; of names, whose bytes may be any, what is not UTF-8 becomes U+FFFD. `indent`: -1 writes
/// one line.
template <class Json>
std::string json_text(const Json& value, int indent = 2) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}
