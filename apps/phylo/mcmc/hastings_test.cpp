// Without data the chains sample their priors, whichever moves they make; and with a wrong Hastings ratio of any one
// move they do not. The two are told apart by the same statistic. That chains have the priors of all parameters, also
// where these are not the default ones, is tested in without_data_test.cpp.

#include <map>

#include "phylo/mcmc/variates.hpp"
#include "phylo/mcmc/without_data.hpp"

namespace phylo {
namespace {

double beta_1(double x, double other) { return 1 - std::pow(1 - x, other); }  // cumulative Beta(1, other)

int cherries(const Tree& tree) {
  int count = 0;
  for (const BranchSplit& split : inner_splits(tree)) {
    const std::int32_t one_side = size(split.split);
    count += (one_side == 2) + (one_side == tree.tips() - 2);
  }
  return count;
}

/// Topologies differ in how many pairs of neighbours they have. Gives how far the counts of these are off what they are
/// where all topologies are equally probable: chi squared, by its degree of freedom.
double shape_deviation(const Prior& prior) {
  std::vector<double> expected(8, 0), seen(8, 0);
  const std::vector<Tree> all = all_topologies(taxa);
  for (const Tree& tree : all)
    expected[static_cast<std::size_t>(cherries(tree))] += 1.0 / static_cast<double>(all.size());
  prior.run([&](const ChainState& state) { seen[static_cast<std::size_t>(cherries(state.tree))] += 1; });
  double sum = 0;
  int kinds = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == 0) continue;
    const double count = expected[i] * prior.samples;
    sum += (seen[i] - count) * (seen[i] - count) / count;
    ++kinds;
  }
  return sum / (kinds - 1);
}
constexpr double rarely_so_far_off = 8;  // once in 300 times for the two or three kinds here

/// Only one move, and those without which it does not reach everything.
Prior mostly(Move move) {
  Prior prior;
  switch (move) {
    case Move::nni:
    case Move::branch_multiplier:
    case Move::tree_multiplier:
    case Move::node_slider:
      prior.weights = {1, 0, 2, 1, 1, 0, 0, 0, 0, 0};
      break;
    case Move::extending_spr:
      prior.weights = {0, 1, 2, 1, 1, 0, 0, 0, 0, 0};
      break;
    default:
      break;
  }
  prior.weights[static_cast<std::size_t>(move)] = 3;
  // As bold as that, what these correct is large.
  if (move == Move::nni || move == Move::extending_spr) prior.boldness[static_cast<std::size_t>(move)] = 2;
  if (prior.weights[2] == 0 && move != Move::shape) prior.boldness[static_cast<std::size_t>(move)] = 10;
  prior.every = 40;
  return prior;
}

std::function<double(Move, double)> without(Move wrong) {
  return [wrong](Move move, double ratio) { return move == wrong ? 0 : ratio; };
}

std::function<double(Move, double)> inverted(Move wrong) {
  return [wrong](Move move, double ratio) { return move == wrong ? -ratio : ratio; };
}

// Tree lengths have an exponential prior of rate 0.1 by default, and Dirichlet(1, ...) parts.
double length_statistic(const Prior& prior) {
  return prior.statistic([](const ChainState& s) { return tree_length(s.tree); },
                         [](double x) { return exponential_1(0.1 * x); });
}

double part_statistic(const Prior& prior) {
  return prior.statistic([](const ChainState& s) { return s.tree.length(0) / tree_length(s.tree); },
                         [](double x) { return beta_1(x, 2 * taxa - 4); });
}

double inner_statistic(const Prior& prior) {
  return prior.statistic(
      [](const ChainState& s) {
        for (const HalfEdge h : s.tree.branches())
          if (!s.tree.is_tip(h)) return s.tree.length(h) / tree_length(s.tree);
        return 0.0;
      },
      [](double x) { return beta_1(x, 2 * taxa - 4); });
}

TEST(WithoutData, EveryTopologyIsAsProbable) { EXPECT_LT(shape_deviation(all_moves()), rarely_so_far_off); }

/// The statistic must not see anything in a right chain, and see each wrong one.
void expect_found(Move move, const std::function<double(const Prior&)>& statistic) {
  Prior prior = mostly(move);
  EXPECT_LT(statistic(prior), rarely_passed) << name_of(move);
  prior.hastings = without(move);
  EXPECT_GT(statistic(prior), 2 * rarely_passed) << name_of(move) << " without its ratio";
  prior.hastings = inverted(move);
  EXPECT_GT(statistic(prior), 2 * rarely_passed) << name_of(move) << " with the inverse of its ratio";
}

TEST(WrongHastingsRatio, OfTheBranchMultiplierIsFound) { expect_found(Move::branch_multiplier, part_statistic); }
TEST(WrongHastingsRatio, OfTheTreeMultiplierIsFound) { expect_found(Move::tree_multiplier, length_statistic); }
TEST(WrongHastingsRatio, OfTheNodeSliderIsFound) { expect_found(Move::node_slider, length_statistic); }
TEST(WrongHastingsRatio, OfNniIsFound) { expect_found(Move::nni, inner_statistic); }
TEST(WrongHastingsRatio, OfTheStretchOfSprIsFound) { expect_found(Move::extending_spr, inner_statistic); }

/// How far flows between topologies are from balance where all are equally probable: each is to be left for another one
/// as often as it is come to from there. Gives chi squared, less its mean, by its standard deviation.
double imbalance(double extension, const std::function<double(double)>& hastings) {
  constexpr int proposals = 4000;
  const std::vector<Tree> all = all_topologies(taxa);
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> flows;
  Random random(1);
  Model model;
  Step step;
  for (const Tree& tree : all) {
    const std::uint64_t from = fingerprint(tree);
    for (int i = 0; i < proposals; ++i) {
      Tree moved = tree;
      const auto place = taxa + static_cast<HalfEdge>(random.below(3 * (taxa - 2)));
      propose(Move::extending_spr, place, random, 0, extension, moved, model, step);
      if (std::log(open_uniform(random)) < hastings(step.log_hastings)) flows[{from, fingerprint(moved)}] += 1;
    }
  }
  double sum = 0, pairs = 0;
  for (const auto& [way, there] : flows) {
    if (way.first == way.second) continue;
    const auto found = flows.find({way.second, way.first});
    const double back = found == flows.end() ? 0 : found->second;
    sum += (there - back) * (there - back) / (there + back) / 2;  // each pair comes twice
    pairs += 0.5;
  }
  return (sum - pairs) / std::sqrt(2 * pairs);
}

TEST(WrongHastingsRatio, OfThePathOfSprIsFound) {
  constexpr double extension = 0.9;
  EXPECT_LT(imbalance(extension, [](double ratio) { return ratio; }), 4);
  // Without the ratio all topologies still come as often, but not where the data prefers some.
  EXPECT_GT(imbalance(extension, [](double) { return 0.0; }), 20);
  EXPECT_GT(imbalance(extension, [](double ratio) { return -ratio; }), 20);
}

TEST(WithoutData, NniAloneReachesEveryTopologyAsOften) {
  EXPECT_LT(shape_deviation(mostly(Move::nni)), rarely_so_far_off);
}

TEST(WrongHastingsRatio, OfTheDirichletMoveOfRatesIsFound) {
  expect_found(Move::rates, [](const Prior& prior) {
    return prior.statistic([](const ChainState& s) { return s.model.rates[1]; }, [](double x) { return beta_1(x, 5); });
  });
}

// The four transversions of TN93 have one part, which counts once, in the prior and in the ratio.
TEST(WrongHastingsRatio, OfTheDirichletMoveOfTiedRatesIsFound) {
  for (const std::size_t pair : {0u, 1u, 4u})
    expect_found(Move::rates, [pair](Prior prior) {
      prior.model = "TN93";
      return prior.statistic([pair](const ChainState& s) { return s.model.rates[pair]; },
                             [](double x) { return beta_1(x, 2); });
    });
}

TEST(WrongHastingsRatio, OfTheDirichletMoveOfTwentyFrequenciesIsFound) {
  expect_found(Move::frequencies, [](Prior prior) {
    prior.model = "WAG+FO";
    return prior.statistic([](const ChainState& s) { return s.model.frequencies[17]; },
                           [](double x) { return beta_1(x, 19); });
  });
}

TEST(WrongHastingsRatio, OfTheDirichletMoveOfFrequenciesIsFound) {
  expect_found(Move::frequencies, [](const Prior& prior) {
    return prior.statistic([](const ChainState& s) { return s.model.frequencies[1]; },
                           [](double x) { return beta_1(x, 3); });
  });
}

TEST(WrongHastingsRatio, OfTheMoveOfKappaIsFound) {
  expect_found(Move::kappa, [](Prior prior) {
    prior.model = "HKY";
    return prior.statistic([](const ChainState& s) { return kappa_of(s.model) / (1 + kappa_of(s.model)); },
                           [](double x) { return x; });
  });
}

TEST(WrongHastingsRatio, OfTheMultiplierOfTheShapeIsFound) {
  expect_found(Move::shape, [](const Prior& prior) {
    return prior.statistic([](const ChainState& s) { return s.model.alpha; }, exponential_1);
  });
}

TEST(WrongHastingsRatio, OfTheMoveOfInvariantSitesIsFound) {
  expect_found(Move::invariant, [](const Prior& prior) {
    return prior.statistic([](const ChainState& s) { return s.model.invariant; }, [](double x) { return x; });
  });
}

}  // namespace
}  // namespace phylo
