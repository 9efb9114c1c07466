#include "phylo/io/alignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "phylo/io/formats.hpp"
#include "phylo/io/nexus_words.hpp"
#include "phylo/io/text.hpp"

namespace phylo {

std::size_t RowBuilder::add(std::string_view name, std::size_t offset) {
  if (name.empty()) throw format_error{offset, "a taxon without a name; put a name before its sequence"};
  if (const std::string complaint = complaint_about(name); !complaint.empty()) throw format_error{offset, complaint};
  const auto [entry, fresh] = index_.emplace(std::string(name), rows_.size());
  if (!fresh)
    throw format_error{offset, fmt::format("taxon {} stands here a second time (it is row {} already); names must be "
                                           "distinct, so rename or remove one",
                                           shown(name), entry->second + 1)};
  names_.emplace_back(name);
  rows_.emplace_back();
  offsets_.push_back(offset);
  return rows_.size() - 1;
}

std::size_t RowBuilder::find(std::string_view name) const {
  const auto entry = index_.find(std::string(name));
  return entry == index_.end() ? npos : entry->second;
}

void RowBuilder::refuse(std::size_t row, char code, std::size_t offset) const {
  const char* hint =
      code == '.' ? "; '.' for 'as in the first row' is understood in NEXUS only, where FORMAT says MATCHCHAR=." : "";
  const Alphabet& alphabet = alphabets_->of(rows_[row].size());
  throw format_error{offset,
                     fmt::format("{} in the sequence of taxon {} (site {}) is no {}; expected one of {}{}", shown(code),
                                 shown(names_[row]), rows_[row].size() + 1, alphabet.code, alphabet.expected, hint)};
}

void RowBuilder::append(const Alphabet& alphabet, std::size_t row, char code, std::size_t offset) {
  const std::uint8_t found = alphabet.read(code);
  if (found == Alphabet::no_code) refuse(row, code, offset);
  if (found == alphabet.unknown) {
    const auto capital = static_cast<char>(std::toupper(static_cast<unsigned char>(code)));
    if (alphabet.unmodelled.find(capital) != alphabet.unmodelled.npos) ++unmodelled_[capital];
  }
  rows_[row] += alphabet.letters[found];
}

void RowBuilder::append(std::size_t row, char code, std::size_t offset) {
  append(alphabets_->of(rows_[row].size()), row, code, offset);
}

void RowBuilder::append(std::size_t row, std::string_view piece, std::size_t offset) {
  std::string& to = rows_[row];
  if (to.capacity() < to.size() + piece.size()) to.reserve(std::max(to.size() + piece.size(), 2 * to.capacity()));
  if (!alphabets_->by_site.empty()) {
    for (std::size_t i = 0; i < piece.size(); ++i)
      if (!is_blank(piece[i])) append(row, piece[i], offset + i);
    return;
  }
  for (std::size_t i = 0; i < piece.size(); ++i)
    if (!is_blank(piece[i])) append(*alphabets_->one, row, piece[i], offset + i);
}

Alignment RowBuilder::finish(std::string_view text, std::size_t end) && {
  if (rows_.empty()) throw format_error{end, "there is no sequence in this file; expected four taxa at least"};
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].empty())
      throw format_error{offsets_[i],
                         fmt::format("taxon {} has no sequence; expected {} sites", shown(names_[i]),
                                     rows_.front().empty() ? "some" : std::to_string(rows_.front().size()))};
    if (rows_[i].size() != rows_.front().size())
      throw format_error{offsets_[i],
                         fmt::format("taxon {} has {} sites, but the first taxon, {}, has {}; sequences must be "
                                     "aligned, so equally long",
                                     shown(names_[i]), rows_[i].size(), shown(names_.front()), rows_.front().size())};
  }
  if (rows_.size() < 4)
    throw format_error{end, fmt::format("{} taxa only; an unrooted tree needs at least four", rows_.size())};
  if (rows_.front().size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw format_error{end, "more than 2^31 - 1 sites; split the alignment"};
  Alignment alignment;
  alignment.alphabet = alphabets_->one;
  alignment.begin = position_of(text, offsets_.front());
  alignment.names = std::move(names_);
  alignment.rows = std::move(rows_);
  alignment.unmodelled = std::move(unmodelled_);
  return alignment;
}

std::vector<std::size_t> drop_undetermined_columns(Alignment& alignment) {
  const auto sites = static_cast<std::size_t>(alignment.sites());
  std::vector<std::size_t> kept;
  for (std::size_t site = 0; site < sites; ++site)
    if (std::any_of(alignment.rows.begin(), alignment.rows.end(), [&](const auto& row) { return row[site] != '-'; }))
      kept.push_back(site);
  if (kept.empty())
    fail(alignment.file, alignment.begin,
         fmt::format("no column of this alignment has a determined {}; expected one at least",
                     alignment.alphabet->unit));
  if (kept.size() == sites) return kept;
  for (std::string& row : alignment.rows) {
    for (std::size_t to = 0; to < kept.size(); ++to) row[to] = row[kept[to]];
    row.resize(kept.size());
  }
  return kept;
}

Alignment parse_alignment(std::string_view given, const std::string& file, const Alphabets& alphabets) {
  const std::string text = normalize_text(std::string(given));
  try {
    const std::size_t start = text.find_first_not_of(" \t\v\f\n");
    if (start == text.npos)
      throw format_error{0, text.empty() ? "the file is empty; expected an alignment"
                                         : "the file holds nothing but blanks; expected an alignment"};
    Alignment alignment;
    if (text[start] == '>')
      alignment = parse_fasta(text, alphabets);
    else if (is_nexus(text))
      alignment = parse_nexus(text, alphabets);
    else if (text[start] >= '0' && text[start] <= '9')
      alignment = parse_phylip(text, alphabets);
    else
      throw format_error{start,
                         fmt::format("{} begins no known alignment format; expected '>' (FASTA), '#NEXUS', or the "
                                     "numbers of taxa and sites (PHYLIP)",
                                     shown(text[start]))};
    alignment.file = file;
    return alignment;
  } catch (const format_error& e) {
    fail(file, position_of(text, e.offset), e.message);
  }
}

Alignment read_alignment(const std::string& file, const Alphabets& alphabets) {
  return parse_alignment(read_text(file), file, alphabets);
}

}  // namespace phylo
