#pragma once
// A preprocessed C file: its text, where each line of it was written, and what its macros make of the pragmas.

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace compiler {

struct place {
  std::string file;
  int line = 0;
};

/// May this stand in an identifier?
bool is_of_word(char one);
/// Gives it as C writes a string.
std::string quoted(std::string_view text);

/// What is wrong with a program; said in the form of a compiler (`say`).
struct mistake : std::runtime_error {
  mistake(place at, const std::string& what, std::string at_word = {})
      : std::runtime_error(what), where(std::move(at)), word(std::move(at_word)) {}
  place where;
  std::string word;  ///< of that line, at which to point
};

/// Writes "FILE:LINE:COLUMN: KIND: WHAT", the line, and a caret under the word.
void say(const place& where, std::string_view kind, std::string_view what, std::string_view word);

/// A line `#pragma css ...`.
struct pragma_line {
  std::size_t offset = 0;  ///< in `source::text`, which is blank there
  place where;
  std::string words;  ///< what follows `css`, with its macros replaced
};

struct source {
  std::string text;  ///< without definitions of macros and these pragmas, whose lines are empty
  std::vector<pragma_line> pragmas;

  /// Gives where a byte of the text was written.
  place where(std::size_t offset) const;
  /// Gives the line that says so of the next line of the text. `as_system`: nothing there is warned of.
  std::string marker(std::size_t offset, bool as_system = false) const;

 private:
  friend source read(const std::string& preprocessed, const std::function<std::string(const std::string&)>& expand);
  struct line {
    std::size_t offset;
    int file;  ///< of `files_`
    int number;
    bool is_system;
  };
  const line& line_of(std::size_t offset) const;
  std::vector<std::string> files_;
  std::vector<line> lines_;
};

/// Takes apart what `cc -E -dD` gives. `expand` preprocesses a text and gives the result.
source read(const std::string& preprocessed, const std::function<std::string(const std::string&)>& expand);

}  // namespace compiler
