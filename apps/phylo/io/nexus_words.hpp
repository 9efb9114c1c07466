#pragma once
// The words of a NEXUS file, for those who read its blocks.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "phylo/io/text.hpp"

namespace phylo {

/// Whether a text says at its beginning that it is NEXUS.
bool is_nexus(std::string_view text);

/// A word and where it stands.
struct NexusWord {
  std::string text;
  std::size_t offset = 0;
  bool quoted = false;

  /// Whether it is that keyword; case does not count, quoted words are none.
  bool is(std::string_view other) const { return !quoted && same_word(text, other); }
  /// Whether it ends a block.
  bool is_end() const { return is("END") || is("ENDBLOCK"); }
};

/// Walks over the text; comments in brackets count as blanks. Throws `format_error` for what is never closed.
class NexusScanner {
 public:
  explicit NexusScanner(std::string_view text) : text_(text) {}

  std::size_t offset() const { return at_; }
  void go_on_at(std::size_t offset) { at_ = offset; }
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return text_[at_]; }
  char take() { return text_[at_++]; }

  /// Skips blanks and comments; stops at line ends when `lines` count.
  void skip(bool lines = false);

  /// Gives the next word: a run of other characters, one of ; = , alone, or a quoted name ('it''s' is it's). Nothing at
  /// the end of the text, or of the line when `lines` count.
  std::optional<NexusWord> word(bool lines = false);

  /// Gives the next word; throws `format_error` when there is none. `what` is what is expected.
  NexusWord expect_word(const char* what);

  /// Skips all up to the next ';'.
  void skip_command();

  /// Skips all up to the next block, and gives its name; nothing if there is none.
  std::optional<NexusWord> next_block();

  /// Skips all up to END of this block.
  void skip_block();

 private:
  void skip_comment();
  void take_quoted(NexusWord& word);

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace phylo
