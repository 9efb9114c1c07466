// The slopes of the likelihood by all rates and frequencies, against differences of it.

#include "phylo/like/gradient.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "phylo/like/engine.hpp"
#include "phylo/like/parameters.hpp"
#include "phylo/model/notation.hpp"
#include "phylo/search/random.hpp"
#include "phylo/tree/grown_tree.hpp"
#include "phylo/tree/rearrange.hpp"

namespace phylo {
namespace {

Tree random_tree(int taxa, Random& random) {
  Tree tree = grown_tree(taxa, random, [] { return 0.1; });
  tree.for_each_branch([&](HalfEdge h) { tree.set_length(h, std::exp(-4 + 4 * random.uniform())); });
  return tree;
}

/// Columns of which a third is constant, with ambiguous codes and weights.
Patterns random_patterns(const Alphabet& alphabet, int taxa, int count, Random& random) {
  Patterns p;
  p.alphabet = &alphabet;
  p.taxa = taxa;
  p.count = count;
  p.codes.resize(static_cast<std::size_t>(taxa * count));
  const auto code = [&](int below) {
    return static_cast<std::uint8_t>(random.below(static_cast<std::uint64_t>(below)));
  };
  const std::uint8_t first = alphabet.type == DataType::dna ? 1 : 0;  // DNA has no code 0
  for (int site = 0; site < count; ++site) {
    const auto common = static_cast<std::uint8_t>(first + code(alphabet.states));
    for (int taxon = 0; taxon < taxa; ++taxon)
      p.codes[static_cast<std::size_t>(taxon * count + site)] =
          site % 3 != 0 && random.uniform() < 0.4 ? static_cast<std::uint8_t>(first + code(alphabet.codes - first))
                                                  : common;
    p.weights.push_back(1 + code(4));
    p.pattern_of_site.push_back(site);
  }
  for (int taxon = 0; taxon < taxa; ++taxon) p.names.push_back("t" + std::to_string(taxon));
  return p;
}

/// The model with other rates and frequencies than it began with.
Model drawn(const std::string& text, Random& random) {
  Model m = parse_model(text);
  for (std::size_t i = 0; i + 1 < m.rates.size(); ++i) m.rates[i] = std::exp(4 * random.uniform() - 2);
  double sum = 0;
  for (double& f : m.frequencies) sum += f = 0.1 + random.uniform();
  for (double& f : m.frequencies) f /= sum;
  m.frequencies_from = Origin::fixed;
  return m;
}

class SlopesOfModel : public testing::TestWithParam<const char*> {};

TEST_P(SlopesOfModel, AreThoseOfDifferences) {
  Random random(11);
  const Model model = drawn(GetParam(), random);
  constexpr int taxa = 7, several_blocks = 300;
  const Patterns patterns = random_patterns(*model.alphabet, taxa, several_blocks, random);
  const Tree tree = random_tree(taxa, random);
  Engine engine(patterns, model);
  engine.evaluate(tree);
  const ModelSlopes slopes = engine.slopes_of_model(tree);
  ASSERT_EQ(slopes.by_rate.size(), model.rates.size());
  const auto likelihood = [&](const Model& m) {
    engine.set_model(m);
    return engine.evaluate(tree);
  };
  constexpr double width = 1e-5, tolerated = 2e-5;
  // Where a rate changes nothing, as the only one of two states, the difference is what evaluations round.
  const double rounded = 4 * std::numeric_limits<double>::epsilon() * std::abs(engine.evaluate(tree)) / width;
  double largest = 0;
  for (std::size_t i = 0; i < model.rates.size(); ++i) largest = std::max(largest, std::abs(slopes.by_rate[i]));
  for (std::size_t i = 0; i < model.rates.size(); i += 1 + model.rates.size() / 40) {
    Model left = model, right = model;
    left.rates[i] -= width;
    right.rates[i] += width;
    EXPECT_NEAR(slopes.by_rate[i], (likelihood(right) - likelihood(left)) / (2 * width),
                tolerated * (largest + 1e-6) + rounded)
        << i;
    EXPECT_GT(slopes.changes[i], 0);
  }
  // Frequencies sum to 1: what one gains another one loses.
  for (std::size_t i = 1; i < model.frequencies.size(); ++i) {
    constexpr double moved = 1e-6;
    Model left = model, right = model;
    left.frequencies[i] -= moved, left.frequencies[0] += moved;
    right.frequencies[i] += moved, right.frequencies[0] -= moved;
    const double expected = (likelihood(right) - likelihood(left)) / (2 * moved);
    EXPECT_NEAR(slopes.by_frequency[i] - slopes.by_frequency[0], expected, tolerated * (std::abs(expected) + 100)) << i;
    EXPECT_GT(slopes.draws[i], 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, SlopesOfModel,
                         testing::Values("PROTGTR", "PROTGTR+I{0.2}+G{0.4}", "PROTGTR+G5{0.8}",
                                         "PROTGTR+R3{0.2/1/4}{1/2/1}+I{0.1}", "MULTI7_GTR+G{1}", "MULTI20_GTR+BU{2}",
                                         "GTGTR+G{0.6}", "GTR+G{0.5}+I{0.1}", "GTR+R2{0.2/3}{1/2}", "BIN+G{0.7}"));

TEST(SlopesOfModel, OfAPartAreItsOwn) {
  Random random(12);
  const Model a = drawn("GTR+G{0.7}", random), b = drawn("PROTGTR+G{0.5}", random);
  const Patterns bases = random_patterns(*a.alphabet, 6, 40, random);
  const Patterns proteins = random_patterns(*b.alphabet, 6, 40, random);
  Tree tree = random_tree(6, random);
  Engine both({{&bases, &a}, {&proteins, &b}}), alone(proteins, b);
  EXPECT_EQ(both.slopes_of_model(tree, 1).by_rate, alone.slopes_of_model(tree).by_rate);
  const double before = both.evaluate(tree);
  Tree unlinked = tree;
  unlinked.unlink(2);
  tree.for_each_branch([&](HalfEdge h) {
    const BranchLength length(std::vector<double>{0.5, tree.length(h)});
    unlinked.set_length(h, length);
  });
  both.changed_everything();
  EXPECT_EQ(both.slopes_of_model(unlinked, 1).by_rate, alone.slopes_of_model(tree).by_rate);
  both.changed_everything();
  EXPECT_EQ(both.evaluate(tree), before);
}

TEST(SlopesOfModel, ThoseByParametersAreThoseOfDifferences) {
  Random random(13);
  const Model model = parse_model("MULTI7_GTR+FO+G{0.6}+I{0.1}");
  const Patterns patterns = random_patterns(*model.alphabet, 8, 100, random);
  const Tree tree = random_tree(8, random);
  Engine engine(patterns, model);
  ASSERT_TRUE(has_many_rates(model));
  std::vector<double> x = free_parameters(model);
  for (double& value : x) value = random.uniform() - 0.5;
  const auto likelihood = [&](const std::vector<double>& at) {
    engine.set_model(with_parameters(model, at));
    return engine.evaluate(tree);
  };
  likelihood(x);
  const Known known = known_slopes(engine.model(), engine.slopes_of_model(tree));
  ASSERT_EQ(known.slopes.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    constexpr double width = 1e-4;
    std::vector<double> left = x, right = x;
    left[i] -= width;
    right[i] += width;
    EXPECT_NEAR(known.slopes[i], (likelihood(right) - likelihood(left)) / (2 * width), 1e-4) << i;
    EXPECT_GT(known.bends[i], 0);
  }
}

}  // namespace
}  // namespace phylo
