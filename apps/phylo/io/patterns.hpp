#pragma once
// Site patterns: the distinct columns of an alignment, which is all that the likelihood needs of it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "phylo/io/alignment.hpp"

namespace phylo {

/// The distinct columns of an alignment and how often each occurs.
struct Patterns {
  const Alphabet* alphabet = &dna_alphabet();
  std::vector<std::string> names;  ///< of the taxa, in the alignment's order
  int taxa = 0;
  int count = 0;  ///< distinct columns
  /// taxa × count, one row a taxon; codes of the alphabet. Those of DNA are bit masks of the bases that may stand
  /// there: A=1 C=2 G=4 T=8, 15 for no information.
  std::vector<std::uint8_t> codes;
  std::vector<std::uint32_t> weights;         ///< sites of each pattern
  std::vector<std::int32_t> pattern_of_site;  ///< by the site's index in the alignment

  const std::uint8_t* row(int taxon) const { return codes.data() + static_cast<std::size_t>(taxon) * count; }
  int sites() const { return static_cast<int>(pattern_of_site.size()); }
};

/// Gives the alignment's patterns, in lexicographic order of their columns (first taxon first); so the result depends
/// on the alignment only.
Patterns compress(const Alignment& alignment);

/// Gives for each pattern the set of states that all taxa may have; empty where taxa differ for sure.
std::vector<std::uint32_t> common_states(const Patterns& patterns);

/// Gives the mask of bases that an IUPAC code stands for (A=1 C=2 G=4 T=8; gaps and unknowns 15), 0 for a character
/// that is no DNA code. Case does not matter.
std::uint8_t base_mask(char code);

}  // namespace phylo
