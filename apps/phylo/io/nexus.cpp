// NEXUS, as far as it holds one matrix: the DATA or CHARACTERS block with DIMENSIONS, FORMAT and MATRIX. Blocks and
// commands that say nothing about the matrix are skipped.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "phylo/io/formats.hpp"
#include "phylo/io/nexus_words.hpp"
#include "phylo/io/text.hpp"

namespace phylo {

namespace {

struct Format {
  std::optional<std::size_t> taxa;
  std::optional<std::size_t> sites;
  std::size_t sites_offset = 0;
  bool interleaved = false;
  char gap = '-';
  char missing = '?';
  char match = 0;
};

/// What DATATYPE may say of data of that type.
std::vector<std::string_view> datatypes(DataType type) {
  if (type == DataType::dna || type == DataType::genotype) return {"DNA", "RNA", "NUCLEOTIDE"};
  if (type == DataType::protein) return {"PROTEIN"};
  return {"STANDARD"};
}

class Reader {
 public:
  Reader(std::string_view text, const Alphabets& alphabets)
      : text_(text), alphabets_(alphabets), in_(text), rows_(alphabets) {}

  Alignment read() {
    in_.expect_word("#NEXUS");
    while (const std::optional<NexusWord> block = in_.next_block()) {
      if (block->is("DATA") || block->is("CHARACTERS")) return read_data();
      in_.skip_block();
    }
    throw format_error{
        text_.size(),
        "there is no DATA or CHARACTERS block in this file; expected BEGIN DATA; with DIMENSIONS, FORMAT and MATRIX"};
  }

 private:
  Alignment read_data() {
    for (;;) {
      const NexusWord command = in_.expect_word("MATRIX");
      if (command.is(";")) continue;
      if (command.is("DIMENSIONS")) {
        read_dimensions();
      } else if (command.is("FORMAT")) {
        read_format();
      } else if (command.is("MATRIX")) {
        return read_matrix(command.offset);
      } else if (command.is_end()) {
        throw format_error{command.offset, "this block ends without a MATRIX; expected one, with a row for each taxon"};
      } else {
        in_.skip_command();
      }
    }
  }

  [[noreturn]] static void lacks_value(const NexusWord& key) {
    throw format_error{key.offset, fmt::format("{} lacks its value; expected {}=...", key.text, key.text)};
  }

  std::string value_of(const NexusWord& key) {
    if (!in_.expect_word("'='").is("=")) lacks_value(key);
    return value_behind_equals(key);
  }

  std::string value_behind_equals(const NexusWord& key) {
    const NexusWord value = in_.expect_word("a value");
    if (value.is(";")) lacks_value(key);
    return value.text;
  }

  std::size_t count_of(const NexusWord& key) {
    const std::string value = value_of(key);
    std::size_t count = 0;
    const auto [to, problem] = std::from_chars(value.data(), value.data() + value.size(), count);
    if (problem != std::errc() || to != value.data() + value.size())
      throw format_error{key.offset, fmt::format("{}={} is no number that can be used here; expected one, as in {}=10",
                                                 key.text, shown(value), key.text)};
    return count;
  }

  char symbol_of(const NexusWord& key) {
    const std::string value = value_of(key);
    if (value.size() != 1)
      throw format_error{key.offset, fmt::format("{}={} must be one character; expected one, as in {}=-", key.text,
                                                 shown(value), key.text)};
    return value.front();
  }

  void read_dimensions() {
    for (;;) {
      const NexusWord key = in_.expect_word("';'");
      if (key.is(";")) return;
      if (key.is("NTAX")) {
        format_.taxa = count_of(key);
      } else if (key.is("NCHAR")) {
        format_.sites = count_of(key);
        format_.sites_offset = key.offset;
      }
    }
  }

  void read_format() {
    // INTERLEAVE may stand alone or have a value; so its word is looked at once the next one is known.
    std::optional<NexusWord> pending;
    for (;;) {
      const NexusWord key = pending ? *std::exchange(pending, std::nullopt) : in_.expect_word("';'");
      if (key.is(";")) return;
      if (key.is("DATATYPE")) {
        const std::string type = value_of(key);
        const std::vector<std::string_view> types = datatypes(alphabets_.one->type);
        if (std::none_of(types.begin(), types.end(), [&](std::string_view one) { return same_word(type, one); }))
          throw format_error{key.offset, fmt::format("DATATYPE={} can't be analysed as {}; expected {}", shown(type),
                                                     alphabets_.one->name, fmt::join(types, " or "))};
      } else if (key.is("GAP")) {
        format_.gap = symbol_of(key);
      } else if (key.is("MISSING")) {
        format_.missing = symbol_of(key);
      } else if (key.is("MATCHCHAR")) {
        format_.match = symbol_of(key);
      } else if (key.is("INTERLEAVE")) {
        const NexusWord next = in_.expect_word("';'");
        if (!next.is("=")) pending = next;
        const std::string value = next.is("=") ? value_behind_equals(key) : "YES";
        format_.interleaved = same_word(value, "YES");
        if (!format_.interleaved && !same_word(value, "NO"))
          throw format_error{key.offset,
                             fmt::format("{}={} is neither yes nor no; expected one of these", key.text, shown(value))};
      } else if (key.is("TRANSPOSE") || key.is("NOLABELS") || key.is("TOKENS") || key.is("EQUATE")) {
        throw format_error{key.offset,
                           fmt::format("FORMAT {} is not understood; write the matrix with one labelled row "
                                       "a taxon",
                                       key.text)};
      }
    }
  }

  Alignment read_matrix(std::size_t offset) {
    if (!format_.sites)
      throw format_error{offset, "MATRIX stands before DIMENSIONS NCHAR=...; say how many sites there are"};
    if (*format_.sites == 0) throw format_error{format_.sites_offset, "NCHAR=0; expected at least one site"};
    while (format_.interleaved ? read_interleaved_row() : read_row()) {
    }
    if (format_.taxa && *format_.taxa != rows_.size())
      throw format_error{in_.offset(), fmt::format("the matrix has {} taxa, but DIMENSIONS says NTAX={}; expected {}",
                                                   rows_.size(), *format_.taxa, *format_.taxa)};
    for (std::size_t row = 0; row < rows_.size(); ++row)
      if (rows_.row(row).size() != *format_.sites) wrong_length(row);
    return std::move(rows_).finish(text_, in_.offset());
  }

  [[noreturn]] void wrong_length(std::size_t row) const {
    throw format_error{
        rows_.offset(row),
        fmt::format("taxon {} has {} sites, but DIMENSIONS says NCHAR={}; expected {} of each taxon{}",
                    shown(rows_.name(row)), rows_.row(row).size(), *format_.sites, *format_.sites,
                    format_.interleaved ? "" : ", or INTERLEAVE in FORMAT if the matrix is interleaved")};
  }

  /// Reads name and all of its sites; false at the matrix's end.
  bool read_row() {
    const NexusWord name = in_.expect_word("a taxon's name or ';'");
    if (name.is(";")) return false;
    const std::size_t row = rows_.add(name.text, name.offset);
    while (rows_.row(row).size() < *format_.sites) {
      in_.skip();
      if (in_.at_end() || in_.peek() == ';') wrong_length(row);
      read_site(row);
    }
    // What follows without a blank is no further taxon's name.
    if (!in_.at_end() && !is_space(in_.peek()) && in_.peek() != ';' && in_.peek() != '[')
      throw format_error{
          in_.offset(),
          fmt::format("taxon {} goes on behind the {} sites that DIMENSIONS says; expected the next taxon or ';'",
                      shown(rows_.name(row)), *format_.sites)};
    return true;
  }

  /// Reads one line: a name and some of its sites.
  bool read_interleaved_row() {
    const NexusWord name = in_.expect_word("a taxon's name or ';'");
    if (name.is(";")) return false;
    std::size_t row = rows_.find(name.text);
    if (row == RowBuilder::npos) row = rows_.add(name.text, name.offset);
    for (;;) {
      in_.skip(true);
      if (in_.at_end()) throw format_error{text_.size(), "the file ends inside the matrix; expected ';' behind it"};
      if (in_.peek() == '\n') return true;
      if (in_.peek() == ';') return true;  // the next call sees it
      if (rows_.row(row).size() == *format_.sites)
        throw format_error{
            in_.offset(),
            fmt::format("taxon {} goes on behind the {} sites that DIMENSIONS says; expected the next taxon or ';'",
                        shown(rows_.name(row)), *format_.sites)};
      read_site(row);
    }
  }

  void read_site(std::size_t row) {
    const std::size_t offset = in_.offset();
    const char c = in_.take();
    if (c == '{' || c == '(') {
      read_set(row, offset, c == '{' ? '}' : ')');
    } else if (format_.match != 0 && c == format_.match) {
      const std::size_t site = rows_.row(row).size();
      if (row == 0 || site >= rows_.row(0).size())
        throw format_error{
            offset, fmt::format("{} stands for the first taxon's character, which is not known here; expected a {}",
                                shown(c), alphabets_.of(site).unit)};
      rows_.append_stored(row, rows_.row(0)[site]);
    } else if (c == format_.gap || c == format_.missing) {
      rows_.append_stored(row, '-');
    } else {
      rows_.append(row, c, offset);
    }
  }

  /// {AG} and (AG): the states that may stand at this site.
  void read_set(std::size_t row, std::size_t offset, char close) {
    const Alphabet& alphabet = alphabets_.of(rows_.row(row).size());
    std::uint32_t set = 0;
    for (;;) {
      if (in_.at_end()) throw format_error{offset, fmt::format("this set is never closed; expected {}", shown(close))};
      const std::size_t at = in_.offset();
      const char c = in_.take();
      if (c == close) break;
      if (is_space(c) || c == ',') continue;
      const std::uint8_t code = c == format_.gap || c == format_.missing ? alphabet.unknown : alphabet.read(c);
      if (code == Alphabet::no_code)
        throw format_error{
            at, fmt::format("{} is no {}; expected a {} inside the set", shown(c), alphabet.code, alphabet.unit)};
      set |= alphabet.sets[code];
    }
    if (set == 0)
      throw format_error{offset, "this set is empty; expected the states that may stand at this site, as in {AG}"};
    const std::uint8_t code = alphabet.find_set(set);
    if (code == Alphabet::no_code)
      throw format_error{offset, fmt::format("no {} stands for this set of {}; sets can be {}", alphabet.code,
                                             alphabet.name, possible_sets(alphabet))};
    rows_.append_stored(row, alphabet.letters[code]);
  }

  static const char* possible_sets(const Alphabet& alphabet) {
    if (alphabet.type == DataType::protein) return "{ND} (B), {QE} (Z), {IL} (J) or all";
    return alphabet.find_set(0b11) == Alphabet::no_code ? "one state or all" : "one state, two or all";
  }

  std::string_view text_;
  const Alphabets& alphabets_;
  NexusScanner in_;
  Format format_;
  RowBuilder rows_;
};

}  // namespace

Alignment parse_nexus(std::string_view text, const Alphabets& alphabets) { return Reader(text, alphabets).read(); }

}  // namespace phylo
