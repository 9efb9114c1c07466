#include "phylo/io/alignment.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "phylo/io/error.hpp"
#include "phylo/io/patterns.hpp"

namespace phylo {
namespace {

Alignment parse(const std::string& text, const Alphabet& alphabet = dna_alphabet()) {
  return parse_alignment(text, "in", alphabet);
}

/// Gives what a bad text is answered with; fails when it is taken.
std::string complaint(const std::string& text, const Alphabet& alphabet = dna_alphabet()) {
  try {
    parse(text, alphabet);
  } catch (const input_error& e) {
    return e.what();
  }
  ADD_FAILURE() << "was taken: " << text.substr(0, 200);
  return "";
}

void expect_complaint(const std::string& text, const std::string& place, const std::string& part,
                      const Alphabet& alphabet = dna_alphabet()) {
  const std::string message = complaint(text, alphabet);
  EXPECT_EQ(message.substr(0, place.size() + 2), place + ": ") << message;
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

const std::vector<std::string> four_names = {"t1", "t2", "t3", "t4"};
const std::vector<std::string> four_rows = {"ACGTAC", "ACGTAA", "AC-TRC", "ACG-AT"};

void expect_four(const Alignment& a) {
  EXPECT_EQ(a.names, four_names);
  EXPECT_EQ(a.rows, four_rows);
}

TEST(Alignment, SequentialPhylip) {
  expect_four(parse("4 6\nt1 ACGTAC\nt2 ACGTAA\nt3 AC-TRC\nt4 ACG-AT\n"));
  expect_four(parse("  4\t6 \n\nt1  ACG\nTAC\nt2 ACGTAA\nt3\nAC?TRC\nt4 AC\nG-\nAT"));
  expect_four(parse("4 6\nt1 ac gta c\nt2 acguaa\nt3 acntrc\nt4 acgxat\n"));
}

TEST(Alignment, InterleavedPhylip) {
  expect_four(parse("4 6\nt1 ACG\nt2 ACG\nt3 AC-\nt4 ACG\n\nTAC\nTAA\nTRC\n-AT\n"));
  expect_four(parse("4 6\nt1 AC\nt2 AC\nt3 AC\nt4 AC\nGT\nGT\n-T\nG-\nAC\nAA\nRC\nAT\n"));
  expect_four(parse("4 6\nt1 ACG\nt2 ACG\nt3 AC-\nt4 ACG\nt1 TAC\nt2 TAA\nt3 TRC\nt4 -AT\n"));
}

TEST(Alignment, ProteinsInEveryFormat) {
  const std::vector<std::string> rows = {"MKL-F", "MRLBF", "QEIJ-", "MK-ZW"};
  for (const char* text :
       {"4 5\na MKL-F\nb mrlbf\nc QEIJ*\nd MKXZW\n", ">a\nMKL\n-F\n>b\nMRLBF\n>c\nQEIJ?\n>d\nMK-ZW\n",
        "#NEXUS\nbegin data;\ndimensions ntax=4 nchar=5;\nformat datatype=protein gap=- missing=? "
        "matchchar=.;\nmatrix\na MKL-F\nb .R.{ND}.\nc QEI(LI)?\nd MK-{QE}W\n;\nend;\n"})
    EXPECT_EQ(parse(text, protein_alphabet()).rows, rows) << text;
}

TEST(Alignment, CharactersThatAnAlphabetLacksAreNamedWithTheirPlace) {
  expect_complaint("4 2\na MK\nb M1\nc MK\nd MK\n", "in:3:4",
                   "'1' in the sequence of taxon 'b' (site 2) is no code of an "
                   "amino acid; expected one of ARNDCQEGHILKMFPSTWYV",
                   protein_alphabet());
  expect_complaint("4 2\na 01\nb 02\nc 01\nd 01\n", "in:3:4", "no binary state; expected one of 0 1",
                   binary_alphabet());
  expect_complaint("4 2\na 01\nb 04\nc 01\nd 01\n", "in:3:4", "is no state of 4; expected one of 0123",
                   multistate_alphabet(4));
  expect_complaint(
      "4 2\na AM\nb AB\nc CK\nd GY\n", "in:3:4",
      "'B' in the sequence of taxon 'b' (site 2) is no code of a genotype; expected one of ACGTU (two equal "
      "bases), MRWSYK (two different ones)",
      genotype_alphabet());
  const std::string nexus = "#NEXUS\nbegin data;\ndimensions ntax=4 nchar=1;\nformat datatype=";
  expect_complaint(nexus + "protein;\nmatrix a A b A c A d A;\nend;\n", "in:4:8", "can't be analysed as DNA");
  expect_complaint(nexus + "dna;\nmatrix a A b A c A d A;\nend;\n", "in:4:8", "expected PROTEIN", protein_alphabet());
  expect_complaint(nexus + "protein;\nmatrix a A b {AC} c A d A;\nend;\n", "in:5:14",
                   "stands for this set of amino acids", protein_alphabet());
  expect_complaint(nexus + "dna;\nmatrix a A b {AC} c A d A;\nend;\n", "in:5:14",
                   "no code of a genotype stands for this set of genotypes; sets can be one state or all",
                   genotype_alphabet());
}

TEST(Alignment, Fasta) {
  expect_four(parse(">t1 a description\nACG\nTAC\n>t2\nACGTAA\n\n> t3\nAC-TRC\n>t4\nACG-\nAT"));
}

TEST(Alignment, Nexus) {
  expect_four(parse(
      "#NEXUS\n[a comment [in a comment]]\nBegin data;\n dimensions ntax=4 nchar = 6;\n"
      "format datatype=dna missing=? gap=-;\nmatrix\nt1 ACG TAC\nt2 ACG[3]TAA\n't3'\nAC-TRC\nt4 ACG\n?AT\n;\nend;\n"));
  expect_four(parse(
      "#nexus\nbegin taxa; dimensions ntax=4; taxlabels t1 t2 t3 t4; end;\nBEGIN CHARACTERS;\n"
      "TITLE x; DIMENSIONS NCHAR=6; FORMAT DATATYPE=DNA GAP=~ MISSING=# MATCHCHAR=. INTERLEAVE=yes;\nMATRIX\n"
      "t1 ACG\nt2 ...\nt3 ..~\nt4 ...\n\nt1 TAC\nt2 ..A\nt3 .{AG}C\nt4 #.T\n;\nEND;\nbegin trees; tree a=(1); end;"));
}

TEST(Alignment, NexusNamesInQuotes) {
  const Alignment a = parse("#NEXUS begin data; dimensions nchar=1; matrix 'a b' A 'it''s' C 'x;y' G z T; end;");
  EXPECT_EQ(a.names, (std::vector<std::string>{"a b", "it's", "x;y", "z"}));
}

TEST(Alignment, LineEndsOfAnySystemAndAByteOrderMark) {
  expect_four(
      parse("\xEF\xBB\xBF"
            "4 6\r\nt1 ACGTAC\r\nt2 ACGTAA\r\nt3 AC-TRC\r\nt4 ACG-AT\r\n"));
  expect_four(parse("4 6\rt1 ACGTAC\rt2 ACGTAA\rt3 AC-TRC\rt4 ACG-AT"));
  expect_four(parse("\n  >t1\nACGTAC\n>t2\nACGTAA\n>t3\nAC-TRC\n>t4\nACG-AT\n"));
  expect_four(parse(">t1\r\nACGTAC\r\n>t2\r\nACGTAA\r\n>t3\r\nAC-TRC\r\n>t4\r\nACG-AT\r\n"));
}

TEST(Alignment, ColumnsWithoutADeterminedBaseCanBeLeftOut) {
  Alignment a = parse("4 5\na -AN?C\nb NC--C\nc N?--R\nd --?NC\n");
  EXPECT_EQ(drop_undetermined_columns(a), (std::vector<std::size_t>{1, 4}));
  EXPECT_EQ(a.rows, (std::vector<std::string>{"AC", "CC", "-R", "-C"}));
  EXPECT_EQ(drop_undetermined_columns(a), (std::vector<std::size_t>{0, 1}));
  Alignment none = parse("4 2\na --\nb --\nc --\nd NN\n");
  EXPECT_THROW(drop_undetermined_columns(none), input_error);
}

TEST(Alignment, NothingInIt) {
  expect_complaint("", "in:1:1", "the file is empty");
  expect_complaint(" \n\n", "in:1:1", "nothing but blanks");
  expect_complaint("hello world", "in:1:1", "expected '>' (FASTA), '#NEXUS'");
  expect_complaint("\x7f\x45\x4c\x46\x02", "in:1:1", "byte 0x7f");
}

TEST(Alignment, TwoTaxaWithOneName) {
  expect_complaint("4 2\na AC\nb AC\na AC\nd AC\n", "in:4:1", "taxon 'a' stands here a second time");
  expect_complaint("  a\nAC\n>b\nAC\n>c\nAC\n", "in:1:3", "begins no known alignment format");
  expect_complaint("\n >a\nACGT\n > b\nACGT\n", "in:4:2", "'>' in the sequence of taxon 'a'");
  expect_complaint(">a\nAC\n>b\nAC\n>a\nAC\n", "in:5:2", "taxon 'a' stands here a second time");
  expect_complaint("#NEXUS\nbegin data;\ndimensions nchar=2;\nmatrix\na AC\na AC\n;", "in:6:1", "taxon 'a'");
}

TEST(Alignment, UnequalLengths) {
  expect_complaint("4 4\na ACGT\nb ACG\nc ACGT\nd ACGT\n", "in:3:1", "taxon 'b' has 3 sites, but the header says 4");
  expect_complaint("4 4\na ACGT\nb ACGTT\nc ACGT\nd ACGT\n", "in:3:1", "taxon 'b' has 5 sites, but the header says 4");
  expect_complaint(">a\nACGT\n>b\nACG\n>c\nACGT\n>d\nACGT\n", "in:3:2", "taxon 'b' has 3 sites");
  expect_complaint(
      "#NEXUS begin data; dimensions nchar=4; format interleave;\nmatrix\na ACGT\nb ACG\nc ACGT\nd ACGT\n;", "in:4:1",
      "taxon 'b' has 3 sites, but DIMENSIONS says NCHAR=4");
  expect_complaint("#NEXUS begin data; dimensions nchar=4;\nmatrix\na ACGTA\nb ACGT\n;", "in:3:7",
                   "goes on behind the 4 sites");
}

TEST(Alignment, IllegalCharacter) {
  expect_complaint("4 4\na ACGT\nb AJGT\nc ACGT\nd ACGT\n", "in:3:4", "'J' in the sequence of taxon 'b' (site 2)");
  expect_complaint(">a\nACGT\n>b\nAC\nG1\n", "in:5:2", "'1' in the sequence of taxon 'b' (site 4)");
  expect_complaint("#NEXUS begin data; dimensions nchar=4;\nmatrix\na AC!T\n;", "in:3:5", "'!'");
  expect_complaint("4 4\na AC.T\nb AGGT\nc ACGT\nd ACGT\n", "in:2:5", "MATCHCHAR");
  expect_complaint("4 6\nt1 ACG\nt2 ACG\nt3 AC-\nt4 ACG\n\nTAC\nT*A\nTRC\n-AT\n", "in:8:2", "'*'");
}

TEST(Alignment, FewerThanFourTaxa) {
  expect_complaint("3 2\na AC\nb AC\nc AC\n", "in:1:1", "at least four");
  expect_complaint(">a\nAC\n>b\nAC\n>c\nAC\n", "in:7:1", "at least four");
  expect_complaint("#NEXUS begin data; dimensions nchar=2; matrix a AC b AC c AC; end;", "in:1:62", "at least four");
}

TEST(Alignment, SequencesOfLengthZero) {
  expect_complaint("4 0\na\nb\nc\nd\n", "in:1:1", "0 sites");
  expect_complaint(">a\n>b\n>c\n>d\n", "in:1:2", "taxon 'a' has no sequence");
  expect_complaint(">a\nA\n>b\n>c\nA\n>d\nA\n", "in:3:2", "taxon 'b' has no sequence");
  expect_complaint("#NEXUS begin data; dimensions nchar=0; matrix a b c d; end;", "in:1:31", "NCHAR=0");
}

TEST(Alignment, CountsInTheHeaderThatAreNotTrue) {
  expect_complaint("4 99999999999999999999999\na A\n", "in:1:3", "too large");
  expect_complaint("4000000000 4000000000\na A\nb A\n", "in:4:1", "header says 4000000000");
  expect_complaint("4 x\na A\n", "in:1:3", "expected the number of sites");
  expect_complaint("4", "in:1:2", "expected the number of sites");
  expect_complaint("4 -1\n", "in:1:3", "expected the number of sites");
  expect_complaint("5 2\na AC\nb AC\nc AC\nd AC\n", "in:6:1", "ends behind 4 taxa, but the header says 5");
  expect_complaint("4 2\na AC\nb AC\nc AC\nd AC\ne AC\n", "in:6:1", "goes on");
  expect_complaint("#NEXUS begin data; dimensions ntax=5 nchar=2; matrix a AC b AC c AC d AC; end;", "in:1:74",
                   "NTAX=5");
}

TEST(Alignment, CutOffInterleavedFilesAreNeverTaken) {
  const std::string whole = "4 9\nt1 ACG\nt2 ACG\nt3 AC-\nt4 ACG\n\nTAC\nTAA\nTRC\n-AT\n\nAAA\nCCC\nGGG\nTTT";
  EXPECT_EQ(parse(whole).rows[3], "ACG-ATTTT");
  for (std::size_t length = 0; length < whole.size(); ++length) complaint(whole.substr(0, length));
  expect_complaint("4 6\nt1 ACG\nt2 ACG\nt3 AC-\nt4 ACG\nTAC\nTAA\n", "in:8:1",
                   "the last block ends behind 2 of 4 taxa");
}

TEST(Alignment, CutOffNexusFilesAreNeverTaken) {
  const std::string whole = "#NEXUS\nBEGIN DATA;\nDIMENSIONS NTAX=4 NCHAR=4;\nFORMAT DATATYPE=DNA;\nMATRIX\na 'b\n";
  for (std::size_t length = 0; length <= whole.size(); ++length) complaint(whole.substr(0, length));
  expect_complaint("#NEXUS begin data; dimensions nchar=2; matrix a AC [", "in:1:52", "never closed");
  expect_complaint("#NEXUS begin data; format datatype=protein;", "in:1:27", "DATATYPE='protein'");
  expect_complaint("#NEXUS begin data; matrix a AC;", "in:1:20", "NCHAR");
  expect_complaint("#NEXUS begin trees; end;", "in:1:25", "no DATA or CHARACTERS block");
}

TEST(Alignment, AnyBytesEndInAMessageOrAnAlignment) {
  // Mutations of good files: whatever comes out, it is an alignment or an input_error, never anything else.
  const std::vector<std::string> seeds = {
      "4 6\nt1 ACG\nt2 ACG\nt3 AC-\nt4 ACG\n\nTAC\nTAA\nTRC\n-AT\n",
      ">t1\nACGTAC\n>t2\nACGTAA\n>t3\nAC-TRC\n>t4\nACG-AT\n",
      "#NEXUS\nBegin data;dimensions ntax=4 nchar=6;format datatype=dna missing=? gap=- matchchar=. "
      "interleave;\nmatrix\n"
      "t1 ACG\nt2 ...\n't 3' {AG}CT\nt4 [x]ACG\nt1 TAC\nt2 ..A\n't 3' TRC\nt4 -AT\n;\nend;\n"};
  std::uint64_t state = 12345;
  const auto next = [&] {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
  };
  for (int round = 0; round < 20000; ++round) {
    std::string text = seeds[next() % seeds.size()];
    for (std::uint64_t i = next() % 4 + 1; i > 0; --i) {
      const std::size_t at = next() % text.size();
      switch (next() % 4) {
        case 0:
          text[at] = static_cast<char>(next());
          break;
        case 1:
          text.erase(at, next() % 8 + 1);
          break;
        case 2:
          text.insert(at, 1, "\n\r\t ;='[]{}>4"[next() % 13]);
          break;
        default:
          text.insert(at, text.substr(next() % text.size(), next() % 12));
          break;
      }
      if (text.empty()) text.push_back('4');
    }
    try {
      const Alignment a = parse(text);
      ASSERT_GE(a.taxa(), 4);
      ASSERT_EQ(compress(a).sites(), a.sites());
    } catch (const input_error&) {
    }
  }
}

TEST(Alignment, FilesThatAreNone) {
  const auto read_complaint = [](const std::string& file) {
    try {
      read_alignment(file);
    } catch (const input_error& e) {
      return std::string(e.what());
    }
    return std::string("was taken");
  };
  EXPECT_NE(read_complaint("/nonexistent/x.phy").find("/nonexistent/x.phy: there is no such file"), std::string::npos);
  EXPECT_NE(read_complaint(std::filesystem::temp_directory_path().string()).find("is a folder"), std::string::npos);
  EXPECT_NE(read_complaint("/dev/zero").find("NUL"), std::string::npos);
  EXPECT_NE(read_complaint("/dev/null").find("the file is empty"), std::string::npos);
  EXPECT_NE(read_complaint("").find("empty"), std::string::npos);
}

}  // namespace
}  // namespace phylo
