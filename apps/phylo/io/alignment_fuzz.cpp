// Any bytes as an alignment of DNA, amino acids, binary characters, characters of several states, genotypes, or all of
// them side by side: one that the likelihood can take, or an `input_error`. The first byte says which.

#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <string_view>

#include "fuzz/check.hpp"
#include "phylo/io/alignment.hpp"
#include "phylo/io/notes.hpp"
#include "phylo/io/patterns.hpp"
#include "phylo/io/text.hpp"
#include "phylo/model/scheme.hpp"

namespace {

phylo::Alphabets alphabets_of(std::uint8_t choice) {
  switch (choice % 8) {
    case 0:
      return phylo::protein_alphabet();
    case 1:
      return phylo::binary_alphabet();
    case 2:
      return phylo::dna_alphabet();
    case 5:
      return phylo::genotype_alphabet();
    case 3:
      return phylo::parse_scheme("GTR, d = 1-9\\3\nLG, p = 2-9\\3\nBIN, b = 3-9\\3\nMULTI5_MK, m = 10-20", "mixed")
          .alphabets(20);
    default:
      return phylo::multistate_alphabet(2 + choice / 8 % (phylo::most_states - 1));
  }
}

/// What every part of the program takes for granted.
void check_form(const phylo::Alignment& alignment, const phylo::Alphabets& alphabets) {
  check(alignment.taxa() >= 4 && alignment.sites() > 0 && alignment.rows.size() == alignment.names.size());
  const std::set<std::string> names(alignment.names.begin(), alignment.names.end());
  check(names.size() == alignment.names.size() && !names.contains(""));
  for (const std::string& row : alignment.rows) {
    check(row.size() == alignment.rows.front().size());
    for (std::size_t site = 0; site < row.size(); ++site) {
      const phylo::Alphabet& alphabet = alphabets.of(site);
      const std::uint8_t code = alphabet.find(row[site]);
      check(code < alphabet.codes && alphabet.letters[code] == row[site]);
    }
  }
}

/// The same rows come back from FASTA, as far as it can write names and sets.
void check_rewritten(const phylo::Alignment& alignment, const phylo::Alphabets& alphabets) {
  std::string text;
  for (std::size_t row = 0; row < alignment.rows.size(); ++row) {
    for (const char c : alignment.names[row])
      if (phylo::is_space(c)) return;
    for (const char letter : alignment.rows[row])
      if (static_cast<unsigned char>(letter) >= phylo::Alphabet::first_letter_of_sets) return;
    text += ">" + alignment.names[row] + "\n" + alignment.rows[row] + "\n";
  }
  const phylo::Alignment again = phylo::parse_alignment(text, "again", alphabets);
  check(again.names == alignment.names && again.rows == alignment.rows);
}

void check_patterns(phylo::Alignment alignment) {
  for (const std::string& note : phylo::notes_on(alignment)) check(!note.empty());
  try {
    phylo::drop_undetermined_columns(alignment);
  } catch (const phylo::input_error& e) {
    check_message(e);
    return;
  }
  const phylo::Patterns patterns = phylo::compress(alignment);
  const auto sites = static_cast<std::uint32_t>(alignment.sites());
  check(std::accumulate(patterns.weights.begin(), patterns.weights.end(), std::uint32_t{0}) == sites);
  for (int taxon = 0; taxon < patterns.taxa; ++taxon)
    for (std::uint32_t site = 0; site < sites; ++site)
      check(patterns.row(taxon)[patterns.pattern_of_site[site]] ==
            alignment.alphabet->find(alignment.rows[static_cast<std::size_t>(taxon)][site]));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const phylo::Alphabets alphabets = alphabets_of(data[0]);
  phylo::Alignment alignment;
  try {
    alignment = phylo::parse_alignment({reinterpret_cast<const char*>(data + 1), size - 1}, "alignment", alphabets);
  } catch (const phylo::input_error& e) {
    check_message(e);
    return 0;
  }
  check_form(alignment, alphabets);
  check_rewritten(alignment, alphabets);
  if (alphabets.by_site.empty()) check_patterns(std::move(alignment));
  return 0;
}
