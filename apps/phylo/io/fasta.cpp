#include "phylo/io/formats.hpp"
#include "phylo/io/text.hpp"

namespace phylo {

/// A taxon's name is the first word behind '>'; its sequence goes on to the next '>'.
Alignment parse_fasta(std::string_view text, const Alphabets& alphabets) {
  RowBuilder rows(alphabets);
  std::size_t row = RowBuilder::npos;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (row == RowBuilder::npos) {
      // What was copied may begin with blanks.
      while (!line.empty() && is_blank(line.front())) line.remove_prefix(1), ++at;
      if (!line.empty() && line.front() != '>')
        throw format_error{at, "this stands before the first taxon; expected '>' and its name"};
    }
    if (!line.empty() && line.front() == '>') {
      std::size_t from = 1;
      while (from < line.size() && is_blank(line[from])) ++from;
      std::size_t to = from;
      while (to < line.size() && !is_blank(line[to])) ++to;
      row = rows.add(line.substr(from, to - from), at + from);
    } else if (row != RowBuilder::npos) {
      rows.append(row, line, at);
    }
    at = end + 1;
  }
  return std::move(rows).finish(text, text.size());
}

}  // namespace phylo
