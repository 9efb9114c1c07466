#include "phylo/model/protein.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "phylo/model/notation.hpp"
#include "phylo/model/spectrum.hpp"

namespace {

using phylo::Model;
using phylo::ProteinMatrix;

std::string capitals(std::string_view name) {
  std::string out(name);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

TEST(ProteinMatrices, AreFoundByTheirNamesInAnyCase) {
  std::set<std::string> names;
  for (const ProteinMatrix* matrix : phylo::protein_matrices()) {
    EXPECT_TRUE(names.insert(capitals(matrix->name)).second) << matrix->name;
    EXPECT_EQ(phylo::find_protein_matrix(matrix->name), matrix);
    EXPECT_EQ(phylo::parse_model(capitals(matrix->name) + "+G").matrix, matrix);
    EXPECT_EQ(to_string(phylo::parse_model(capitals(matrix->name))), matrix->name);
  }
  EXPECT_EQ(names.size(), 33u);
  EXPECT_EQ(phylo::find_protein_matrix("DCMut-JTT"), &phylo::jtt_dcmut);
  EXPECT_EQ(phylo::parse_model("q.pfam_gb+F+I").matrix, &phylo::q_pfam_gb);
}

TEST(ProteinMixtures, HaveAMatrixForEachCategory) {
  EXPECT_EQ(phylo::find_protein_mixture("LG4Y"), nullptr);
  EXPECT_EQ(to_string(phylo::parse_model("lg4m")), "LG4M+G4m");
  EXPECT_EQ(to_string(phylo::parse_model("lg4x")), "LG4X+R4");
  EXPECT_EQ(to_string(phylo::parse_model("LG4X+G4a{0.5}")), "LG4X+G4a{0.5}");
  for (const phylo::ProteinMixture* mixture : phylo::protein_mixtures()) {
    const Model model = phylo::parse_model(mixture->name);
    EXPECT_EQ(model.mixture, mixture);
    EXPECT_EQ(model.categories, 4);
    const std::vector<phylo::Spectrum> spectra = phylo::spectra(model);
    ASSERT_EQ(spectra.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
      const ProteinMatrix& matrix = mixture->matrices[i];
      EXPECT_TRUE(std::all_of(matrix.rates.begin(), matrix.rates.end(), [](double r) { return r > 0; }));
      EXPECT_NEAR(std::accumulate(matrix.frequencies.begin(), matrix.frequencies.end(), 0.0), 1, 4e-6);
      // Time is scaled: a substitution is expected in each unit, of each matrix.
      const auto p = phylo::transition_matrix(spectra[i], 1e-6);
      double changed = 0;
      for (std::size_t state = 0; state < 20; ++state) changed += spectra[i].left[state] * (1 - p[21 * state]);
      EXPECT_NEAR(changed, 1e-6, 1e-10);
    }
  }
  // Le, Dang and Gascuel 2012: Ala-Arg, Ala-Asn and Tyr-Val; Ala.
  EXPECT_EQ(phylo::lg4m.matrices[0].rates[0], 0.269343);
  EXPECT_EQ(phylo::lg4m.matrices[0].rates[1], 0.254611);
  EXPECT_EQ(phylo::lg4m.matrices[0].rates[189], 0.416262);
  EXPECT_EQ(phylo::lg4x.matrices[3].frequencies[0], 0.106471);
}

TEST(ProteinMatrices, AreProcessesInWhichEveryAminoAcidCanBecomeEveryOther) {
  for (const ProteinMatrix* matrix : phylo::protein_matrices()) {
    EXPECT_TRUE(std::all_of(matrix->rates.begin(), matrix->rates.end(), [](double r) { return r >= 0; }));
    EXPECT_TRUE(
        std::all_of(matrix->frequencies.begin(), matrix->frequencies.end(), [](double f) { return f > 0.001; }));
    EXPECT_NEAR(std::accumulate(matrix->frequencies.begin(), matrix->frequencies.end(), 0.0), 1, 4e-6) << matrix->name;
    const Model model = phylo::model_of(*matrix);
    EXPECT_NEAR(std::accumulate(model.frequencies.begin(), model.frequencies.end(), 0.0), 1, 1e-14);
    const auto spectrum = phylo::decompose(model);
    EXPECT_LT(spectrum.values[1], -0.05) << matrix->name;
    const auto p = phylo::transition_matrix(spectrum, 0.5);
    for (std::size_t i = 0; i < 20; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < 20; ++j) {
        EXPECT_GT(p[20 * i + j], 0) << matrix->name;
        EXPECT_NEAR(model.frequencies[i] * p[20 * i + j], model.frequencies[j] * p[20 * j + i], 1e-14);
        sum += p[20 * i + j];
      }
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
}

TEST(ProteinMatrices, HaveThePublishedNumbersWhereTheyBelong) {
  // Le and Gascuel 2008: Ala-Arg, Ala-Asn, Arg-Asn, Tyr-Val; Ala and Val.
  const Model lg = phylo::parse_model("LG");
  EXPECT_EQ(lg.rates[0], 0.425093);
  EXPECT_EQ(lg.rates[1], 0.276818);
  EXPECT_EQ(lg.rates[19], 0.751878);
  EXPECT_EQ(lg.rates[189], 0.249313);
  EXPECT_NEAR(lg.frequencies[0], 0.079066, 1e-6);
  EXPECT_NEAR(lg.frequencies[19], 0.069147, 1e-6);
  // Minh et al. 2021: the same pairs.
  const Model pfam = phylo::parse_model("Q.pfam");
  EXPECT_EQ(pfam.rates[0], 0.531344742);
  EXPECT_EQ(pfam.rates[1], 0.266631781);
  EXPECT_EQ(pfam.rates[19], 0.610524242);
  EXPECT_NEAR(pfam.frequencies[0], 0.085788, 1e-6);
  // Dayhoff, Schwartz and Orcutt 1978: never seen are Arg-Asp and Cys-Lys.
  const Model dayhoff = phylo::parse_model("Dayhoff");
  EXPECT_EQ(dayhoff.rates[20], 0);
  EXPECT_EQ(dayhoff.rates[76], 0);
  const Model poisson = phylo::parse_model("Poisson");
  EXPECT_EQ(poisson.rates, std::vector<double>(190, 1));
  for (const double frequency : poisson.frequencies) EXPECT_NEAR(frequency, 0.05, 1e-15);
}

TEST(ProteinMatrices, HaveFrequenciesOfTheirOwnUnlessOthersAreAskedFor) {
  using phylo::Origin;
  EXPECT_EQ(phylo::parse_model("WAG").frequencies_from, Origin::fixed);
  EXPECT_TRUE(has_frequencies_of_matrix(phylo::parse_model("WAG")));
  EXPECT_EQ(phylo::parse_model("WAG+F").frequencies_from, Origin::empirical);
  EXPECT_EQ(phylo::parse_model("WAG+FC").frequencies_from, Origin::empirical);
  EXPECT_EQ(phylo::parse_model("WAG+FO").frequencies_from, Origin::optimized);
  EXPECT_EQ(phylo::parse_model("WAG+FE").frequencies[7], 0.05);
  EXPECT_FALSE(has_frequencies_of_matrix(phylo::parse_model("WAG+FE")));
  EXPECT_EQ(phylo::parse_model("PROTGTR").frequencies_from, Origin::optimized);
}

}  // namespace
