// Chains against posteriors that are computed exactly. Under JC a likelihood is a polynomial in u = e^(-4/3 length) of
// each branch, whose degree is the number of sites; with exponential lengths of rate 4/3, u is uniform in (0, 1). So
// Gauss and Legendre's quadrature gives the integral over all branch lengths without any error but rounding.

#include <array>
#include <cstdlib>
#include <map>
#include <numbers>
#include <numeric>

#include "maslin/runtime.hpp"
#include "phylo/mcmc/grid.hpp"
#include "phylo/mcmc/small_trees.hpp"
#include "phylo/model/notation.hpp"

namespace phylo {
namespace {

struct QuadratureNode {
  double u, weight;
};

/// Gives n nodes in (0, 1), exact for polynomials up to the degree 2n - 1.
std::vector<QuadratureNode> legendre(int n) {
  std::vector<QuadratureNode> nodes;
  for (int i = 0; i < n; ++i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5)), slope = 1;
    for (int newton = 0; newton < 50; ++newton) {
      double lower = 1, p = x;
      for (int k = 2; k <= n; ++k) lower = std::exchange(p, ((2 * k - 1) * x * p - (k - 1) * lower) / k);
      slope = n * (x * p - lower) / (x * x - 1);
      x -= p / slope;
    }
    nodes.push_back({(x + 1) / 2, 1 / ((1 - x * x) * slope * slope)});
  }
  return nodes;
}

using Partial = std::array<double, 4>;

/// Gives the likelihood of one pattern on the subtree that `h` opens, by base at its node.
Partial below(const Patterns& patterns, const Tree& tree, const std::vector<double>& u, HalfEdge h, int pattern) {
  Partial p;
  if (tree.is_tip(h)) {
    for (unsigned i = 0; i < 4; ++i) p[i] = patterns.row(h)[pattern] >> i & 1;
    return p;
  }
  p.fill(1);
  for (HalfEdge side = tree.next(h); side != h; side = tree.next(side)) {
    const Partial child = below(patterns, tree, u, tree.back(side), pattern);
    const double along = u[static_cast<std::size_t>(side)];
    const double mean = (child[0] + child[1] + child[2] + child[3]) / 4;
    for (unsigned i = 0; i < 4; ++i) p[i] *= along * child[i] + (1 - along) * mean;
  }
  return p;
}

double likelihood(const Patterns& patterns, const Tree& tree, const std::vector<double>& u) {
  double product = 1;
  for (int pattern = 0; pattern < patterns.count; ++pattern) {
    const Partial root = below(patterns, tree, u, tree.back(0), pattern);
    const Partial tip = below(patterns, tree, u, 0, pattern);
    const double mean = (root[0] + root[1] + root[2] + root[3]) / 4;
    double sum = 0;
    for (unsigned i = 0; i < 4; ++i) sum += tip[i] * (u[0] * root[i] + (1 - u[0]) * mean) / 4;
    for (std::uint32_t times = 0; times < patterns.weights[static_cast<std::size_t>(pattern)]; ++times) product *= sum;
  }
  return product;
}

struct Exact {
  std::map<std::uint64_t, double> topologies;  ///< posterior probability by fingerprint
  double similarity = 0;                       ///< posterior mean of u, over all branches
};

Exact exact_posterior(const Patterns& patterns) {
  const std::vector<QuadratureNode> nodes =
      legendre(patterns.sites() / 2 + 1);  // exact for u times the likelihood, too
  Exact exact;
  double total = 0;
  for (const Tree& tree : all_topologies(patterns.taxa)) {
    const std::vector<HalfEdge> branches = tree.branches();
    std::vector<std::size_t> at(branches.size(), 0);
    std::vector<double> u(static_cast<std::size_t>(tree.half_edges()));
    double sum = 0;
    while (true) {
      double weight = 1, mean = 0;
      for (std::size_t b = 0; b < branches.size(); ++b) {
        const HalfEdge h = branches[b];
        u[static_cast<std::size_t>(h)] = u[static_cast<std::size_t>(tree.back(h))] = nodes[at[b]].u;
        weight *= nodes[at[b]].weight;
        mean += nodes[at[b]].u / static_cast<double>(branches.size());
      }
      const double mass = weight * likelihood(patterns, tree, u);
      sum += mass;
      exact.similarity += mass * mean;
      std::size_t b = 0;
      while (b < at.size() && ++at[b] == nodes.size()) at[b++] = 0;
      if (b == at.size()) break;
    }
    exact.topologies[fingerprint(tree)] = sum;
    total += sum;
  }
  for (auto& [topology, mass] : exact.topologies) mass /= total;
  exact.similarity /= total;
  return exact;
}

/// Runs coupled chains and compares them with the exact posterior.
void compare(const Patterns& patterns, int chains, std::int64_t generations, std::uint64_t seed,
             const std::function<double(Move, double)>& hastings, double& variation, double& similarity_error) {
  const Exact exact = exact_posterior(patterns);
  GridSetup setup;
  setup.chain.patterns = &patterns;
  setup.chain.model = parse_model("JC");
  setup.chain.priors.branches = {Distribution::Kind::exponential, {4.0 / 3}};
  setup.chain.weights = {4, 4, 3, 1, 3, 0, 0, 0, 0, 0};
  setup.chain.extension = 0.8;
  setup.chain.seed = seed;
  setup.chain.tuned_generations = 20000;
  setup.chain.hastings = hastings;
  setup.runs = 1;
  setup.chains = chains;
  setup.temperature = 1;
  Grid grid(setup);
  grid.advance(setup.chain.tuned_generations);
  std::map<std::uint64_t, double> seen;
  double similarity = 0, samples = 0;
  constexpr int every = 10;
  while (grid.generation() < generations) {
    grid.advance(grid.generation() + every);
    const Tree& tree = grid.cold(0).tree;
    seen[fingerprint(tree)] += 1;
    double sum = 0;
    tree.for_each_branch([&](HalfEdge h) { sum += std::exp(-4.0 / 3 * tree.length(h)); });
    similarity += sum / (2 * tree.tips() - 3);
    samples += 1;
  }
  variation = 0;
  for (const auto& [topology, mass] : exact.topologies) variation += std::abs(mass - seen[topology] / samples) / 2;
  EXPECT_LE(seen.size(), exact.topologies.size());
  similarity_error = similarity / samples - exact.similarity;
}

const Patterns four = patterns_of({"ACGTACGTACGAA", "ACGTTCGAACGTA", "ACCTTCAATCTTG", "AGCTTCATTCGAC"});
const Patterns five = patterns_of({"ACGTACG", "ACGTTCG", "ACCTTCA", "AGCTTCA", "TGCAACA"});

TEST(Exact, TheQuadratureIsExact) {
  double integral = 0;
  for (const QuadratureNode& node : legendre(4)) integral += node.weight * std::pow(node.u, 7);
  EXPECT_NEAR(integral, 1.0 / 8, 1e-14);
}

TEST(Exact, FourTaxaHaveTheirPosterior) {
  double variation = 1, similarity = 1;
  compare(four, 1, 600000, 1, {}, variation, similarity);
  EXPECT_LE(variation, 0.01);
  EXPECT_NEAR(similarity, 0, 0.003);
}

TEST(Exact, FiveTaxaHaveTheirPosteriorWithHeatedChains) {
  double variation = 1, similarity = 1;
  compare(five, 2, 1200000, 2, {}, variation, similarity);
  EXPECT_LE(variation, 0.01);
  EXPECT_NEAR(similarity, 0, 0.003);
}

TEST(Exact, AWrongRatioIsFound) {
  double variation = 0, similarity = 0;
  const auto without_node_slider = [](Move move, double ratio) { return move == Move::node_slider ? 0 : ratio; };
  compare(four, 1, 200000, 3, without_node_slider, variation, similarity);
  EXPECT_GT(std::abs(similarity), 0.01);
}

}  // namespace
}  // namespace phylo
