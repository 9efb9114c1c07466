// Data that a model has made give its parameters back.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "phylo/like/engine.hpp"
#include "phylo/model/notation.hpp"
#include "phylo/model/spectrum.hpp"
#include "phylo/tree/grown_tree.hpp"

namespace {

using phylo::Engine;
using phylo::HalfEdge;
using phylo::Model;
using phylo::Patterns;
using phylo::Tree;

using Random = std::mt19937_64;

constexpr int taxa = 16;

double uniform(Random& random) { return std::uniform_real_distribution<double>(0, 1)(random); }

Tree random_tree(Random& random) {
  return phylo::grown_tree(taxa, random, [&] { return 0.05 + 0.25 * uniform(random); });
}

/// Sites that the model draws along the tree.
Patterns evolved(const Model& model, const Tree& tree, int sites, Random& random) {
  const auto n = static_cast<std::size_t>(model.states());
  const auto spectra = phylo::spectra(model);
  const auto spectrum_of = [&](std::size_t r) -> const phylo::Spectrum& {
    return spectra[spectra.size() == 1 ? 0 : r];
  };
  const auto rates = phylo::category_rates(model);
  const auto draw_of = [&](std::size_t count, const double* probabilities) {
    double u = uniform(random);
    std::size_t drawn = 0;
    while (drawn + 1 < count && u >= probabilities[drawn]) u -= probabilities[drawn++];
    return drawn;
  };
  const auto draw = [&](const double* probabilities) { return draw_of(n, probabilities); };
  // For each category what becomes of a state across the branch of a half-edge.
  std::vector<std::vector<phylo::Matrix>> across(rates.size());
  for (std::size_t r = 0; r < rates.size(); ++r)
    for (HalfEdge h = 0; h < tree.half_edges(); ++h)
      across[r].push_back(phylo::transition_matrix(spectrum_of(r), tree.length(h) * rates[r]));
  Patterns data;
  data.alphabet = model.alphabet;
  data.taxa = taxa;
  data.count = sites;
  data.codes.resize(static_cast<std::size_t>(taxa) * static_cast<std::size_t>(sites));
  data.weights.assign(static_cast<std::size_t>(sites), 1);
  for (int site = 0; site < sites; ++site) {
    const bool invariant = model.with_invariant && uniform(random) < model.invariant;
    const std::size_t r = model.has_free_categories() ? draw_of(rates.size(), model.free_category_shares.data())
                                                      : random() % rates.size();
    const std::size_t root = draw(spectrum_of(r).left.data());  // its first row is the frequencies
    std::vector<std::pair<HalfEdge, std::size_t>> stack;
    for (HalfEdge h : {taxa, taxa + 1, taxa + 2}) stack.emplace_back(h, root);
    while (!stack.empty()) {
      const auto [h, state] = stack.back();
      stack.pop_back();
      const std::size_t there = invariant ? state : draw(across[r][static_cast<std::size_t>(h)].data() + n * state);
      const HalfEdge far = tree.back(h);
      if (tree.is_tip(far))
        data.codes[static_cast<std::size_t>(far) * static_cast<std::size_t>(sites) + static_cast<std::size_t>(site)] =
            data.alphabet->find_set(std::uint32_t{1} << there);
      for (HalfEdge side = tree.next(far); side != far; side = tree.next(side)) stack.emplace_back(side, there);
    }
  }
  return data;
}

struct Case {
  const char* truth;
  const char* asked;
  int sites;
  const char* wrong;  ///< a model that explains the data worse
};

/// Fits what is asked for to data that `truth` has made; `wrong` is a model that explains them worse.
void expect_recovery(const Model& truth, const std::string& asked, int sites, const std::string& wrong_text) {
  Random random(31);
  const Tree tree = random_tree(random);
  const Patterns data = evolved(truth, tree, sites, random);
  Engine engine(data, phylo::parse_model(asked));
  Tree fitted = tree;
  const double lnl = engine.optimize(fitted, 0.01);
  EXPECT_GT(lnl, Engine(data, truth).evaluate(tree)) << "worse than the truth";
  const Model& found = engine.model();
  EXPECT_NEAR(std::log(found.alpha), std::log(truth.alpha), 0.2);
  EXPECT_NEAR(found.invariant, truth.invariant, 0.05);
  for (std::size_t i = 0; i < truth.frequencies.size(); ++i)
    EXPECT_NEAR(found.frequencies[i], truth.frequencies[i], 0.02) << i;
  for (std::size_t i = 0; i < truth.rates.size(); ++i)
    EXPECT_NEAR(found.rates[i], truth.rates[i], 0.25 * truth.rates[i]) << i;
  double expected = 0, length = 0;
  tree.for_each_branch([&](HalfEdge h) { expected += tree.length(h); });
  fitted.for_each_branch([&](HalfEdge h) { length += fitted.length(h); });
  EXPECT_NEAR(length / expected, 1, 0.08);
  Tree other = tree;
  Engine wrong(data, phylo::parse_model(wrong_text));
  EXPECT_LT(wrong.optimize(other, 0.1), lnl - 10);
}

class Recovery : public testing::TestWithParam<Case> {};

TEST_P(Recovery, OfWhatMadeTheData) {
  expect_recovery(phylo::parse_model(GetParam().truth), GetParam().asked, GetParam().sites, GetParam().wrong);
}

class RecoveryOfDna : public testing::TestWithParam<const char*> {};

TEST_P(RecoveryOfDna, OfWhatMadeTheData) {
  const std::string name = GetParam();
  Model truth = phylo::parse_model(name + "+G{0.5}");
  constexpr double rates[] = {2.5, 0.4, 4, 1.7, 0.6};
  const std::vector<int> groups = phylo::rate_groups(truth);
  for (std::size_t i = 0; i < groups.size(); ++i)
    truth.rates[i] = groups[i] == phylo::free_rates(truth) ? 1 : rates[groups[i]];
  if (!truth.equal_frequencies) truth.frequencies = {0.35, 0.15, 0.2, 0.3};
  expect_recovery(truth, name + "+G", 3000, "JC");
}

INSTANTIATE_TEST_SUITE_P(Models, RecoveryOfDna,
                         testing::Values("JC", "F81", "K80", "HKY", "TN93ef", "TN93", "K81", "K81uf", "TPM2", "TPM2uf",
                                         "TPM3", "TPM3uf", "TIM1", "TIM1uf", "TIM2", "TIM2uf", "TIM3", "TIM3uf",
                                         "TVMef", "TVM", "SYM", "GTR"));

TEST(Recovery, OfFreeRates) {
  Random random(32);
  const Model truth = phylo::parse_model("LG+R3{0.1/0.8/3}{0.4/0.35/0.25}");
  const Tree tree = random_tree(random);
  const Patterns data = evolved(truth, tree, 3000, random);
  Engine engine(data, phylo::parse_model("LG+R3"));
  Tree fitted = tree;
  const double lnl = engine.optimize(fitted, 0.01);
  EXPECT_GT(lnl, Engine(data, truth).evaluate(tree)) << "worse than the truth";
  const Model& found = engine.model();
  double mean = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(found.free_category_rates[i], truth.free_category_rates[i], 0.3 * truth.free_category_rates[i] + 0.05);
    EXPECT_NEAR(found.free_category_shares[i], truth.free_category_shares[i], 0.12);
    mean += found.free_category_rates[i] * found.free_category_shares[i];
  }
  EXPECT_NEAR(mean, 1, 1e-9);
  EXPECT_TRUE(std::is_sorted(found.free_category_rates.begin(), found.free_category_rates.end()));
  // No worse than with the same categories' rates in one form.
  for (const char* less : {"LG", "LG+G3"}) {
    Tree other = tree;
    Engine engine_of_less(data, phylo::parse_model(less));
    EXPECT_GE(lnl, engine_of_less.optimize(other, 0.01) - 0.01) << less;
  }
}

TEST(Recovery, OfTheCategoriesOfAMixture) {
  Random random(33);
  const Model truth = phylo::parse_model("LG4X+R4{0.2/0.6/1.2/2.5}{0.3/0.3/0.2/0.2}");
  const Tree tree = random_tree(random);
  const Patterns data = evolved(truth, tree, 3000, random);
  Engine engine(data, phylo::parse_model("LG4X"));
  Tree fitted = tree;
  const double lnl = engine.optimize(fitted, 0.01);
  EXPECT_GT(lnl, Engine(data, truth).evaluate(tree)) << "worse than the truth";
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(engine.model().free_category_rates[i], truth.free_category_rates[i], 0.25) << i;
    EXPECT_NEAR(engine.model().free_category_shares[i], truth.free_category_shares[i], 0.08) << i;
  }
  for (const char* wrong : {"LG+R4", "LG4M"}) {
    Tree other = tree;
    EXPECT_LT(Engine(data, phylo::parse_model(wrong)).optimize(other, 0.1), lnl - 10) << wrong;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, Recovery,
    testing::Values(
        Case{"LG+G{0.6}", "LG+G", 1500, "WAG+G"}, Case{"mtMAM+I{0.3}+G{1.5}", "mtMAM+I+G", 2000, "LG+I+G"},
        Case{"HIVb+FU{0.12/0.02/0.03/0.07/0.02/0.03/0.06/0.04/0.03/0.06/0.11/0.03/0.03/0.05/0.04/0.06/0.05/0.02/0.03/"
             "0.1}",
             "HIVb+FO", 1500, "HIVb"},
        Case{"BIN+FU{0.3/0.7}+G{0.5}", "BIN+FO+G", 6000, "BIN+FE"},
        Case{"GTGTR4{0.2/2/4/0.5/1/3/1.5}+FU{0.14/0.12/0.08/0.16/0.05/0.1/0.06/0.09/0.13/0.07}+G{0.7}", "GTGTR4+FO+G",
             4000, "GTHKY4+FO+G"},
        Case{"GTHKY4{0.3/1/4}", "GTHKY4+FE", 3000, "GTJC"},
        Case{"MULTI3_GTR{3/0.5/1}+FU{0.5/0.3/0.2}", "MULTI3_GTR+FO", 5000, "MULTI3_MK"}));

}  // namespace
