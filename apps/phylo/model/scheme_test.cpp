#include "phylo/model/scheme.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "phylo/model/notation.hpp"

namespace {

using phylo::parse_scheme;
using phylo::Scheme;
using phylo::SiteRange;

TEST(Scheme, OneModelIsForAllSites) {
  const Scheme scheme = parse_scheme("  LG+G\n\n", "in");
  ASSERT_EQ(scheme.parts.size(), 1u);
  EXPECT_TRUE(scheme.parts[0].ranges.empty());
  EXPECT_EQ(to_string(scheme), "LG+G4m");
  EXPECT_EQ(scheme.parts_of_sites(3), (std::vector<int>{0, 0, 0}));
}

TEST(Scheme, PartitionsHaveNamesAndRanges) {
  const Scheme scheme = parse_scheme(
      "# genes\nGTR+G, first codon = 1-9\\3,2-9/3\n\n  HKY{2.5}+FE , third=3 - 9\\3, 12\nJC,rest = 10-11", "in");
  ASSERT_EQ(scheme.parts.size(), 3u);
  EXPECT_EQ(scheme.parts[0].name, "first codon");
  EXPECT_EQ(scheme.parts[0].ranges, (std::vector<SiteRange>{{1, 9, 3, {}}, {2, 9, 3, {}}}));
  EXPECT_EQ(scheme.parts[1].name, "third");
  EXPECT_EQ(scheme.parts[1].ranges, (std::vector<SiteRange>{{3, 9, 3, {}}, {12, 12, 1, {}}}));
  EXPECT_EQ(scheme.parts_of_sites(12), (std::vector<int>{0, 0, 1, 0, 0, 1, 0, 0, 1, 2, 2, 1}));
  EXPECT_EQ(to_string(scheme),
            "GTR+FO+G4m, first codon = 1-9\\3, 2-9\\3\nHKY{2.5}+FE, third = 3-9\\3, 12\nJC, rest = 10-11");
  EXPECT_EQ(to_string(parse_scheme(to_string(scheme), "again")), to_string(scheme));
}

TEST(Scheme, AStrideInARangeOfOneSiteIsWrittenWithTheRange) {
  const Scheme scheme = parse_scheme("JC, a = 1-1\\2, 2", "in");
  EXPECT_EQ(scheme.parts[0].sites(), "1-1\\2, 2");
  EXPECT_EQ(parse_scheme(to_string(scheme), "again").parts[0].ranges, scheme.parts[0].ranges);
}

TEST(Scheme, NamesAreTextThatResultsCanHold) {
  EXPECT_EQ(parse_scheme("JC, Gr\xc3\xb6\xc3\x9f"
                         "e \xf0\x9f\xa7\xac = 1",
                         "in")
                .parts[0]
                .name,
            "Gr\xc3\xb6\xc3\x9f"
            "e \xf0\x9f\xa7\xac");
  for (const char* name : {"Gr\xf6\xdf"
                           "e",
                           "\xc3", "a\x01", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x7f", "\xc2\x80", "\x80",
                           "\xff\x80\x80\x80"}) {
    try {
      parse_scheme(std::string("JC, ") + name + " = 1", "in");
      ADD_FAILURE() << name;
    } catch (const phylo::input_error& e) {
      EXPECT_NE(std::string(e.what()).find("expected a name of printable characters, in UTF-8"), std::string::npos);
    }
  }
}

TEST(Scheme, ReadsARaxmlNgModelFile) {
  const Scheme scheme = parse_scheme(
      "GTR{1.787239178/7.703672293/0.812942191/0.331922538/9.382177423/1.000000000}"
      "+FU{0.344468850/0.190384313/0.214913858/0.250232978}+G4m{0.424450884}, noname = 1-1695\n",
      "in");
  ASSERT_EQ(scheme.parts.size(), 1u);
  EXPECT_EQ(scheme.parts[0].model.alpha, 0.424450884);
  EXPECT_EQ(scheme.parts_of_sites(1695), std::vector<int>(1695, 0));
  EXPECT_THROW(scheme.parts_of_sites(1694), phylo::input_error);
  EXPECT_THROW(scheme.parts_of_sites(1696), phylo::input_error);
}

TEST(Scheme, SitesHaveTheAlphabetsOfTheirModels) {
  const Scheme same = parse_scheme("GTR, a = 1-2\nJC, b = 3", "in");
  EXPECT_TRUE(same.alphabets(3).by_site.empty());
  const Scheme mixed = parse_scheme("LG, a = 1-3\\2\nJC, b = 2", "in");
  const phylo::Alphabets alphabets = mixed.alphabets(2000000000);
  ASSERT_EQ(alphabets.by_site.size(), 3u);
  EXPECT_EQ(&alphabets.of(0), &phylo::protein_alphabet());
  EXPECT_EQ(&alphabets.of(1), &phylo::dna_alphabet());
  EXPECT_EQ(&alphabets.of(2), &phylo::protein_alphabet());
  EXPECT_EQ(parse_scheme("LG, a = 1-2000000000\nJC, b = 2", "in").alphabets(5).by_site.size(), 5u);
}

struct Bad {
  const char* text;
  const char* place;
  const char* expected;
};

class BadScheme : public testing::TestWithParam<Bad> {};

TEST_P(BadScheme, IsOneErrorThatNamesPlaceAndExpectation) {
  try {
    parse_scheme(GetParam().text, "in").parts_of_sites(10);
    FAIL() << "accepted: " << GetParam().text;
  } catch (const phylo::input_error& e) {
    const std::string what = e.what();
    EXPECT_EQ(what.rfind(std::string("in:") + GetParam().place, 0), 0u) << what;
    EXPECT_NE(what.find(GetParam().expected), std::string::npos) << what;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Scheme, BadScheme,
    testing::Values(
        Bad{"JC\nGTR\n", "2:1:", "a second line"},
        Bad{"DNA, a = 1-10\n", "1:1:", "DNA is a kind of data, as in files of RAxML; expected a model in its place"},
        Bad{"JC, a = 1-10\nGTR+G\n", "2:6:", "the sites of this model"},
        Bad{"JC, a = 1-5\nGTR+Q, b = 6-10", "2:5:", "expected +F"}, Bad{"JC, = 1-10", "1:5:", "the partition's name"},
        Bad{"JC, a", "1:6:", "'='"}, Bad{"JC, a = ", "1:9:", "the number of a site"},
        Bad{"JC, a = 0-10", "1:9:", "from 1 on"}, Bad{"JC, a = 1-", "1:11:", "the last site"},
        Bad{"JC, a = 5-3", "1:11:", "from 5 on"}, Bad{"JC, a = 1-10\\0", "1:14:", "a stride"},
        Bad{"JC, a = 1-10 b", "1:14:", "the end of the line"}, Bad{"JC, a = 1-10,", "1:14:", "the number of a site"},
        Bad{"JC, a = 1-5\nJC, a = 6-10", "2:5:", "a second partition 'a'"},
        Bad{"JC, a = 1-6\nJC, b = 7, 6-10", "2:12:", "site 6 is in partition 'a' and also in 'b'"},
        Bad{"JC, a = 1-11", "1:9:", "the alignment has 10"}, Bad{"JC, a = 99999999999", "1:9:", "the number of a site"},
        Bad{"JC, a = 1-4, 6-10", "1:9: 1 of the alignment's 10 sites", "the first of them is 5"}));

TEST(Scheme, ReadsNexusAsIqTreeTakesIt) {
  const Scheme scheme = parse_scheme(
      "\n#nexus [a comment;]\nbegin data;\n matrix x end; end;\nBEGIN Sets;\n"
      "  charset first = 1-9\\3 2 - 9 \\ 3 [both], 12;\n  charset 'my ''third''' = 3-9/3;\n  charset unused = 1-2;\n"
      "  charset rest = 10\n11;\n  taxset some = a b;\n"
      "  charpartition mine = GTR+G:first, HKY{2.5}+FE : 'my ''third''',JC: rest;\nend;\n",
      "in");
  EXPECT_EQ(to_string(scheme), to_string(parse_scheme("GTR+FC+G, first = 1-9\\3, 2-9\\3, 12\n"
                                                      "HKY{2.5}+FE, my 'third' = 3-9\\3\nJC, rest = 10, 11",
                                                      "in")));
  EXPECT_EQ(scheme.parts_of_sites(12), (std::vector<int>{0, 0, 1, 0, 0, 1, 0, 0, 1, 2, 2, 0}));
}

TEST(Scheme, NexusHasTheModelsOfIqTree) {
  // As ModelFinder writes them, and with values.
  const Scheme scheme = parse_scheme(
      "#nexus\nbegin sets;\n  charset a = 1-4\\2  2-4\\2;\n  charset b = 5;\n  charset c = 6;\n"
      "  charpartition mymodels =\n    TIM2+F+I+G4: a,\n    TVMe{2, 3,5,7}+R2{0.3,0.5,0.7,2}:b,\n"
      "    GTR{2,3,5,7,11}+F{0.1,0.2,0.3,0.4} [no rates] : c;\nend;\n",
      "in");
  EXPECT_EQ(to_string(scheme), to_string(parse_scheme("TIM2uf+FC+I+G4, a = 1-4\\2, 2-4\\2\n"
                                                      "TVMef{2/3/5/7/3/1}+R2{0.5/2}{0.3/0.7}, b = 5\n"
                                                      "GTR{2/3/5/7/11/1}+FU{0.1/0.2/0.3/0.4}, c = 6",
                                                      "in")));
}

TEST(Scheme, RangesGoToTheAlignmentsEnd) {
  for (const char* text : {"JC, a = 1-4, 9-.\nGTR, b = 5-8",
                           "#nexus\nbegin sets;\ncharset a = 1-4 9-.;\ncharset b = 5-8;\n"
                           "charpartition p = JC:a, GTR+FO:b;\nend;\n"}) {
    Scheme scheme = parse_scheme(text, "in");
    EXPECT_EQ(to_string(scheme), "JC, a = 1-4, 9-.\nGTR+FO, b = 5-8");
    EXPECT_EQ(to_string(parse_scheme(to_string(scheme), "again")), to_string(scheme));
    EXPECT_EQ(scheme.alphabets(5).of(9).type, phylo::DataType::dna);
    scheme.fit(10, false);
    EXPECT_EQ(scheme.parts[0].sites(), "1-4, 9-10");
    EXPECT_EQ(scheme.parts_of_sites(10), (std::vector<int>{0, 0, 0, 0, 1, 1, 1, 1, 0, 0}));
  }
  Scheme behind = parse_scheme("JC, a = 1-10, 12-.", "in");
  behind.fit(10, false);
  EXPECT_THROW(behind.parts_of_sites(10), phylo::input_error);
}

TEST(Scheme, LengthsOfTreesAreSpeeds) {
  const char* const text =
      "#nexus\nbegin sets;\ncharset a = 1-6;\ncharset b = 7-. [all: else];\ncharpartition p = JC:a{0.5},\n  "
      "JC:b{2};\nend;\n";
  Scheme scheme = parse_scheme(text, "in");
  scheme.fit(8, false);  // the mean is 7/8
  EXPECT_DOUBLE_EQ(scheme.parts[0].model.speed, 4.0 / 7);
  EXPECT_DOUBLE_EQ(scheme.parts[1].model.speed, 16.0 / 7);
  EXPECT_EQ(scheme.parts[0].model.speed_from, phylo::Origin::fixed);
  Scheme own = parse_scheme(text, "in");
  own.fit(8, true);
  EXPECT_EQ(own.parts[1].model.speed, 1);
  std::string far = text;
  far.replace(far.find("{2}"), 3, "{900}");
  try {
    parse_scheme(far, "in").fit(8, false);
    ADD_FAILURE() << "accepted";
  } catch (const phylo::input_error& e) {
    EXPECT_EQ(std::string(e.what()).substr(0, 46), "in:5:23: the tree of partition 'a' is 0.002218");
  }
}

TEST(Scheme, WhatSaysOnlyWhichSitesTakesTheModelBesideIt) {
  const phylo::Model hky = phylo::parse_model("HKY{2}+G{0.5}"), wag = phylo::parse_model("WAG+I+R2"),
                     jc = phylo::parse_model("JC");
  const auto read = [](const std::string& text, const phylo::Model& beside) {
    return to_string(parse_scheme(text, "in", &beside));
  };
  EXPECT_EQ(read("DNA, a = 1-4\ndnaF, b = 5\nDNAX, c = 6\nGTR, d = 7", hky),
            "HKY{2}+FO+G4m{0.5}, a = 1-4\nHKY{2}+FC+G4m{0.5}, b = 5\nHKY{2}+FO+G4m{0.5}, c = 6\nGTR+FO, d = 7");
  EXPECT_EQ(read("LGF , a = 1-4\n JTTx, b = 5\nWAG, c = 6\nLG+G, d = 7\nAA, e = 8", wag),
            "LG+FC+I+R2, a = 1-4\nJTT+FO+I+R2, b = 5\nWAG+I+R2, c = 6\nLG+G4m, d = 7\nWAG+I+R2, e = 8");
  EXPECT_EQ(read("DNA, a = 1-4\nLG, b = 5", hky), "HKY{2}+FO+G4m{0.5}, a = 1-4\nLG+G4m{0.5}, b = 5");
  EXPECT_EQ(read("#nexus\nbegin sets;\ncharset z = 1-4;\ncharset a = DNA, 5-.;\nend;\n", hky),
            "HKY{2}+FO+G4m{0.5}, z = 1-4\nHKY{2}+FO+G4m{0.5}, a = 5-.");
  const auto said = [&](const std::string& text, const phylo::Model* beside) -> std::string {
    try {
      parse_scheme(text, "in", beside);
      return "nothing";
    } catch (const phylo::input_error& e) {
      return e.what();
    }
  };
  const auto begins = [&](const std::string& text, const phylo::Model* beside, const std::string& message) {
    EXPECT_EQ(said(text, beside).substr(0, message.size()), message) << text;
  };
  begins("JC, a = 1-4", &hky, "--model and --model-file are both given, but in names all its models");
  begins("JC", &hky, "--model and --model-file are both given");
  begins("#nexus\nbegin sets;\ncharset a = 1-4;\ncharpartition p = JC:a;\nend;\n", &hky,
         "--model and --model-file are both");
  begins("LG+G, a = 1\nDNA, b = 2", &wag,
         "in:2:1: found 'DNA, b = 2'; expected a model of these data, because --model WAG");
  begins(" DNAF, b = 2", &jc,
         "in:1:2: found 'DNAF, b = 2'; expected DNA without F, because the frequencies of JC are equal");
  begins("#nexus\nbegin sets;\ncharset a = AA, 1-4;\nend;\n", &hky,
         "in:3:9: charset 'a' holds other data than the model HKY");
  begins("DNA, a = 1", nullptr, "in:1:1: model 'DNA': found 'DNA' at column 1; DNA is a kind of data");
  begins("LGF, a = 1", nullptr,
         "in:1:1: model 'LGF': found 'LGF' at column 1; this is a name of RAxML's; expected LG+F in its");
  const phylo::Model stam = phylo::parse_model("JC+ASC_STAM{1/2/3/4}");
  begins("LG, a = 1", &stam, "in:1:1: found 'LG, a = 1'; expected a model with constant sites of its own");
}

TEST(Scheme, NexusThatCannotBeUsedIsToldWithItsPlace) {
  const auto said = [](const std::string& sets) -> std::string {
    try {
      parse_scheme("#NEXUS\nbegin sets;\n" + sets, "in").parts_of_sites(10);
      return "nothing";
    } catch (const phylo::input_error& e) {
      return e.what();
    }
  };
  const auto begins = [&](const std::string& sets, const std::string& message) {
    EXPECT_EQ(said(sets).substr(0, message.size()), message) << sets;
  };
  begins("charset a = 1-10;\nend;", "in:4:5: the file ends without a charpartition; expected charset NAME = SITES;");
  begins("charset a = 1-10;\n", "in:4:1: the file ends where END; is expected");
  begins(
      "charset a = gene.phy: 1-10;\n",
      "in:3:13: this charset is one of an alignment of its own, 'gene.phy'; expected sites of the alignment (--msa)");
  begins("charset a = 16S.phy: 1-10;\n", "in:3:13: this charset is one of an alignment of its own, '16S.phy'");
  begins("charset a = 1-,;\n", "in:3:15: found ',;'; expected the number of the last site, or '.'");
  begins("charset a = CODON, 1-10;\n",
         "in:3:13: found 'CODON, 1-10;'; expected the number of a site, from 1 on, or DNA");
  begins("charset a = AA, 1-10;\ncharpartition p = JC:a;\n",
         "in:4:22: charset 'a' holds other data than the model JC, which is one of DNA");
  begins("charset a = 5-1;\n", "in:3:15: found '1;'; expected a site from 5 on");
  begins("charset a = 1-10\n", "in:4:1: found the end of the file; expected ';'");
  begins("charset a 1-10;", "in:3:11: found '1-10;'; expected '='");
  begins("charset = 1-10;", "in:3:9: found '= 1-10;'; expected the charset's name");
  begins("charset 'a=b' = 1-10;", "in:3:9: found ''a=b' = 1-10'; expected a name of printable characters");
  begins("charset 'a ' = 1-10;", "in:3:9: found ''a ' = 1-10;'; expected a name of printable characters");
  begins("charset a = 1-10; charset a = 2;", "in:3:27: a second charset 'a'; names must be distinct");
  begins("charset gene = 1-10;\ncharpartition p = JC:gone;",
         "in:4:22: no charset 'gone' stands before this; is 'gene' meant?");
  begins("charset a = 1-10;\ncharpartition p = JC:a, HKY:a;", "in:4:29: charset 'a' is in two partitions");
  begins("charset a = 1-10;\ncharpartition p = JC a;", "in:4:22: found 'a;'; expected ':' and the charset's name");
  begins("charset a = 1-10;\ncharpartition p = JC:a HKY:a;", "in:4:24: found 'HKY:a;'; expected ',' and a further");
  begins("charset a = 1-10;\ncharpartition p = ;", "in:4:19: found ';'; expected MODEL:CHARSET");
  begins("charset a = 1-10;\ncharpartition p = JX:a;\nend;", "in:4:19: ");
  begins("charset a = 1-5;\ncharset b = 6-10;\ncharpartition p = GTR{1,2,3,4,5}: a,\n  TN{1,2,3}: b;\nend;",
         "in:6:5: model 'TN{1,2,3}': found '{1,2,3}' at column 3; expected 2 rates, not 3");
  begins("charset a = 1-10;\ncharpartition p = TN{1,2: a;\nend;",
         "in:4:25: model 'TN{1,2': found the end at column 7; expected ',' or '}'");
  begins("charset a = 1-10;\ncharpartition p = TN{1,2}", "in:4:26: found the end of the file; expected ':'");
  begins("charset a = 1-10;\ncharpartition p = JC: a{2.5x};\nend;",
         "in:4:24: found '{2.5x};'; expected the length of this partition's tree, as in {1.2}");
  begins("charset a = 1-10;\ncharpartition p = JC: a{0};\nend;", "in:4:24: found '{0};'; expected the length");
  begins("charset a = 1-10;\ncharpartition p = JC: b{2};\nend;", "in:4:23: no charset 'b' stands before this");
  begins("charset a = 1-4;\ncharset b = 5-.;\ncharpartition p = JC: a{2}, JC:b;\nend;",
         "in:5:24: some partitions have lengths of their trees, others have none");
  begins("charset a = 1-10;\ncharpartition p = JC:a; charpartition q = JC:a;\nend;", "in:4:25: a second charpartition");
  begins("charset a = 1-9;\ncharpartition p = JC:a;\nend;",
         "in:3:13: 1 of the alignment's 10 sites are in no partition");
  begins("charset a = 1-9;\ncharset b = 9-10;\ncharpartition p = JC:a, JC:b;\nend;",
         "in:4:13: site 9 is in partition 'a'");
  begins("charset a = 1-10; [", "in:3:19: this comment is never closed");
}

}  // namespace
