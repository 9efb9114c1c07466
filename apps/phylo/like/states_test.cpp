// The engine on data of other than four states, against the plain formulas: amino acids, binary characters, and numbers
// of states between those that there are kernels for.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "phylo/io/error.hpp"
#include "phylo/like/engine.hpp"
#include "phylo/like/reference.hpp"
#include "phylo/model/notation.hpp"
#include "phylo/tree/grown_tree.hpp"

namespace {

using phylo::Engine;
using phylo::Fit;
using phylo::HalfEdge;
using phylo::Model;
using phylo::Patterns;
using phylo::Tree;

using Random = std::mt19937_64;

double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

/// Patterns of taxa that resemble each other, some sites constant, some codes ambiguous.
Patterns random_patterns(const phylo::Alphabet& alphabet, int taxa, int count, unsigned seed) {
  Random random(seed);
  Patterns p;
  p.alphabet = &alphabet;
  p.taxa = taxa;
  p.count = count;
  p.codes.resize(static_cast<std::size_t>(taxa) * count);
  const auto draw = [&](int below) { return static_cast<std::uint8_t>(random() % static_cast<unsigned>(below)); };
  for (int site = 0; site < count; ++site) {
    const std::uint8_t common = draw(alphabet.states);
    const double variety = site % 3 == 0 ? 0 : 0.4;
    for (int taxon = 0; taxon < taxa; ++taxon) {
      std::uint8_t code = uniform(random, 0, 1) < variety ? draw(alphabet.states) : common;
      if (random() % 20 == 0) code = draw(alphabet.codes);
      p.codes[static_cast<std::size_t>(taxon) * count + site] = code;
    }
    p.weights.push_back(1 + draw(4));
  }
  for (int taxon = 0; taxon < taxa; ++taxon) p.names.push_back("t" + std::to_string(taxon));
  return p;
}

Tree random_tree(int taxa, unsigned seed, bool caterpillar = false) {
  Random random(seed);
  const auto length = [&] { return std::exp(uniform(random, std::log(1e-3), std::log(0.8))); };
  return phylo::grown_tree(taxa, random, length, caterpillar);
}

/// The model with random rates and frequencies as far as its family has any.
Model drawn(const std::string& text, unsigned seed) {
  Model m = phylo::parse_model(text);
  Random random(seed);
  if (phylo::free_rates(m) > 0)
    for (std::size_t i = 0; i + 1 < m.rates.size(); ++i) m.rates[i] = std::exp(uniform(random, -2, 2));
  m.rates_from = phylo::Origin::fixed;
  double sum = 0;
  for (double& f : m.frequencies) sum += f = uniform(random, 0.1, 1);
  for (double& f : m.frequencies) f /= sum;
  m.frequencies_from = phylo::Origin::fixed;
  return m;
}

class States : public testing::TestWithParam<const char*> {
 protected:
  Model model = drawn(GetParam(), 5);
  const phylo::Alphabet& alphabet = *model.alphabet;
};

TEST_P(States, LogLikelihoodIsThatOfTheReferenceAtEveryBranch) {
  const Patterns patterns = random_patterns(alphabet, 9, 61, 3);
  const Tree tree = random_tree(9, 4);
  const double expected = phylo::reference::log_likelihood(patterns, model, tree, 0);
  Engine engine(patterns, model);
  for (HalfEdge h = 0; h < tree.half_edges(); ++h)
    EXPECT_NEAR(engine.evaluate(tree, h), expected, 1e-11 * std::abs(expected)) << h;
}

/// How probable each state is at the node of `h`, as Engine::states_at has it.
/// Nothing of data that the model excludes.
std::vector<double> reference_states(const Patterns& patterns, const Model& model,
                                     const std::vector<phylo::Spectrum>& spectra, const Tree& tree, HalfEdge h,
                                     int pattern) {
  const auto n = static_cast<std::size_t>(model.states());
  const std::vector<double> rates = phylo::category_rates(model), shares = phylo::category_shares(model);
  std::uint32_t common = patterns.alphabet->all();
  for (int taxon = 0; taxon < patterns.taxa; ++taxon) common &= patterns.alphabet->sets[patterns.row(taxon)[pattern]];
  std::vector<double> of(n, 0);
  long double sum = 0;
  std::vector<long double> exact(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (model.with_invariant && (common >> i & 1)) exact[i] = model.invariant * model.frequencies[i];
    for (std::size_t r = 0; r < rates.size(); ++r) {
      const phylo::Spectrum& spectrum = spectra[spectra.size() == 1 ? 0 : r];
      const auto near = phylo::reference::partial(patterns, spectrum, tree, h, pattern, rates[r]);
      const auto far = phylo::reference::partial(patterns, spectrum, tree, tree.back(h), pattern, rates[r]);
      const phylo::Matrix across = phylo::transition_matrix(spectrum, tree.length(h) * rates[r]);
      for (std::size_t j = 0; j < n; ++j)
        exact[i] += (model.with_invariant ? 1 - model.invariant : 1) * shares[r] * spectrum.left[i] * near[i] *
                    across[n * i + j] * far[j];
    }
    sum += exact[i];
  }
  if (sum == 0) return {};
  for (std::size_t i = 0; i < n; ++i) of[i] = static_cast<double>(exact[i] / sum);
  return of;
}

TEST_P(States, OfANodeAreThoseOfTheReferenceFromAllItsBranches) {
  const Patterns patterns = random_patterns(alphabet, 5, alphabet.states > 7 ? 3 : 20, 7);
  const Tree tree = random_tree(5, 8);
  const std::vector<phylo::Spectrum> spectra = phylo::spectra(model);
  Engine engine(patterns, model);
  for (HalfEdge h = 5; h < tree.half_edges(); ++h) {
    const std::vector<std::vector<double>> of = engine.states_at(tree, h);
    ASSERT_EQ(of.size(), static_cast<std::size_t>(alphabet.states));
    for (int pattern = 0; pattern < patterns.count; ++pattern) {
      const std::vector<double> expected = reference_states(patterns, model, spectra, tree, h, pattern);
      for (std::size_t state = 0; state < expected.size(); ++state)
        EXPECT_NEAR(of[state][static_cast<std::size_t>(pattern)], expected[state], 1e-10) << h << ' ' << pattern;
    }
  }
  // Nothing of it stays.
  EXPECT_EQ(engine.evaluate(tree), Engine(patterns, model).evaluate(tree));
}

TEST_P(States, OfANodeInADeepTreeAddUpToOne) {
  const Patterns patterns = random_patterns(alphabet, 400, 5, 9);
  Tree tree = random_tree(400, 10, true);
  tree.for_each_branch([&](HalfEdge h) { tree.set_length(h, 3 * tree.length(h)); });
  Engine engine(patterns, model);
  for (const HalfEdge h : {400, 400 + 3 * 200}) {
    const std::vector<std::vector<double>> of = engine.states_at(tree, h), other = engine.states_at(tree, tree.next(h));
    for (std::size_t pattern = 0; pattern < 5; ++pattern) {
      double sum = 0;
      for (std::size_t state = 0; state < of.size(); ++state) {
        sum += of[state][pattern];
        EXPECT_NEAR(of[state][pattern], other[state][pattern], 1e-9);
      }
      EXPECT_NEAR(sum, 1, 1e-12);
    }
  }
}

TEST_P(States, DeepTreesAreScaledOutOfUnderflow) {
  const Patterns patterns = random_patterns(alphabet, 400, 5, 5);
  Tree tree = random_tree(400, 6, true);
  tree.for_each_branch([&](HalfEdge h) { tree.set_length(h, 3 * tree.length(h)); });
  const double expected = phylo::reference::log_likelihood(patterns, model, tree, 0);
  Engine engine(patterns, model);
  for (HalfEdge h : {0, 200, 400 + 3 * 200})
    EXPECT_NEAR(engine.evaluate(tree, h), expected, 1e-10 * std::abs(expected));
}

TEST_P(States, FloatsAreDoublesThatAreRounded) {
  Engine::Options floats;
  floats.precision = phylo::Precision::binary32;
  for (const bool caterpillar : {false, true}) {
    Patterns patterns = random_patterns(alphabet, 200, 40, 5);
    // Of what no tree can have made, neither has a likelihood.
    for (std::uint8_t& code : patterns.codes)
      if (alphabet.sets[code] == 0) code = alphabet.unknown;
    const Tree tree = random_tree(200, 6, caterpillar);
    Engine exact(patterns, model), rounded(patterns, model, floats);
    for (HalfEdge h : {0, 100, 200 + 3 * 100}) {
      const double expected = exact.evaluate(tree, h), found = rounded.evaluate(tree, h);
      EXPECT_NEAR(found, expected, 1e-6 * std::abs(expected));
      EXPECT_NE(found, expected);
    }
  }
}

TEST_P(States, MakenewzEndsWhereTheSlopeIsNone) {
  const Patterns patterns = random_patterns(alphabet, 9, 120, 12);
  Tree tree = random_tree(9, 13);
  Engine engine(patterns, model);
  for (HalfEdge h : tree.branches()) {
    const double best = engine.makenewz(tree, h, 64).of(0), old = tree.length(h);
    const auto at = [&](double length) {
      tree.set_length(h, length);
      engine.changed(tree, h);
      return engine.evaluate(tree, h);
    };
    const double width = 1e-3 * best, top = at(best);
    if (best < 1e-4) {
      EXPECT_GE(top, at(best + 1e-3) - 1e-6);
    } else {
      const double slope = (at(best + width) - at(best - width)) / (2 * width);
      const double bend = (at(best + width) - 2 * top + at(best - width)) / (width * width);
      // What another step of Newton's method would gain.
      EXPECT_LT(slope * slope / (2 * std::abs(bend)), 1e-4) << best;
    }
    at(old);
  }
}

TEST_P(States, InsertionIsTheLikelihoodOfTheTreeThatItDescribes) {
  const Patterns patterns = random_patterns(alphabet, 8, 50, 18);
  for (const HalfEdge joint : {8 + 4, 8 + 9, 8 + 13}) {
    Tree tree = random_tree(8, 19);
    Engine engine(patterns, model);
    engine.evaluate(tree, 3);
    const HalfEdge a = tree.next(joint), b = tree.next(a);
    const double joined = tree.length(a) + tree.length(b);
    const HalfEdge near = tree.disconnect(a), far = tree.disconnect(b);
    tree.connect(near, far, joined);
    for (HalfEdge h : {a, b, near, far}) engine.changed(tree, h);
    const auto tried = engine.insertion(tree, tree.back(joint), near, tree.length(joint), Fit::all, 2);
    tree.disconnect(near);
    tree.connect(a, near, tried.near);
    tree.connect(b, far, tried.far);
    tree.set_length(joint, tried.pendant);
    const double expected = Engine(patterns, model).evaluate(tree, near);
    EXPECT_NEAR(tried.lnl, expected, 1e-10 * std::abs(expected));
  }
}

TEST_P(States, ProposalsThatAreRejectedLeaveTheLikelihoodAsItWas) {
  const Patterns patterns = random_patterns(alphabet, 8, 50, 20);
  Tree tree = random_tree(8, 21);
  for (const auto precision : {phylo::Precision::binary64, phylo::Precision::binary32}) {
    Engine::Options options;
    options.precision = precision;
    Model other = model;
    std::swap(other.frequencies.front(), other.frequencies.back());
    const double expected = Engine(patterns, other, options).evaluate(tree, 8);
    options.proposals = true;
    Engine engine(patterns, model, options);
    const double before = engine.evaluate(tree, 8);
    EXPECT_EQ(engine.propose(tree, other, 8), expected);
    engine.reject();
    engine.changed_everything();
    EXPECT_EQ(engine.evaluate(tree, 8), before);
  }
}

INSTANTIATE_TEST_SUITE_P(Alphabets, States,
                         testing::Values("PROTGTR", "PROTGTR+I{0.2}+G{0.4}", "PROTGTR+G5{0.8}", "BIN+G{0.6}",
                                         "BIN+I{0.3}", "MULTI3_GTR+G{1}", "MULTI7_MK+I{0.1}+G{0.5}", "MULTI20_GTR",
                                         "GTGTR4+G{0.6}", "GTJC+I{0.2}+G{1}", "GTGTR+ASC_LEWIS", "BIN+ASC_LEWIS",
                                         "MULTI3_GTR+G{1}+ASC_LEWIS", "GTR+R3{0.2/1/3}{3/2/1}+ASC_LEWIS",
                                         "PROTGTR+G5{0.8}+ASC_LEWIS", "MULTI3_GTR+ASC_FELS{40}",
                                         "PROTGTR+G{0.8}+ASC_FELS{7}", "GTR+G{0.5}+ASC_STAM{10/0/3/7}",
                                         "BIN+ASC_STAM{100/20}", "LG4M+G{0.5}",
                                         "LG4X+R4{0.2/0.6/1.2/2.5}{0.3/0.3/0.2/0.2}", "LG4M+G{0.7}+ASC_LEWIS"));

TEST(StatesOfEngine, MustBeThoseOfTheModel) {
  const Patterns proteins = random_patterns(phylo::protein_alphabet(), 5, 10, 1);
  EXPECT_THROW(Engine(proteins, phylo::parse_model("JC")), phylo::input_error);
  Engine engine(proteins, drawn("PROTGTR", 1));
  EXPECT_THROW(engine.set_model(phylo::parse_model("JC")), phylo::input_error);
}

TEST(StatesOfEngine, FourOfAnyAlphabetAreTheSame) {
  // The same columns as bases and as characters of four states.
  Patterns numbers = random_patterns(phylo::multistate_alphabet(4), 7, 90, 2), bases = numbers;
  bases.alphabet = &phylo::dna_alphabet();
  // Codes of bases are their sets.
  for (std::uint8_t& code : bases.codes) code = static_cast<std::uint8_t>(numbers.alphabet->sets[code]);
  const Tree tree = random_tree(7, 3);
  Model of_numbers = drawn("MULTI4_GTR+G{0.7}+I{0.1}", 4), of_bases = phylo::parse_model("GTR+G{0.7}+I{0.1}");
  of_bases.rates = of_numbers.rates;
  of_bases.frequencies = of_numbers.frequencies;
  of_bases.frequencies_from = phylo::Origin::fixed;
  EXPECT_EQ(Engine(numbers, of_numbers).evaluate(tree), Engine(bases, of_bases).evaluate(tree));
}

}  // namespace
