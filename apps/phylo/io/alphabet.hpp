#pragma once
// What the characters of an alignment mean: DNA, amino acids, binary characters, characters of several states, unphased
// genotypes.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace phylo {

enum class DataType : std::uint8_t { dna, protein, binary, multistate, genotype };

/// The most states that an alphabet may have.
inline constexpr int most_states = 20;
/// The most codes: each tells apart one set of states.
inline constexpr int most_codes = 32;

/// An alphabet. Its objects live as long as the program, so they are compared and kept by address.
struct Alphabet {
  static constexpr std::uint8_t no_code = 255;
  /// Where rows of an alignment hold sets that no character of a file stands for, their letters begin here.
  static constexpr unsigned char first_letter_of_sets = 0x80;

  DataType type = DataType::dna;
  int states = 0;
  int codes = 0;                ///< sets of states that characters may stand for
  std::uint8_t unknown = 0;     ///< the code of what says nothing
  std::string_view letters;     ///< by code, as rows of an alignment have them; '-' for what says nothing
  std::string_view symbols;     ///< by state
  std::string_view name;        ///< "DNA", "amino acids"
  std::string_view word;        ///< as --data-type has it
  std::string_view unit;        ///< what one character is: "base"
  std::string_view code;        ///< what a character must be: "DNA code"
  std::string_view expected;    ///< the characters that may stand there, for messages
  std::string_view models;      ///< an example, for messages
  std::string_view unmodelled;  ///< characters of states that no model has: they are read, but say nothing
  std::array<std::uint32_t, most_codes> sets{};  ///< by code: bit i for state i
  std::array<std::uint8_t, 256> code_of{};       ///< by character; no_code for one that stands for nothing

  /// Gives the code of a letter of a row, or of a character, or `no_code`. Case does not matter.
  std::uint8_t find(char c) const { return code_of[static_cast<unsigned char>(c)]; }
  /// Gives the code of a character of a file, or `no_code`.
  std::uint8_t read(char c) const { return static_cast<unsigned char>(c) < first_letter_of_sets ? find(c) : no_code; }
  /// Gives the code of a set of states, or `no_code` if none stands for it.
  std::uint8_t find_set(std::uint32_t set) const;
  std::uint32_t all() const { return sets[unknown]; }
};

/// A C G T (U), and IUPAC's codes of ambiguity. The code of a character is its set of bases: A=1 C=2 G=4 T=8.
const Alphabet& dna_alphabet();
/// The twenty amino acids in the order of their three-letter names (Ala, Arg, Asn ...), B (Asn or Asp), Z (Gln or Glu)
/// and J (Ile or Leu). X, stops (*), and the rare U and O, which no model has, say nothing.
const Alphabet& protein_alphabet();
/// 0 and 1.
const Alphabet& binary_alphabet();
/// 0 to 9, then A to J: as many as there are states, 2 to most_states. Of up to five states all sets have a code, of
/// six and seven all pairs.
const Alphabet& multistate_alphabet(int states);

/// The ten genotypes of a diploid organism whose two bases are known without their order: A C G T (U) for two equal
/// ones, then IUPAC's M (AC), R (AG), W (AT), S (CG), Y (CT) and K (GT), as RAxML-NG has them.
const Alphabet& genotype_alphabet();

/// The alphabets of an alignment's sites: one, or another one for each.
struct Alphabets {
  Alphabets(const Alphabet& of_all) : one(&of_all) {}

  const Alphabet* one;                   ///< of the sites that `by_site` does not know
  std::vector<const Alphabet*> by_site;  ///< empty if all sites have one

  const Alphabet& of(std::size_t site) const { return site < by_site.size() ? *by_site[site] : *one; }
};

}  // namespace phylo
