#include "phylo/io/nexus_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "phylo/io/formats.hpp"

namespace phylo {

bool is_nexus(std::string_view text) {
  constexpr std::string_view word = "#NEXUS";
  const std::size_t begin = std::min(text.find_first_not_of(" \t\v\f\r\n"), text.size());
  const std::string_view rest = text.substr(begin);
  if (!same_word(rest.substr(0, word.size()), word)) return false;
  return rest.size() == word.size() || is_space(rest[word.size()]) || rest[word.size()] == '[';
}

void NexusScanner::skip(bool lines) {
  while (!at_end()) {
    if (peek() == '[')
      skip_comment();
    else if (is_blank(peek()) || (!lines && peek() == '\n'))
      ++at_;
    else
      return;
  }
}

std::optional<NexusWord> NexusScanner::word(bool lines) {
  skip(lines);
  if (at_end() || (lines && peek() == '\n')) return std::nullopt;
  NexusWord word;
  word.offset = at_;
  if (peek() == '\'') {
    word.quoted = true;
    take_quoted(word);
    return word;
  }
  while (!at_end() && !is_space(peek()) && peek() != '[') {
    const bool alone = peek() == ';' || peek() == '=' || peek() == ',';
    if (alone && !word.text.empty()) break;
    word.text += take();
    if (alone) break;
  }
  return word;
}

NexusWord NexusScanner::expect_word(const char* what) {
  std::optional<NexusWord> found = word();
  if (!found) throw format_error{text_.size(), fmt::format("the file ends where {} is expected", what)};
  return *found;
}

void NexusScanner::skip_command() {
  for (;;)
    if (expect_word("';'").is(";")) return;
}

std::optional<NexusWord> NexusScanner::next_block() {
  while (const std::optional<NexusWord> command = word()) {
    if (command->is(";")) continue;
    if (command->is("BEGIN")) {
      NexusWord name = expect_word("the block's name");
      skip_command();
      return name;
    }
    skip_command();
  }
  return std::nullopt;
}

void NexusScanner::skip_block() {
  for (;;) {
    const NexusWord next = expect_word("END;");
    if (next.is(";")) continue;
    skip_command();
    if (next.is_end()) return;
  }
}

void NexusScanner::skip_comment() {
  const std::size_t start = at_;
  int depth = 0;
  do {
    if (at_end()) throw format_error{start, "this comment is never closed; expected ']'"};
    const char c = take();
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
  } while (depth > 0);
}

void NexusScanner::take_quoted(NexusWord& word) {
  take();
  for (;;) {
    if (at_end() || peek() == '\n')
      throw format_error{word.offset, "this quoted name is never closed; expected another '"};
    const char c = take();
    if (c != '\'') {
      word.text += c;
    } else if (!at_end() && peek() == '\'') {
      word.text += take();
    } else {
      return;
    }
  }
}

}  // namespace phylo
