#pragma once
// A multiple sequence alignment as it stood in the file.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "phylo/io/alphabet.hpp"
#include "phylo/io/error.hpp"

namespace phylo {

/// Aligned sequences, one row a taxon. Rows hold the letters of the alphabet's codes: of DNA A C G T, the ambiguities R
/// Y S W K M B D H V, and '-' for whatever says nothing (gap, N, X, ?); U has become T. A set of states that no
/// character stands for has a letter of its own. All rows have one length; names are distinct.
struct Alignment {
  const Alphabet* alphabet = &dna_alphabet();  ///< of all sites, unless it was read with several
  std::string file;                            ///< where it came from, for messages
  position begin;                              ///< where the first taxon's name stands in it
  std::vector<std::string> names;
  std::vector<std::string> rows;
  std::map<char, std::size_t> unmodelled;  ///< how often each character of `Alphabet::unmodelled` stood there

  int taxa() const { return static_cast<int>(names.size()); }
  int sites() const { return rows.empty() ? 0 : static_cast<int>(rows.front().size()); }
};

/// Gives the alignment in the file. The format (relaxed PHYLIP, sequential or interleaved; FASTA; NEXUS) is told from
/// the content. Throws `input_error` when the file can't be read, is none of these, names a taxon twice, has rows of
/// unequal length, a character that is none of its site's alphabet, no site, or fewer than four taxa.
Alignment read_alignment(const std::string& file, const Alphabets& alphabets = dna_alphabet());

/// Takes out the columns without any determined character, which say nothing but would be drawn by bootstrap
/// replicates, and gives which columns (from 0) are left. Throws `input_error` when none is.
std::vector<std::size_t> drop_undetermined_columns(Alignment& alignment);

/// The same as read_alignment from a text; `file` stands in messages.
Alignment parse_alignment(std::string_view text, const std::string& file, const Alphabets& alphabets = dna_alphabet());

}  // namespace phylo
