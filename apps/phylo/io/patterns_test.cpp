#include "phylo/io/patterns.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "checkout.hpp"
#include "phylo/io/notes.hpp"

namespace phylo {
namespace {

TEST(Patterns, ColumnsThatAreEqualAreOne) {
  const Alignment a = parse_alignment("4 6\na ACNTA?\nb ACGTA-\nc ACGTAX\nd AAGTAN\n", "in");
  const Patterns p = compress(a);
  EXPECT_EQ(p.taxa, 4);
  EXPECT_EQ(p.count, 5);
  EXPECT_EQ(p.sites(), 6);
  EXPECT_EQ(p.weights, (std::vector<std::uint32_t>{2, 1, 1, 1, 1}));
  EXPECT_EQ(p.pattern_of_site, (std::vector<std::int32_t>{0, 1, 3, 2, 0, 4}));
  EXPECT_EQ(std::vector<std::uint8_t>(p.row(0), p.row(0) + 5), (std::vector<std::uint8_t>{1, 2, 8, 15, 15}));
  EXPECT_EQ(std::vector<std::uint8_t>(p.row(3), p.row(3) + 5), (std::vector<std::uint8_t>{1, 1, 8, 4, 15}));
}

TEST(Patterns, EverySiteIsFoundBehindItsPattern) {
  std::string text = "6 200\n";
  std::uint64_t state = 7;
  for (int taxon = 0; taxon < 6; ++taxon) {
    text += 't';
    text += std::to_string(taxon);
    text += ' ';
    for (int site = 0; site < 200; ++site) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      text += "ACGTACGTACGTRYN-"[state >> 60];
    }
    text += "\n";
  }
  const Alignment a = parse_alignment(text, "in");
  const Patterns p = compress(a);
  EXPECT_EQ(std::accumulate(p.weights.begin(), p.weights.end(), 0U), 200U);
  for (int taxon = 0; taxon < 6; ++taxon)
    for (int site = 0; site < 200; ++site)
      EXPECT_EQ(p.row(taxon)[p.pattern_of_site[static_cast<std::size_t>(site)]],
                base_mask(a.rows[static_cast<std::size_t>(taxon)][static_cast<std::size_t>(site)]));
}

TEST(Notes, SitesAreConstantIfAllTaxaMayHaveOneState) {
  // A in all; A or nothing; A or R; R and Y have nothing in common; nobody says anything; A again; A and C.
  const Alignment a = parse_alignment("4 7\na AAAR?AA\nb AARR-AA\nc A-ARNAC\nd AARYXAC\n", "in");
  EXPECT_EQ(constant_sites(compress(a)), 5U);
}

TEST(Notes, ConstantSitesAreTold) {
  EXPECT_EQ(note_on_constant(240, 240, 10),
            "all 240 sites are the same in all taxa, or may be; they don't tell one tree from another");
  EXPECT_EQ(note_on_constant(234, 240, 10),
            "6 of 240 sites vary, fewer than the 7 inner branches of a tree of 10 taxa; much of the tree may be "
            "arbitrary");
  EXPECT_TRUE(note_on_constant(239, 240, 10)->starts_with("1 of 240 sites varies, "));
}

TEST(Notes, CloseSequencesAreNothingOdd) {
  EXPECT_FALSE(note_on_constant(233, 240, 10)) << "a site for each inner branch";
  EXPECT_FALSE(note_on_constant(29000, 29903, 800)) << "genomes of one virus";
  EXPECT_FALSE(note_on_constant(95, 100, 20)) << "few of the taxa's branches, but not less than 5 % of the sites";
  EXPECT_TRUE(note_on_constant(96, 100, 20));
  EXPECT_FALSE(note_on_constant(0, 3, 10)) << "a short alignment";
}

TEST(Patterns, MasksAreUnionsOfTheirBases) {
  EXPECT_EQ(base_mask('A') | base_mask('G'), base_mask('R'));
  EXPECT_EQ(base_mask('C') | base_mask('T'), base_mask('y'));
  EXPECT_EQ(base_mask('C') | base_mask('G') | base_mask('T'), base_mask('B'));
  EXPECT_EQ(base_mask('U'), base_mask('T'));
  EXPECT_EQ(base_mask('n'), 15);
  EXPECT_EQ(base_mask('J'), 0);
  EXPECT_EQ(base_mask('\xff'), 0);
}

TEST(Patterns, AminoAcidsHaveACodeEachAndSoHaveTheirAmbiguities) {
  const Alphabet& protein = protein_alphabet();
  const Alignment a = parse_alignment("4 3\na AB*\nb rZ-\nc VJU\nd NXW\n", "in", protein);
  EXPECT_EQ(a.rows, (std::vector<std::string>{"AB-", "RZ-", "VJ-", "N-W"}));
  const auto states = [&](char c) {
    std::string found;
    for (std::size_t i = 0; i < 20; ++i)
      if (protein.sets[protein.find(c)] >> i & 1) found += protein.symbols[i];
    return found;
  };
  for (const char c : protein.symbols) EXPECT_EQ(states(c), std::string(1, c));
  EXPECT_EQ(states('B'), "ND");
  EXPECT_EQ(states('z'), "QE");
  EXPECT_EQ(states('J'), "IL");
  for (const char c : {'X', '?', '-', '*', 'U', 'O'}) EXPECT_EQ(states(c), protein.symbols) << c;
  for (const char c : {'1', '.', '~', '\xff'}) EXPECT_EQ(protein.find(c), Alphabet::no_code) << c;
  const Patterns p = compress(a);
  EXPECT_EQ(p.alphabet, &protein);
  EXPECT_EQ(p.count, 3);
}

TEST(Patterns, OtherCharactersHaveAsManyStatesAsTheyAreSaidToHave) {
  EXPECT_EQ(binary_alphabet().all(), 3u);
  EXPECT_EQ(binary_alphabet().find('2'), Alphabet::no_code);
  EXPECT_EQ(multistate_alphabet(3).find('2'), 2);
  EXPECT_EQ(multistate_alphabet(3).find('3'), Alphabet::no_code);
  EXPECT_EQ(multistate_alphabet(20).find('j'), 19);
  EXPECT_EQ(multistate_alphabet(20).codes, 21);
  EXPECT_EQ(multistate_alphabet(3).find_set(7), multistate_alphabet(3).unknown);
  for (const int states : {3, 4, 5})
    for (std::uint32_t set = 1; set < std::uint32_t{1} << states; ++set) {
      const Alphabet& alphabet = multistate_alphabet(states);
      const std::uint8_t code = alphabet.find_set(set);
      ASSERT_LT(code, alphabet.codes) << states << ' ' << set;
      EXPECT_EQ(alphabet.find(alphabet.letters[code]), code);
      EXPECT_EQ(alphabet.read(alphabet.letters[code]) == code, code < states || code == alphabet.unknown);
    }
  EXPECT_EQ(multistate_alphabet(7).codes, 29);
  EXPECT_NE(multistate_alphabet(7).find_set(0b1000001), Alphabet::no_code);
  EXPECT_EQ(multistate_alphabet(6).find_set(0b111), Alphabet::no_code);
  EXPECT_EQ(multistate_alphabet(8).find_set(0b11), Alphabet::no_code);
  EXPECT_EQ(dna_alphabet().find_set(0), Alphabet::no_code);
}

TEST(Patterns, GenotypesAreTwoEqualBasesOrTheCodeOfTwoDifferentOnes) {
  const Alphabet& genotypes = genotype_alphabet();
  EXPECT_EQ(genotypes.states, 10);
  EXPECT_EQ(genotypes.codes, 11);
  for (std::size_t state = 0; state < 10; ++state) EXPECT_EQ(genotypes.find("ACGTMRWSYK"[state]), state);
  EXPECT_EQ(genotypes.find('U'), genotypes.find('t'));
  for (const char c : {'N', 'x', '?', '-'}) EXPECT_EQ(genotypes.find(c), genotypes.unknown) << c;
  for (const char c : {'B', 'D', 'H', 'V', 'O', '0', '.'}) EXPECT_EQ(genotypes.find(c), Alphabet::no_code) << c;
}

TEST(Patterns, CountsOfRealAlignmentsAreTheKnownOnes) {
  const std::filesystem::path folder = checkout() / "../shared/data/alignments";
  if (!std::filesystem::is_directory(folder))
    GTEST_SKIP() << "skipped: shared/data absent; it runs where that folder lies beside the repository";
  const struct {
    const char* file;
    int taxa, sites, patterns;
  } known[] = {{"d025_h1n1ha", 25, 1695, 615},      {"d026_pocketgopher", 26, 469, 151},
               {"d027_m336", 27, 1940, 933},        {"d041_m1366", 41, 1134, 767},
               {"d044_dornburg", 44, 5882, 1752},   {"d050_m1044", 50, 1126, 488},
               {"d062_carnivora", 62, 10869, 5565}, {"d094_rightmyer", 94, 3689, 1699},
               {"d110_fong", 110, 25919, 15188},    {"d237_murray", 237, 3110, 1508}};
  for (const auto& k : known) {
    const Patterns p = compress(read_alignment((folder / (std::string(k.file) + ".phy")).string()));
    EXPECT_EQ(p.taxa, k.taxa) << k.file;
    EXPECT_EQ(p.sites(), k.sites) << k.file;
    EXPECT_EQ(p.count, k.patterns) << k.file;
  }
}

}  // namespace
}  // namespace phylo
