// Simulation-based calibration (Talts and others 2018): trees and parameters are drawn from the priors, alignments are
// simulated from them, and chains sample what the alignments tell. Then the rank of what was drawn among the samples is
// uniform, whatever it is a rank of. The alignments come from code of this test's own: where it and the engine, a move
// or a prior do not mean the same, ranks are not uniform.

#include <array>
#include <map>
#include <string>
#include <vector>

#include "maslin/phase.hpp"
#include "phylo/mcmc/small_trees.hpp"
#include "phylo/mcmc/variates.hpp"
#include "phylo/model/gamma.hpp"
#include "phylo/model/notation.hpp"
#include "sanitized.hpp"

namespace phylo {
namespace {

using Matrix = std::array<std::array<double, 4>, 4>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 4; ++k) c[i][j] += a[i][k] * b[k][j];
  return c;
}

/// Gives how probable each base is after that length, for each that it may have been: e^(Q length) by its series.
Matrix after(double length, const Model& model) {
  constexpr std::size_t pair[4][4] = {{0, 0, 1, 2}, {0, 0, 3, 4}, {1, 3, 0, 5}, {2, 4, 5, 0}};
  const std::vector<double>& pi = model.frequencies;
  Matrix q{};
  double substitutions = 0;
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      if (i == j) continue;
      q[i][j] = model.rates[pair[i][j]] * pi[j];
      q[i][i] -= q[i][j];
      substitutions += pi[i] * q[i][j];
    }
  constexpr int halvings = 20;
  Matrix sum{}, term{};
  for (std::size_t i = 0; i < 4; ++i) sum[i][i] = term[i][i] = 1;
  for (int k = 1; k < 8; ++k) {
    term = product(term, q);
    for (auto& row : term)
      for (double& x : row) x *= length / substitutions / (1 << halvings) / k;
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) sum[i][j] += term[i][j];
  }
  for (int i = 0; i < halvings; ++i) sum = product(sum, sum);
  return sum;
}

template <class Chances>
std::size_t drawn(Random& random, const Chances& chances) {
  double left = random.uniform();
  std::size_t i = 0;
  while (i + 1 < std::size(chances) && left >= chances[i]) left -= chances[i++];
  return i;
}

constexpr std::int32_t taxa = 5;
constexpr int sites = 60;
constexpr int data_sets = sanitized ? 20 : 200;  // an hour under ThreadSanitizer

/// What is mistaken on purpose.
struct Mistake {
  double rate = 1;  ///< sites change so much faster than branch lengths say
  std::function<double(Move, double)> hastings;
};

Priors priors_of(const Model& model) {
  Priors p(model);
  p.branches.parameters = {2, 2, 1, 1};  // trees of length 1 in the mean: neither clear nor saturated
  for (double& shape : p.rates.parameters) shape = 3;
  for (double& shape : p.frequencies.parameters) shape = 3;
  return p;
}

/// Gives a tree and a model drawn from the priors.
ChainState truth(Random& random, const std::string& notation) {
  const Model asked_for = parse_model(notation);
  const Priors p = priors_of(asked_for);
  ChainState state;
  state.tree = random_topology(random, taxa, 1);
  const auto all = static_cast<std::size_t>(2 * taxa - 3);
  std::vector<double> parts(all, 1);
  dirichlet(random, parts.data(), all, parts.data());
  const double length = gamma_variate(random, p.branches.parameters[0]) / p.branches.parameters[1];
  std::size_t next = 0;
  state.tree.for_each_branch([&](HalfEdge h) { state.tree.set_length(h, length * parts[next++]); });
  Model& model = state.model = starting_model(asked_for, p);
  const Sampled sampled(model);
  if (sampled.rates > 0) {
    std::array<double, 6> distinct{};
    dirichlet(random, p.rates.parameters.data(), sampled.rates, distinct.data());
    for (std::size_t pair = 0; pair < 6; ++pair)
      model.rates[pair] = distinct[static_cast<std::size_t>(model.ties[pair] - '0')];
  }
  if (sampled.frequencies) dirichlet(random, p.frequencies.parameters.data(), 4, model.frequencies.data());
  if (sampled.kappa) {
    const double part = random.uniform();
    model.rates = {1, part / (1 - part), 1, 1, part / (1 - part), 1};
  }
  if (sampled.shape) model.alpha = -std::log(open_uniform(random));
  if (sampled.invariant) model.invariant = random.uniform();
  return state;
}

/// Gives an alignment that evolved on the tree.
Patterns simulated(Random& random, const ChainState& on, double rate) {
  const Model& model = on.model;
  const double varying = model.with_invariant ? 1 - model.invariant : 1;
  std::vector<double> rates = {1};
  if (model.categories > 1) rates = discrete_gamma(model.alpha, model.categories);
  std::map<std::pair<HalfEdge, std::size_t>, Matrix> along;
  for (HalfEdge h = 0; h < on.tree.half_edges(); ++h)
    for (std::size_t k = 0; k < rates.size(); ++k)
      along[{h, k}] = after(on.tree.length(h) * rates[k] / varying * rate, model);
  std::vector<std::string> rows(taxa, std::string(sites, ' '));
  for (std::size_t site = 0; site < sites; ++site) {
    const bool changes = random.uniform() < varying;
    const auto category = static_cast<std::size_t>(random.below(rates.size()));
    const std::function<void(HalfEdge, std::size_t)> grow = [&](HalfEdge h, std::size_t base) {
      if (on.tree.is_tip(h)) {
        rows[static_cast<std::size_t>(h)][site] = "ACGT"[base];
        return;
      }
      for (HalfEdge side = on.tree.next(h); side != h; side = on.tree.next(side))
        grow(on.tree.back(side), changes ? drawn(random, along[{side, category}][base]) : base);
    };
    const std::size_t root = drawn(random, model.frequencies);
    rows[0][site] = "ACGT"[root];
    grow(on.tree.back(0), changes ? drawn(random, along[{0, category}][root]) : root);
  }
  return patterns_of(rows);
}

/// Gives what ranks are made of, by name.
std::map<std::string, double> seen_of(const ChainState& state) {
  std::map<std::string, double> seen{{"log-likelihood", state.lnl},
                                     {"tree length", tree_length(state.tree)},
                                     {"a tip's branch", state.tree.length(0)},
                                     {"topology", static_cast<double>(fingerprint(state.tree) >> 12)}};
  const Sampled sampled(state.model);
  if (sampled.rates > 0)
    for (std::size_t i = 0; i < 6; ++i) seen["rate " + std::to_string(i)] = state.model.rates[i];
  if (sampled.kappa) seen["kappa"] = kappa_of(state.model);
  if (sampled.frequencies)
    for (std::size_t i = 0; i < 4; ++i) seen["frequency " + std::to_string(i)] = state.model.frequencies[i];
  if (sampled.shape) seen["shape"] = state.model.alpha;
  if (sampled.invariant) seen["invariant"] = state.model.invariant;
  return seen;
}

/// Gives the ranks, as parts of 1, that one data set adds. Among equals any rank is as good as another.
std::map<std::string, double> ranks_of(std::uint64_t number, const std::string& notation, const Mistake& mistake) {
  Random random(stream_seed(number, Draw::start_tree, 7));
  ChainState drawn_state = truth(random, notation);
  const Patterns patterns = simulated(random, drawn_state, mistake.rate);
  drawn_state.lnl = Engine(patterns, drawn_state.model).evaluate(drawn_state.tree);
  ChainSetup setup;
  setup.patterns = &patterns;
  setup.model = parse_model(notation);
  setup.priors = priors_of(setup.model);
  setup.weights = default_weights(Sampled(setup.model));
  setup.adapts.fill(true);
  setup.seed = number;
  setup.hastings = mistake.hastings;
  setup.tuned_generations = 2000;
  constexpr int burn_in = 3000, samples = 40, every = 250;
  Chain chain(setup, 0, 0);
  Tuning tuning = first_tuning(setup.weights);
  chain.advance(0, burn_in, 1, tuning);
  const std::map<std::string, double> true_values = seen_of(drawn_state);
  std::map<std::string, int> below, equal;
  for (int i = 0; i < samples; ++i) {
    chain.advance(burn_in + i * every, burn_in + (i + 1) * every, 1, tuning);
    for (const auto& [name, value] : seen_of(chain.state())) {
      below[name] += value < true_values.at(name);
      equal[name] += value == true_values.at(name);
    }
  }
  std::map<std::string, double> ranks;
  for (const auto& [name, value] : true_values)
    ranks[name] = (below[name] + (1 + equal[name]) * random.uniform()) / (samples + 1);
  return ranks;
}

/// Gives the statistic of Kolmogorov and Smirnov of each kind of rank.
std::map<std::string, double> deviations(const std::string& notation, const Mistake& mistake = {},
                                         int sets = data_sets) {
  std::vector<std::map<std::string, double>> ranks(static_cast<std::size_t>(sets));
  maslin::phase("calibration", sets, [&](std::int64_t i) {
    ranks[static_cast<std::size_t>(i)] = ranks_of(static_cast<std::uint64_t>(i), notation, mistake);
  });
  std::map<std::string, std::vector<double>> by_name;
  for (const auto& one : ranks)
    for (const auto& [name, rank] : one) by_name[name].push_back(rank);
  std::map<std::string, double> found;
  for (const auto& [name, all] : by_name) found[name] = kolmogorov_smirnov(all, [](double x) { return x; });
  return found;
}

class Calibration : public testing::TestWithParam<const char*> {};

TEST_P(Calibration, RanksAreUniform) {
  for (const auto& [name, deviation] : deviations(GetParam())) EXPECT_LT(deviation, rarely_passed) << name;
}
INSTANTIATE_TEST_SUITE_P(Models, Calibration, testing::Values("GTR+G+I", "HKY", "JC+G", "TIM2"));

TEST(Calibration, FindsDataThatEvolvedFaster) {
  if (sanitized) GTEST_SKIP() << "twenty data sets are too few to find it; the plain builds run this";
  EXPECT_GT(deviations("JC+G", {.rate = 1.5, .hastings = {}}, 100)["tree length"], rarely_passed);
}

TEST(Calibration, FindsAWrongRatio) {
  if (sanitized) GTEST_SKIP() << "twenty data sets are too few to find it; the plain builds run this";
  const auto without = [](Move move, double ratio) { return move == Move::tree_multiplier ? 0 : ratio; };
  EXPECT_GT(deviations("JC+G", {.hastings = without})["tree length"], rarely_passed);
}

}  // namespace
}  // namespace phylo
