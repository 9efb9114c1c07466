#pragma once
// The three alignment formats, each its own parser; what they have in common is checked once, by `RowBuilder`.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "phylo/io/alignment.hpp"
#include "phylo/io/error.hpp"

namespace phylo {

/// Thrown inside the readers: what is wrong and at which byte of the text. `parse_alignment` turns it into
/// `input_error`.
struct format_error {
  std::size_t offset;
  std::string message;
};

/// Gathers the rows of an alignment, checking names and characters as they arrive.
class RowBuilder {
 public:
  explicit RowBuilder(const Alphabets& alphabets) : alphabets_(&alphabets) {}

  /// Begins a row and gives its index. Throws `format_error` when the name is empty, holds a control character, or
  /// stands already.
  std::size_t add(std::string_view name, std::size_t offset);
  /// Gives the row of that name, or `npos`.
  std::size_t find(std::string_view name) const;
  /// Appends one character, stored as `Alignment` says. Throws `format_error` when the site's alphabet does not
  /// have it.
  void append(std::size_t row, char code, std::size_t offset);
  /// Appends a piece of sequence; blanks between its characters are skipped.
  void append(std::size_t row, std::string_view piece, std::size_t offset);
  /// Appends what is stored already in that form.
  void append_stored(std::size_t row, char stored) { rows_[row] += stored; }

  std::size_t size() const { return rows_.size(); }
  const std::string& name(std::size_t row) const { return names_[row]; }
  const std::string& row(std::size_t row) const { return rows_[row]; }
  std::size_t offset(std::size_t row) const { return offsets_[row]; }  ///< where its name stood

  /// Gives the alignment that a text holds up to `end`. Throws `format_error` unless all rows are equally long, not
  /// empty, and four at least.
  Alignment finish(std::string_view text, std::size_t end) &&;

  static constexpr std::size_t npos = static_cast<std::size_t>(-1);

 private:
  void append(const Alphabet& alphabet, std::size_t row, char code, std::size_t offset);
  [[noreturn]] void refuse(std::size_t row, char code, std::size_t offset) const;

  const Alphabets* alphabets_;
  std::vector<std::string> names_;
  std::vector<std::string> rows_;
  std::vector<std::size_t> offsets_;
  std::unordered_map<std::string, std::size_t> index_;
  std::map<char, std::size_t> unmodelled_;  // as of Alignment
};

Alignment parse_phylip(std::string_view text, const Alphabets& alphabets);
Alignment parse_fasta(std::string_view text, const Alphabets& alphabets);
Alignment parse_nexus(std::string_view text, const Alphabets& alphabets);

}  // namespace phylo
