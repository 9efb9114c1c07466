#include "phylo/model/notation.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <string>
#include <string_view>
#include <vector>

#include "phylo/io/error.hpp"

namespace {

using phylo::Family;
using phylo::Model;
using phylo::Origin;
using phylo::parse_model;

TEST(Notation, NamesAFamilyAndLeavesTheRestToBeFound) {
  const Model m = parse_model("GTR+G");
  EXPECT_EQ(m.family, Family::dna);
  EXPECT_EQ(m.ties, "012345");
  EXPECT_EQ(m.categories, 4);
  EXPECT_EQ(m.rates_from, Origin::optimized);
  EXPECT_EQ(m.alpha_from, Origin::optimized);
  EXPECT_EQ(m.frequencies_from, Origin::optimized);
  EXPECT_FALSE(m.with_invariant);
}

TEST(Notation, ReadsWhatRaxmlNgWrites) {
  const Model m = parse_model(
      "GTR{1.787239178/7.703672293/0.812942191/0.331922538/9.382177423/1.000000000}"
      "+FU{0.344468850/0.190384313/0.214913858/0.250232978}+G4m{0.424450884}\n");
  EXPECT_EQ(m.rates[0], 1.787239178);
  EXPECT_EQ(m.rates[4], 9.382177423);
  EXPECT_NEAR(m.frequencies[1], 0.190384313, 1e-8);
  EXPECT_NEAR(m.frequencies[0] + m.frequencies[1] + m.frequencies[2] + m.frequencies[3], 1, 1e-15);
  EXPECT_EQ(m.alpha, 0.424450884);
  EXPECT_EQ(m.categories, 4);
  EXPECT_EQ(m.rates_from, Origin::fixed);
  EXPECT_EQ(m.frequencies_from, Origin::fixed);
  EXPECT_EQ(m.alpha_from, Origin::fixed);
}

TEST(Notation, GammaHasMeansOrMedians) {
  EXPECT_FALSE(parse_model("GTR+G4m").gamma_medians);
  for (const char* text : {"GTR+GA", "GTR+G4a", "gtr+ga{0.5}", "GTR+G6A"}) {
    const Model m = parse_model(text);
    EXPECT_TRUE(m.gamma_medians) << text;
    EXPECT_EQ(parse_model(to_string(m)), m) << text;
  }
  EXPECT_EQ(to_string(parse_model("JC+GA{0.5}+IC")), "JC+IC+G4a{0.5}");
}

TEST(Notation, InvariantSitesAreCounted) {
  const Model m = parse_model("LG+IC");
  EXPECT_TRUE(m.with_invariant);
  EXPECT_EQ(m.invariant_from, Origin::empirical);
  EXPECT_EQ(parse_model(to_string(m)), m);
  EXPECT_EQ(parse_model("LG+IO"), parse_model("LG+I"));
}

TEST(Notation, RatesOfAminoAcidsMayBeZero) {
  std::string rates = "0";
  for (int i = 1; i < 190; ++i) rates += i == 189 ? "/0" : "/2";
  const Model m = parse_model("PROTGTR{" + rates + "}");
  EXPECT_EQ(m.rates[0], 0);
  EXPECT_EQ(m.rates[1], 2);
  EXPECT_EQ(parse_model(to_string(m)), m);
}

TEST(Notation, RatesAreRelativeToTheLast) {
  const Model m = parse_model("GTR{2/4/6/8/10/2}");
  EXPECT_EQ(m.rates, (std::vector<double>{1, 2, 3, 4, 5, 1}));
}

TEST(Notation, TwoRateModelsTakeOneTwoOrSixRates) {
  const std::vector<double> expected = {1, 2.5, 1, 1, 2.5, 1};
  for (const char* text : {"HKY{2.5}", "HKY{1/2.5}", "HKY{2/5}", "K80{1/2.5/1/1/2.5/1}"})
    EXPECT_EQ(parse_model(text).rates, expected) << text;
}

TEST(Notation, NamesOfDnaModelsSayWhichRatesAreTied) {
  const struct {
    const char* text;
    std::vector<double> rates;
    bool equal_frequencies;
  } all[] = {{"TN93{1/2/3}", {1, 2, 1, 1, 3, 1}, false},
             {"TN93ef{1/2/1/1/3/1}", {1, 2, 1, 1, 3, 1}, true},
             {"K81{2/4/8}", {1, 2, 4, 4, 2, 1}, true},
             {"TPM2uf{1/2/4}", {0.25, 0.5, 0.25, 1, 0.5, 1}, false},
             {"TPM3{1/2/4}", {0.25, 0.5, 1, 0.25, 0.5, 1}, true},
             {"TIM1uf{1/2/3/4}", {1, 2, 3, 3, 4, 1}, false},
             {"TIM2{3/6/2/4}", {1.5, 3, 1.5, 1, 2, 1}, true},
             {"TIM3uf{3/6/2/4}", {1.5, 3, 1, 1.5, 2, 1}, false},
             {"TVM{3/6/2/4/1}", {3, 6, 2, 4, 6, 1}, false},
             {"DNA000001{2/1}", {2, 2, 2, 2, 2, 1}, false}};
  for (const auto& one : all) {
    const Model m = parse_model(one.text);
    EXPECT_EQ(m.rates, one.rates) << one.text;
    EXPECT_EQ(m.equal_frequencies, one.equal_frequencies) << one.text;
    EXPECT_EQ(parse_model(to_string(m)), m) << to_string(m);
    // The number of free ones, each tied rate following its own.
    const auto groups = phylo::rate_groups(m);
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(groups[i] == groups[j], m.ties[i] == m.ties[j]) << one.text;
    EXPECT_EQ(phylo::free_rates(m), *std::max_element(m.ties.begin(), m.ties.end()) - '0') << one.text;
  }
}

TEST(Notation, GenotypesHaveRatesOfTheBaseThatChanges) {
  // Row by row: AA CC GG TT AC AG AT CG CT GT. As in RAxML-NG: 0 where both bases change, then AC, AG, AT, CG, CT, GT.
  const std::vector<int> of_bases = {0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 0, 1, 0, 0, 4, 5, 0, 0, 0, 2, 0, 4, 0,
                                     6, 0, 0, 3, 0, 5, 6, 4, 5, 2, 3, 0, 6, 1, 0, 3, 0, 1, 2, 6, 5, 4};
  EXPECT_EQ(phylo::tied_rates(parse_model("GTGTR4")), of_bases);
  std::vector<int> of_kinds = of_bases;  // transversions and transitions
  for (int& tie : of_kinds) tie = tie == 0 ? 0 : tie == 2 || tie == 5 ? 2 : 1;
  EXPECT_EQ(phylo::tied_rates(parse_model("GTHKY4")), of_kinds);
  EXPECT_EQ(phylo::free_rates(parse_model("GTGTR4")), 6);
  EXPECT_EQ(phylo::free_rates(parse_model("GTHKY4")), 2);
  EXPECT_EQ(phylo::free_rates(parse_model("GTGTR")), 44);
  EXPECT_EQ(phylo::free_rates(parse_model("GTJC")), 0);
  // CT to GT changes C to G, so that rate is the unit.
  const Model given = parse_model("GTGTR4{0/2/4/6/2/8/10}");
  const double by_tie[] = {0, 1, 2, 3, 1, 4, 5};
  for (std::size_t i = 0; i < of_bases.size(); ++i) EXPECT_EQ(given.rates[i], by_tie[of_bases[i]]) << i;
  EXPECT_EQ(to_string(given), "GTGTR4{0/1/2/3/1/4/5}+FO");
  EXPECT_EQ(parse_model("GTHKY4{0.1/1/3}").rates[4], 3);
  const struct {
    const char *theirs, *ours;
  } names[] = {{"GT10JC", "GTJC"}, {"GT10HKY+G", "GTHKY4+G"}, {"gt10+FC", "GTGTR4+FC"}, {"GT10GTR", "GTGTR"}};
  for (const auto& one : names) EXPECT_EQ(parse_model(one.theirs), parse_model(one.ours)) << one.theirs;
}

TEST(Notation, KnowsEverySourceOfFrequencies) {
  EXPECT_EQ(parse_model("HKY+F").frequencies_from, Origin::empirical);
  EXPECT_EQ(parse_model("HKY+FC").frequencies_from, Origin::empirical);
  EXPECT_EQ(parse_model("HKY+FO").frequencies_from, Origin::optimized);
  EXPECT_EQ(parse_model("HKY+FE").frequencies_from, Origin::fixed);
  EXPECT_EQ(parse_model("JC").frequencies_from, Origin::fixed);
}

TEST(Notation, TextAndModelMapToEachOther) {
  for (const char* text : {"JC",
                           "K80",
                           "F81+FC",
                           "SYM+I",
                           "HKY+FO+I+G8m",
                           "GTR+FC+G4m",
                           "K80{2.25}",
                           "GTR+FE+I{0.125}",
                           "LG",
                           "LG+FC+I+G4m",
                           "JTT-DCMut+FO+G4m{0.5}",
                           "cpREV+FE",
                           "mtREV+I{0.1}",
                           "LG+G4m+BU{1.5}",
                           "LG+R4",
                           "GTR+FO+I+R3",
                           "JC+R2{0.5/2}{0.6666666666666666/0.3333333333333333}",
                           "PROTGTR+FC",
                           "BIN+FC+G4m",
                           "TIM2+G4m",
                           "TVM+FO",
                           "DNA012110+FO",
                           "MULTI7_MK+FE",
                           "GTJC+FE+G4m",
                           "GTJC+FO",
                           "GTGTR+FC+I",
                           "GTGTR4+FO+R4",
                           "GTHKY4{0.5/1/3}+FE",
                           "GTGTR4{0.1/1.5/2/0.3/1/4/5}+FC",
                           "MULTI3_GTR{1.5/2/1}+FU{0.2/0.3/0.5}",
                           "GTR{1.5/2/0.3/4/5/1}+FU{0.1/0.2/0.3/0.4}+I{0.1}+G4m{0.37}"}) {
    const Model m = parse_model(text);
    EXPECT_EQ(to_string(m), text);
    EXPECT_EQ(parse_model(to_string(m)), m);
  }
}

TEST(Notation, AllValuesReproduceTheModelExactly) {
  Model m = parse_model("GTR+FO+I+G");
  m.rates = {1.0 / 3, 2.0 / 7, 3.1, 4.7, 1e-4, 1};
  m.frequencies = {0.1234567890123456, 0.2345678901234567, 0.3456789012345678, 0.2962964196296299};
  m.alpha = 0.1 + 0.2;
  m.invariant = 1.0 / 7;
  const Model again = parse_model(to_string_with_values(m));
  EXPECT_EQ(again.rates, m.rates);
  EXPECT_EQ(again.frequencies, m.frequencies);
  EXPECT_EQ(again.alpha, m.alpha);
  EXPECT_EQ(again.invariant, m.invariant);
}

TEST(Notation, FreeCategoriesHaveAMeanRateOfOne) {
  const Model m = parse_model("GTR+R3{1/2/10}{2/5/3}");
  EXPECT_EQ(m.categories, 3);
  EXPECT_EQ(m.free_category_shares, (std::vector<double>{0.2, 0.5, 0.3}));
  const auto& rates = m.free_category_rates;
  EXPECT_NEAR(0.2 * rates[0] + 0.5 * rates[1] + 0.3 * rates[2], 1, 1e-15);
  EXPECT_NEAR(rates[2] / rates[0], 10, 1e-12);
  const Model again = parse_model(phylo::to_string_with_values(m));
  EXPECT_EQ(again.free_category_rates, rates);
  EXPECT_EQ(again.free_category_shares, m.free_category_shares);
  // Over all sites, invariant ones included.
  Model with_invariant = m;
  with_invariant.with_invariant = true;
  with_invariant.invariant = 0.5;
  EXPECT_EQ(phylo::category_rates(with_invariant)[1], 2 * rates[1]);
  Model unsorted = parse_model("JC+R2{5/1}{1/3}");
  phylo::sort_free_categories(unsorted);
  EXPECT_EQ(unsorted.free_category_shares, (std::vector<double>{0.75, 0.25}));
  EXPECT_LT(unsorted.free_category_rates[0], unsorted.free_category_rates[1]);
}

TEST(Notation, IgnoresCaseAndBlanks) { EXPECT_EQ(parse_model("  gtr + g4 +i "), parse_model("GTR+G4+I")); }

TEST(Notation, ErrorsAreOneLineHoweverLongOrOddTheTextIs) {
  for (const std::string& text :
       {"GTR+" + std::string(100000, 'G'), std::string(100000, 'G'), std::string("GTR\x01\n\x7f"),
        "GTR" + std::string(1, '\0'), "GTR{" + std::string(100000, '1') + "x}"}) {
    try {
      parse_model(text);
      ADD_FAILURE() << "accepted";
    } catch (const phylo::input_error& e) {
      const std::string what = e.what();
      EXPECT_LT(what.size(), 1000u);
      for (const char c : what) EXPECT_TRUE(c >= 0x20 && c < 0x7f) << static_cast<int>(c);
    }
  }
}

struct Bad {
  const char* text;
  int column;
  const char* expected;
};

class BadModel : public testing::TestWithParam<Bad> {};

TEST_P(BadModel, IsOneErrorThatNamesColumnAndExpectation) {
  try {
    parse_model(GetParam().text, "some.model");
    FAIL() << "accepted: " << GetParam().text;
  } catch (const phylo::input_error& e) {
    const std::string what = e.what();
    EXPECT_EQ(what.rfind("some.model:1:" + std::to_string(GetParam().column) + ":", 0), 0u) << what;
    EXPECT_NE(what.find(GetParam().expected), std::string::npos) << what;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Notation, BadModel,
    testing::Values(
        Bad{"", 1, "expected a model"}, Bad{"XYZ+G", 1, "expected a model; maslin-phylo search --help lists them (for"},
        Bad{"WAGG+G", 1, "did you mean WAG?"}, Bad{"cpREF", 1, "did you mean cpREV?"}, Bad{"LG{1}", 3, "no rates"},
        Bad{"LG+FU{0.5/0.5}", 6, "expected 20 frequencies"}, Bad{"PROTGTR{1/2}", 8, "expected 190 rates, not 2"},
        Bad{"LG4X+F", 6, "each matrix of this mixture has frequencies of its own"},
        Bad{"LG4X+G5", 7, "expected 4 categories, one for each matrix of the mixture"},
        Bad{"LG4M+R3{1/1/1}{1/1/1}", 7, "expected 4 categories, one for each matrix of the mixture"},
        Bad{"LG4M+I", 6, "a mixture of matrices has no frequencies for sites that never change"},
        Bad{"LG4M{1}", 5, "this model has no rates to give"},
        Bad{"DNA", 1, "DNA is a kind of data, as in files of RAxML; expected a model in its place, such as GTR+G"},
        Bad{"K2P", 1, "expected a model"}, Bad{"TN93{1,2,3}", 7, "expected '/' or '}'"},
        Bad{"LG+G, p1 = 1-100", 5, "or the end"}, Bad{"LG+BU{0}", 7, "speed"}, Bad{"LG+B", 5, "+BU{1.5}"},
        Bad{"LG+G4 and more", 7, "expected '+'"}, Bad{"GTRGAMMA", 1, "expected GTR+G in its place"},
        Bad{"PROTGAMMAILGF", 1, "expected LG+F+I+G in its place"}, Bad{"BINCAT", 1, "expected BIN+G in its place"},
        Bad{"PROTGAMMAGTR", 1, "expected PROTGTR+G in its place"}, Bad{"LGGAMMA", 1, "expected a model"},
        Bad{"PROTGAMMALG4X", 1, "this is a name of RAxML's; expected LG4X in its place"},
        Bad{"PROTGAMMAILG4M", 1, "expected a model"}, Bad{"PROTCATLG4M", 1, "expected a model"},
        Bad{"PROTGAMMABIN", 1, "expected a model"}, Bad{"PROTGAMMAAUTO", 1, "expected a model"},
        Bad{"GTRGAMMAX", 1, "expected a model"}, Bad{"GTR+GAMMA", 5, "expected +G, +G4, +G4m, or +G4a"},
        Bad{"GTR+X", 5, "expected +F"}, Bad{"GTR G", 5, "expected '+'"}, Bad{"GTR+", 5, "expected +F"},
        Bad{"GTR+G+G", 6, "only once"}, Bad{"GTR{1/2}", 4, "six rates"}, Bad{"GTR{1/2/x/4/5/6}", 9, "a number"},
        Bad{"GTR{1/2/3/4/5/6", 16, "'/' or '}'"}, Bad{"GTR{1/2/3/4/5/-6}", 15, "above 0"},
        Bad{"HKY{1/2/1/1/3/1}", 13, "ties"}, Bad{"TN93{1/2}", 5, "3 different rates, or six"},
        Bad{"GTGTR4{1/2}", 7, "expected 7 rates {both bases/AC/AG/AT/CG/CT/GT}, not 2"},
        Bad{"GTHKY4{1}", 7, "expected 3 rates {both bases/transversions/transitions}, not 1"},
        Bad{"GTHKY4{1/0/2}", 10, "a rate above 0"}, Bad{"GTHKY4{-1/1/2}", 8, "a rate above 0"},
        Bad{"GTGTR{1/2}", 6, "expected 45 rates, not 2"}, Bad{"GTJC{1}", 5, "no rates"},
        Bad{"GTGTR4+FU{0.5/0.5}", 10, "expected 10 frequencies {A/C/G/T/M/R/W/S/Y/K}, not 2"},
        Bad{"GTGRT4", 1, "did you mean GTGTR4?"}, Bad{"DNA012", 1, "expected a model"},
        Bad{"DNA021000", 1, "expected a model"}, Bad{"JC{1}", 3, "no rates"}, Bad{"JC+FO", 4, "equal frequencies"},
        Bad{"GTR+FU{0.25/0.25/0.25}", 7, "four frequencies"}, Bad{"GTR+FU{0.5/0.25/0.25/0.25}", 7, "sum to 1"},
        Bad{"GTR+FU{0/0.5/0.25/0.25}", 8, "between 0 and 1"}, Bad{"GTR+FU", 7, "expected '{'"},
        Bad{"GTR+G1", 6, "categories"}, Bad{"GTR+G99", 6, "categories"}, Bad{"GTR+G4b", 7, "or the end"},
        Bad{"GTR+IC{0.1}", 7, "or the end"}, Bad{"PROTGTR{no.such.file}", 9, "or the name of a file that is there"},
        Bad{"GTR+G4{0}", 8, "shape"}, Bad{"GTR+I{1.5}", 7, "invariant"}, Bad{"GTR+I{nan}", 7, "a number"},
        Bad{"GTR{inf/1/1/1/1/1}", 5, "a number"}, Bad{"GTR+Q4", 5, "expected +F"}, Bad{"GTR+G+R", 6, "only once"},
        Bad{"GTR+R1", 6, "categories"}, Bad{"GTR+R3{1/2}{0.5/0.5}", 7, "expected 3 rates, not 2"},
        Bad{"GTR+R2{1/2}", 12, "expected the shares"}, Bad{"GTR+R2{1/2}{1}", 12, "expected 2 shares, not 1"},
        Bad{"GTR+R2{1/0}{1/1}", 10, "a rate above 0"}, Bad{"GTR+R2{1/2}{1/-1}", 15, "a share above 0"}));

TEST(Notation, DataWithoutConstantSites) {
  EXPECT_TRUE(parse_model("MULTI3_MK+G+ASC").ascertained());
  EXPECT_EQ(to_string(parse_model("bin+asc_lewis+g")), "BIN+FO+G4m+ASC_LEWIS");
  EXPECT_EQ(parse_model(to_string(parse_model("LG+ASC+BU{2}"))), parse_model("LG+ASC_LEWIS+BU{2}"));
  EXPECT_FALSE(parse_model("JC").ascertained());
  const phylo::Model counted = parse_model("JC+ASC_FELS{120}");
  EXPECT_EQ(counted.ascertainment, phylo::Ascertainment::felsenstein);
  EXPECT_EQ(counted.constant_sites, (std::vector<double>{120}));
  EXPECT_EQ(to_string(parse_model("GTR+asc_stam{ 10 / 0/3/7 }+G")), "GTR+FO+G4m+ASC_STAM{10/0/3/7}");
  EXPECT_EQ(parse_model(to_string(counted)), counted);
  for (const char* text :
       {"JC+ASC_FELS", "JC+ASC_FELS{}", "JC+ASC_FELS{1/2}", "JC+ASC_FELS{0}", "JC+ASC_FELS{-1}", "JC+ASC_FELS{1e13}",
        "JC+ASC_STAM{1/2/3}", "JC+ASC_STAM{0/0/0/0}", "BIN+ASC_STAM{1/2/3/4}", "JC+ASC_LEWIS{3}", "JC+I+ASC_FELS{3}",
        "JC+ASC_OTHER{3}", "JC+ASC+ASC", "JC+I+ASC", "JC+ASC_LEWIS+I{0.1}", "JC+A"})
    EXPECT_THROW(parse_model(text), phylo::input_error) << text;
}

Model of_iqtree(std::string_view text) { return parse_model(text, "in", {1, 1}, phylo::Notation::iqtree); }

TEST(NotationOfIqtree, NamesMeanWhatTheyMeanThere) {
  const struct {
    const char *theirs, *ours;
  } all[] = {{"TIM2", "TIM2uf+FC"},
             {"TIM2e", "TIM2"},
             {"tim2E+G", "TIM2+G"},
             {"TIM", "TIM1uf+FC"},
             {"TIM1", "TIM1uf+FC"},
             {"TIMe+I", "TIM1+I"},
             {"TIM3+F+R3", "TIM3uf+FC+R3"},
             {"TIM3e", "TIM3"},
             {"TN", "TN93+FC"},
             {"TN93", "TN93+FC"},
             {"TrN+FO", "TN93+FO"},
             {"TNe", "TN93ef"},
             {"K2P+FQ", "K80+FE"},
             {"K3P", "K81"},
             {"K3Pu+F", "K81uf+FC"},
             {"TPM1", "K81"},
             {"TPM1uf", "K81uf+FC"},
             {"TPM2", "TPM2uf+FC"},
             {"TPM2u+FQ", "TPM2uf+FE"},
             {"TPM3", "TPM3uf+FC"},
             {"TVM", "TVM+FC"},
             {"TVMe+ASC", "TVMef+ASC"},
             {"SYM", "SYM"},
             {"GTR", "GTR+FC"},
             {"REV+FO", "GTR+FO"},
             {"012232", "DNA012232+FC"},
             {"JC69", "JC"},
             {"LG+FQ", "LG+FE"},
             {"JTTDCMut+F", "JTT-DCMut+FC"},
             {"Poisson", "Poisson"},
             {"GTR2", "BIN+FO"},
             {"JC2+FQ", "BIN+FE"},
             {"JC2", "BIN+FE"},
             // Names that it does not know.
             {"TIM2uf", "TIM2uf+FC"},
             {"BIN", "BIN+FO"},
             {"MULTI4_MK+F", "MULTI4_MK+FC"},
             {"PROTGTR", "PROTGTR"}};
  for (const auto& one : all) {
    const Model m = of_iqtree(one.theirs);
    EXPECT_EQ(m, parse_model(one.ours)) << one.theirs;
    EXPECT_EQ(parse_model(to_string(m)), m) << one.theirs;
  }
}

TEST(NotationOfIqtree, ValuesAreSeparatedByCommasAndOverTheLast) {
  const struct {
    const char *theirs, *ours;
  } all[] = {{"HKY{3}+F{0.1,0.2,0.3,0.4}+I{0.2}+G4{0.5}", "HKY{3}+FU{0.1/0.2/0.3/0.4}+I{0.2}+G4{0.5}"},
             {"TN{2,3}", "TN93{1/2/1/1/3/1}+FC"},
             {"K3P{2,3}", "K81{1/2/3/3/2/1}"},
             {"TPM2{2,3}", "TPM2uf{2/3/2/1/3/1}+FC"},
             {"TPM3{2,3}", "TPM3uf{2/3/1/2/3/1}+FC"},
             {"TIM{2,3,5}", "TIM1uf{1/2/3/3/5/1}+FC"},
             {"TIM2{2,3,5}", "TIM2uf{2/3/2/1/5/1}+FC"},
             {"TIM3{2,3,5}", "TIM3uf{2/3/1/2/5/1}+FC"},
             {"TVM{2,3,5,7}", "TVM{2/3/5/7/3/1}+FC"},
             {"GTR{2, 3 ,5, 7,11}", "GTR{2/3/5/7/11/1}+FC"},
             {"GTR{2,3,5,7,11,2}", "GTR{2/3/5/7/11/2}+FC"},
             {"012323{2,3,5}", "DNA012323{2/3/5/1/5/1}+FC"},
             {"JC+R2{0.3,0.5,0.7,2}", "JC+R2{0.5/2}{0.3/0.7}"},
             {"LG4X", "LG4X+R4"},
             // Slashes are those of RAxML-NG.
             {"TN{2/3/1}+FU{0.1/0.2/0.3/0.4}", "TN93{2/3/1}+FU{0.1/0.2/0.3/0.4}"},
             {"JC+R2{0.5/2}{0.3/0.7}", "JC+R2{0.5/2}{0.3/0.7}"}};
  for (const auto& one : all) EXPECT_EQ(of_iqtree(one.theirs), parse_model(one.ours)) << one.theirs;
}

TEST(NotationOfIqtree, WhatItDoesNotMeanIsAnErrorWithItsColumn) {
  const Bad all[] = {{"TIM4", 1, "did you mean TIMe?"},
                     {"TIM2g", 1, "did you mean TIM2e?"},
                     {"C20+F", 1, "expected a model; maslin-phylo search --help lists them"},
                     {"DNA", 1, "DNA is a kind of data"},
                     {"MK+FQ", 1, "such as MULTI4_MK"},
                     {"TNe+F", 5, "equal frequencies by definition"},
                     {"JC2+F", 5, "equal frequencies by definition"},
                     {"HKY+FRY", 6, "expected '+'"},
                     {"HKY+F1x4", 6, "expected '+'"},
                     {"GTR+H4", 5, "expected +F"},
                     {"GTR*H4", 4, "expected '+'"},
                     {"TN{2,3,1}", 3, "expected 2 rates, not 3"},
                     {"TN{1,2,1,1,3,1}", 3, "expected 2 rates, not 6"},
                     {"F81{2}", 4, "no rates"},
                     {"TN{2,3/1}", 7, "expected ',' or '}'"},
                     {"HKY+F{0.1,0.2,0.7}", 6, "four frequencies"},
                     {"JC+R2{0.3,0.5,0.7}", 6, "expected 4 shares and rates {share,rate,...}, not 3"},
                     {"JC+R2{0.3,-0.5,0.7,2}", 11, "a rate above 0"}};
  for (const Bad& bad : all) {
    try {
      of_iqtree(bad.text);
      ADD_FAILURE() << "accepted: " << bad.text;
    } catch (const phylo::input_error& e) {
      const std::string what = e.what();
      EXPECT_EQ(what.rfind("in:1:" + std::to_string(bad.column) + ":", 0), 0u) << what;
      EXPECT_NE(what.find(bad.expected), std::string::npos) << what;
      EXPECT_LT(what.size(), 1000u);
    }
  }
}

}  // namespace
