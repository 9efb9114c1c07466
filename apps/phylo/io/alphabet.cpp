#include "phylo/io/alphabet.hpp"

#include <fmt/format.h>

#include <bit>
#include <string>

namespace phylo {
namespace {

/// Gives the code to a character in both cases.
void say(Alphabet& alphabet, char c, std::uint8_t code) {
  alphabet.code_of[static_cast<unsigned char>(c)] = code;
  if (c >= 'A' && c <= 'Z') alphabet.code_of[static_cast<unsigned char>(c + 32)] = code;
}

/// What all alphabets begin with: no character has a code.
Alphabet blank(DataType type, int states, std::string_view symbols) {
  Alphabet alphabet;
  alphabet.type = type;
  alphabet.states = states;
  alphabet.symbols = symbols.substr(0, static_cast<std::size_t>(states));
  alphabet.code_of.fill(Alphabet::no_code);
  return alphabet;
}

Alphabet make_dna() {
  Alphabet dna = blank(DataType::dna, 4, "ACGT");
  dna.letters = "-ACMGRSVTWYHKDB-";  // none of 0
  dna.codes = static_cast<int>(dna.letters.size());
  dna.unknown = 15;
  for (int set = 1; set < dna.codes; ++set) {
    const auto code = static_cast<std::uint8_t>(set);
    dna.sets[code] = code;
    say(dna, dna.letters[code], code);
  }
  say(dna, 'U', dna.find('T'));
  for (const char unknown : {'N', 'X', '?'}) say(dna, unknown, dna.unknown);
  dna.name = "DNA";
  dna.word = "dna";
  dna.unit = "base";
  dna.code = "DNA code";
  dna.expected = "ACGTU, RYSWKMBDHV, or N ? - X for unknown";
  dna.models = "GTR+G";
  return dna;
}

/// A code for each state, then those of `ambiguities` (three characters each: a letter and the two that it may be) and
/// of `sets` (which have letters of their own only), then the one that says nothing.
Alphabet make(DataType type, int states, std::string_view symbols, std::string_view ambiguities,
              std::string_view unknowns, std::string_view letters, const std::vector<std::uint32_t>& sets = {}) {
  Alphabet alphabet = blank(type, states, symbols);
  for (int state = 0; state < states; ++state) {
    const auto code = static_cast<std::uint8_t>(state);
    alphabet.sets[code] = std::uint32_t{1} << code;
    say(alphabet, symbols[code], code);
  }
  auto next = static_cast<std::uint8_t>(states);
  for (std::size_t at = 0; at < ambiguities.size(); at += 3, ++next) {
    alphabet.sets[next] =
        alphabet.sets[alphabet.find(ambiguities[at + 1])] | alphabet.sets[alphabet.find(ambiguities[at + 2])];
    say(alphabet, ambiguities[at], next);
  }
  for (const std::uint32_t set : sets) {
    alphabet.sets[next] = set;
    say(alphabet, letters[next], next);
    ++next;
  }
  alphabet.unknown = next;
  alphabet.sets[next] = (std::uint32_t{1} << states) - 1;
  for (const char unknown : unknowns) say(alphabet, unknown, next);
  alphabet.codes = next + 1;
  alphabet.letters = letters;
  return alphabet;
}

Alphabet make_protein() {
  Alphabet protein =
      make(DataType::protein, 20, "ARNDCQEGHILKMFPSTWYV", "BNDZQEJIL", "X?-*UO", "ARNDCQEGHILKMFPSTWYVBZJ-");
  protein.name = "amino acids";
  protein.word = "aa";
  protein.unit = "amino acid";
  protein.code = "code of an amino acid";
  protein.expected = "ARNDCQEGHILKMFPSTWYV, B Z J, or X ? - for unknown (* U O are read as X)";
  protein.models = "PROTGTR+G";
  protein.unmodelled = "*UO";
  return protein;
}

Alphabet make_binary() {
  Alphabet binary = make(DataType::binary, 2, "01", "", "?-", "01-");
  binary.name = "binary characters";
  binary.word = "bin";
  binary.unit = "state";
  binary.code = "binary state";
  binary.expected = "0 1, or ? - for unknown";
  binary.models = "BIN+G";
  return binary;
}

Alphabet make_genotype() {
  Alphabet genotype = make(DataType::genotype, 10, "ACGTMRWSYK", "", "NX?-", "ACGTMRWSYK-");
  say(genotype, 'U', genotype.find('T'));
  genotype.name = "genotypes";
  genotype.word = "diploid10";
  genotype.unit = "genotype";
  genotype.code = "code of a genotype";
  genotype.expected = "ACGTU (two equal bases), MRWSYK (two different ones), or N ? - X for unknown";
  genotype.models = "GTGTR4+G";
  return genotype;
}

/// Gives the sets of several states, not of all, that there are codes for: all sets of up to five states, pairs of six
/// and seven.
std::vector<std::uint32_t> sets_of(int states) {
  constexpr int most_with_all = 5, most_with_pairs = 7;
  std::vector<std::uint32_t> sets;
  if (states > most_with_pairs) return sets;
  const int most = states <= most_with_all ? states - 1 : 2;
  for (std::uint32_t set = 1; set < std::uint32_t{1} << states; ++set)
    if (const int count = std::popcount(set); count >= 2 && count <= most) sets.push_back(set);
  return sets;
}

/// The texts that an alphabet of several states refers to.
struct Multistate {
  std::string letters, name, code, expected, models;
  Alphabet alphabet;

  void fill(int states) {
    constexpr std::string_view symbols = "0123456789ABCDEFGHIJ";
    letters = symbols.substr(0, static_cast<std::size_t>(states));
    const std::string state_letters = letters;
    const std::vector<std::uint32_t> sets = sets_of(states);
    for (std::size_t i = 0; i < sets.size(); ++i) letters += static_cast<char>(Alphabet::first_letter_of_sets + i);
    letters += '-';
    alphabet = make(DataType::multistate, states, symbols, "", "?-", letters, sets);
    name = fmt::format("characters of {} states", states);
    code = fmt::format("state of {}", states);
    expected = fmt::format("{}, or ? - for unknown", state_letters);
    models = fmt::format("MULTI{}_MK+G", states);
    alphabet.name = name;
    alphabet.word = "multi";
    alphabet.unit = "state";
    alphabet.code = code;
    alphabet.expected = expected;
    alphabet.models = models;
  }
};

struct Multistates {
  Multistates() {
    for (int states = 2; states <= most_states; ++states) by_states[static_cast<std::size_t>(states)].fill(states);
  }
  std::array<Multistate, most_states + 1> by_states;
};

}  // namespace

std::uint8_t Alphabet::find_set(std::uint32_t set) const {
  if (set == all()) return unknown;
  for (std::uint8_t at = 0; at < codes; ++at)
    if (set != 0 && sets[at] == set) return at;
  return no_code;
}

const Alphabet& dna_alphabet() {
  static const Alphabet alphabet = make_dna();
  return alphabet;
}

const Alphabet& protein_alphabet() {
  static const Alphabet alphabet = make_protein();
  return alphabet;
}

const Alphabet& binary_alphabet() {
  static const Alphabet alphabet = make_binary();
  return alphabet;
}

const Alphabet& genotype_alphabet() {
  static const Alphabet alphabet = make_genotype();
  return alphabet;
}

const Alphabet& multistate_alphabet(int states) {
  static const Multistates all;
  return all.by_states[static_cast<std::size_t>(states)].alphabet;
}

}  // namespace phylo
