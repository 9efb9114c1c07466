#pragma once
// What the subcommands write: lines, whole files or none, and how far they are.

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "files/replacement.hpp"

/// Appends a line to a text.
template <class... Arguments>
void line(std::string& to, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(to), format, std::forward<Arguments>(arguments)...);
  to += '\n';
}

/// A text file that takes its name when it is whole (files/replacement.hpp). "-" is the standard output; a device or a
/// pipe is written directly.
class output_file {
 public:
  /// Throws `maslin::error` when no file can be made there.
  explicit output_file(std::string path);

  /// Throws `maslin::error` when the disk is full; nothing is left then.
  void write(std::string_view text);
  /// Puts the file in its place.
  void commit();

 private:
  [[noreturn]] void fail();

  std::string path_;
  maslin::files::replacement file_;
};

/// Writes all of a file. Throws as `output_file` does.
void write_file(const std::string& path, std::string_view text);

/// A bar on the standard error, if that is a terminal, for work that takes more than a moment.
class progress {
 public:
  progress(std::string what, std::uint64_t total);
  ~progress();
  void at(std::uint64_t done) { at(done, {}); }
  /// Says also what comes next.
  void at(std::uint64_t done, const std::string& next);

 private:
  std::string what_;
  std::uint64_t total_;
  int shown_ = -1;  // percent
  std::string next_;
  bool terminal_;
};
