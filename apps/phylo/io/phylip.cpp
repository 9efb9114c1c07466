// Relaxed PHYLIP: two numbers, then each taxon's name, white space, its sequence. Nothing in the file says whether rows
// follow one another or are interleaved, so both readings are tried; if both fail, the one that came further into the
// file is taken to be what was meant, and its complaint is what the user sees.

#include <fmt/format.h>

#include <charconv>
#include <variant>

#include "phylo/io/formats.hpp"
#include "phylo/io/text.hpp"

namespace phylo {

namespace {

struct Line {
  std::string_view text;  ///< from its first to its last character that is not blank
  std::size_t offset;
};

/// The lines that are not blank.
std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::size_t from = at;
    std::size_t to = end;
    while (from < to && is_blank(text[from])) ++from;
    while (to > from && is_blank(text[to - 1])) --to;
    if (to > from) lines.push_back({text.substr(from, to - from), from});
    at = end + 1;
  }
  return lines;
}

struct Header {
  std::size_t taxa;
  std::size_t sites;
};

std::size_t read_count(const Line& line, std::size_t& at, const char* what) {
  while (at < line.text.size() && is_blank(line.text[at])) ++at;
  std::size_t value = 0;
  const char* from = line.text.data() + at;
  const auto [to, problem] = std::from_chars(from, line.text.data() + line.text.size(), value);
  if (problem == std::errc::result_out_of_range)
    throw format_error{
        line.offset + at,
        fmt::format("the number of {} in the header is too large; expected the number of {} in this file", what, what)};
  if (problem != std::errc())
    throw format_error{line.offset + at,
                       fmt::format("expected the number of {} here; a PHYLIP file opens with the numbers of taxa and "
                                   "sites, as in '41 1134'",
                                   what)};
  at += static_cast<std::size_t>(to - from);
  return value;
}

Header read_header(const Line& line) {
  std::size_t at = 0;
  Header header{};
  header.taxa = read_count(line, at, "taxa");
  if (at < line.text.size() && !is_blank(line.text[at]))
    throw format_error{
        line.offset + at,
        fmt::format("{} in the number of taxa; expected a blank and the number of sites", shown(line.text[at]))};
  header.sites = read_count(line, at, "sites");
  while (at < line.text.size() && is_blank(line.text[at])) ++at;
  if (at < line.text.size())
    throw format_error{line.offset + at,
                       fmt::format("{} behind the numbers of taxa and sites; expected the end of the line",
                                   shown(line.text.substr(at)))};
  if (header.taxa < 4)
    throw format_error{line.offset, fmt::format("{} taxa only; an unrooted tree needs at least four", header.taxa)};
  if (header.sites == 0)
    throw format_error{line.offset, "the header says that there are 0 sites; expected at least one"};
  return header;
}

/// Begins the row whose name opens the line and gives the rest of the line.
Line begin_row(RowBuilder& rows, const Line& line) {
  std::size_t to = 0;
  while (to < line.text.size() && !is_blank(line.text[to])) ++to;
  rows.add(line.text.substr(0, to), line.offset);
  while (to < line.text.size() && is_blank(line.text[to])) ++to;
  return {line.text.substr(to), line.offset + to};
}

format_error wrong_length(const RowBuilder& rows, std::size_t row, const Header& header, std::size_t offset) {
  return {offset, fmt::format("taxon {} has {} sites, but the header says {}; expected {} of each taxon",
                              shown(rows.name(row)), rows.row(row).size(), header.sites, header.sites)};
}

format_error missing_rows(const RowBuilder& rows, const Header& header, std::size_t offset) {
  return {offset, fmt::format("the file ends behind {} taxa, but the header says {}; expected {}", rows.size(),
                              header.taxa, header.taxa)};
}

RowBuilder read_sequential(const std::vector<Line>& lines, const Header& header, std::size_t end,
                           const Alphabets& alphabets) {
  RowBuilder rows(alphabets);
  std::size_t at = 1;
  while (rows.size() < header.taxa) {
    if (at == lines.size()) throw missing_rows(rows, header, end);
    const Line& opening = lines[at++];
    const Line rest = begin_row(rows, opening);
    const std::size_t row = rows.size() - 1;
    rows.append(row, rest.text, rest.offset);
    for (; rows.row(row).size() < header.sites && at < lines.size(); ++at)
      rows.append(row, lines[at].text, lines[at].offset);
    if (rows.row(row).size() != header.sites)
      throw wrong_length(rows, row, header, at == lines.size() ? end : opening.offset);
  }
  if (at < lines.size())
    throw format_error{
        lines[at].offset,
        fmt::format("the header says {} taxa, but the file goes on behind them; expected the end of the file",
                    header.taxa)};
  return rows;
}

RowBuilder read_interleaved(const std::vector<Line>& lines, const Header& header, std::size_t end,
                            const Alphabets& alphabets) {
  RowBuilder rows(alphabets);
  std::size_t at = 1;
  for (; rows.size() < header.taxa; ++at) {
    if (at == lines.size()) throw missing_rows(rows, header, end);
    const Line rest = begin_row(rows, lines[at]);
    rows.append(rows.size() - 1, rest.text, rest.offset);
  }
  // One line a taxon: a wrong length is then this line's, whatever the other rows say.
  if (at == lines.size())
    for (std::size_t row = 0; row < rows.size(); ++row)
      if (rows.row(row).size() != header.sites) throw wrong_length(rows, row, header, rows.offset(row));
  for (std::size_t row = 1; row < rows.size(); ++row)
    if (rows.row(row).size() != rows.row(0).size())
      throw format_error{
          rows.offset(row),
          fmt::format(
              "taxon {} has {} sites on its first line, but the first taxon has {}; expected lines of one length",
              shown(rows.name(row)), rows.row(row).size(), rows.row(0).size())};

  while (rows.row(0).size() < header.sites || at < lines.size()) {
    std::size_t expected = 0;  // the length that this block's first row has brought
    for (std::size_t row = 0; row < header.taxa; ++row, ++at) {
      if (at == lines.size())
        throw format_error{
            end,
            row == 0
                ? fmt::format("the file ends behind {} of the {} sites that the header says; expected a further block",
                              rows.row(0).size(), header.sites)
                : fmt::format("the last block ends behind {} of {} taxa; the file is cut off", row, header.taxa)};
      const Line& line = lines[at];
      // Some programs repeat the names in every block.
      const std::string& name = rows.name(row);
      const bool named = line.text.size() > name.size() && line.text.substr(0, name.size()) == name &&
                         is_blank(line.text[name.size()]);
      const std::size_t skip = named ? name.size() : 0;
      if (rows.row(row).size() == header.sites)
        throw format_error{
            line.offset,
            fmt::format("the header says {} sites, but the file goes on behind them; expected the end of the file",
                        header.sites)};
      rows.append(row, line.text.substr(skip), line.offset + skip);
      if (row == 0) expected = rows.row(0).size();
      if (rows.row(row).size() != expected)
        throw format_error{line.offset, fmt::format("taxon {} has {} sites up to here, but the first taxon has {}; the "
                                                    "lines of a block must be equally long",
                                                    shown(name), rows.row(row).size(), expected)};
    }
  }
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (rows.row(row).size() != header.sites) throw wrong_length(rows, row, header, rows.offset(row));
  return rows;
}

using Attempt = std::variant<RowBuilder, format_error>;

template <class Read>
Attempt attempt(Read&& read) {
  try {
    return read();
  } catch (const format_error& e) {
    return e;
  }
}

}  // namespace

Alignment parse_phylip(std::string_view text, const Alphabets& alphabets) {
  const std::vector<Line> lines = lines_of(text);
  const Header header = read_header(lines.front());

  Attempt sequential = attempt([&] { return read_sequential(lines, header, text.size(), alphabets); });
  Attempt interleaved = attempt([&] { return read_interleaved(lines, header, text.size(), alphabets); });
  auto* in_sequence = std::get_if<RowBuilder>(&sequential);
  auto* in_blocks = std::get_if<RowBuilder>(&interleaved);
  if (in_sequence != nullptr && in_blocks != nullptr) {
    for (std::size_t row = 0; row < in_blocks->size(); ++row)
      if (in_sequence->name(row) != in_blocks->name(row) || in_sequence->row(row) != in_blocks->row(row))
        throw format_error{lines.front().offset,
                           "this file can be read as sequential and as interleaved PHYLIP, with different results; "
                           "write it as FASTA, or with one line a taxon"};
  }
  if (in_sequence != nullptr) return std::move(*in_sequence).finish(text, text.size());
  if (in_blocks != nullptr) return std::move(*in_blocks).finish(text, text.size());
  const auto& first = std::get<format_error>(sequential);
  const auto& second = std::get<format_error>(interleaved);
  // With one line a taxon the interleaved reading looks at each line by itself, so its complaint names the right one.
  const bool one_line_each = lines.size() == header.taxa + 1;
  throw one_line_each || second.offset > first.offset ? second : first;
}

}  // namespace phylo
