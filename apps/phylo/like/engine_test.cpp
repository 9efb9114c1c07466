#include "phylo/like/engine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "phylo/io/error.hpp"
#include "phylo/like/gradient.hpp"
#include "phylo/like/reference.hpp"
#include "phylo/like/state.hpp"
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
Patterns random_patterns(int taxa, int count, unsigned seed) {
  Random random(seed);
  Patterns p;
  p.taxa = taxa;
  p.count = count;
  p.codes.resize(static_cast<std::size_t>(taxa) * count);
  for (int site = 0; site < count; ++site) {
    const unsigned common = 1u << (random() % 4);
    const double variety = site % 3 == 0 ? 0 : 0.4;
    for (int taxon = 0; taxon < taxa; ++taxon) {
      unsigned code = uniform(random, 0, 1) < variety ? 1u << (random() % 4) : common;
      if (random() % 20 == 0) code |= 1u << (random() % 4);
      if (random() % 30 == 0) code = 15;
      p.codes[static_cast<std::size_t>(taxon) * count + site] = static_cast<std::uint8_t>(code);
    }
    p.weights.push_back(1 + static_cast<std::uint32_t>(random() % 4));
  }
  for (int taxon = 0; taxon < taxa; ++taxon) p.names.push_back("t" + std::to_string(taxon));
  return p;
}

/// Patterns of taxa of which neighbours in number are nearly equal, so that subtrees of a caterpillar show few columns.
Patterns similar_patterns(int taxa, int count, int changes, unsigned seed) {
  Random random(seed);
  Patterns p = random_patterns(taxa, count, seed);
  for (int site = 0; site < count; ++site) {
    unsigned code = 1u << (random() % 4);
    for (int taxon = 0; taxon < taxa; ++taxon) {
      if (static_cast<int>(random() % static_cast<unsigned>(taxa)) < changes) code = 1u << (random() % 4);
      p.codes[static_cast<std::size_t>(taxon) * count + site] = static_cast<std::uint8_t>(code);
    }
  }
  return p;
}

double random_length(Random& random) { return std::exp(uniform(random, std::log(1e-3), std::log(0.8))); }

Tree random_tree(int taxa, unsigned seed, bool caterpillar = false) {
  Random random(seed);
  return phylo::grown_tree(
      taxa, random, [&] { return random_length(random); }, caterpillar);
}

std::vector<Model> models() {
  return {phylo::parse_model("JC"),
          phylo::parse_model("HKY{3.1}+FU{0.4/0.1/0.2/0.3}"),
          phylo::parse_model("GTR{1.2/4/0.3/0.7/6/1}+FU{0.3/0.15/0.25/0.3}+G4{0.4}"),
          phylo::parse_model("GTR{1.2/4/0.3/0.7/6/1}+FU{0.3/0.15/0.25/0.3}+I{0.2}+G5{0.8}"),
          phylo::parse_model("K80{2.2}+I{0.3}"),
          phylo::parse_model("HKY{3.1}+FU{0.4/0.1/0.2/0.3}+R3{0.1/0.8/3}{0.2/0.5/0.3}"),
          phylo::parse_model("GTR{1.2/4/0.3/0.7/6/1}+FU{0.3/0.15/0.25/0.3}+I{0.2}+R5{0.1/0.5/1/2/5}{3/5/1/2/1}")};
}

TEST(Engine, IsTheSumOverAllBasesOfInnerNodes) {
  const Patterns patterns = random_patterns(5, 40, 1);
  const Tree tree = random_tree(5, 2);
  const Model model = phylo::parse_model("GTR{1.2/4/0.3/0.7/6/1}+FU{0.3/0.15/0.25/0.3}");
  const auto spectrum = phylo::decompose(model);
  double expected = 0;
  for (int p = 0; p < patterns.count; ++p) {
    double likelihood = 0;
    // Tips of ambiguous codes are summed over as well.
    for (int bases = 0; bases < 1 << 16; ++bases) {
      const auto base = [&](phylo::Node v) { return static_cast<std::size_t>(bases >> (2 * v) & 3); };
      bool possible = true;
      for (int tip = 0; tip < 5; ++tip) possible &= patterns.row(tip)[p] >> base(tip) & 1;
      if (!possible) continue;
      double term = model.frequencies[base(5)];
      // Away from node 5, branch by branch.
      std::vector<HalfEdge> stack = {5, 6, 7};
      while (!stack.empty()) {
        const HalfEdge h = stack.back(), far = tree.back(h);
        stack.pop_back();
        term *= phylo::transition_matrix(spectrum, tree.length(h))[4 * base(tree.node(h)) + base(tree.node(far))];
        for (HalfEdge side = tree.next(far); side != far; side = tree.next(side)) stack.push_back(side);
      }
      likelihood += term;
    }
    expected += patterns.weights[static_cast<std::size_t>(p)] * std::log(likelihood);
  }
  EXPECT_NEAR(Engine(patterns, model).evaluate(tree), expected, 1e-10 * std::abs(expected));
}

TEST(Engine, AgreesWithTheReferenceForEveryModelAndAtEveryBranch) {
  for (const Model& model : models()) {
    const Patterns patterns = random_patterns(11, 77, 3);
    const Tree tree = random_tree(11, 4);
    const double expected = phylo::reference::log_likelihood(patterns, model, tree, 0);
    Engine engine(patterns, model);
    for (HalfEdge h = 0; h < tree.half_edges(); ++h)
      EXPECT_NEAR(engine.evaluate(tree, h), expected, 1e-11 * std::abs(expected)) << to_string(model) << " at " << h;
  }
}

TEST(Engine, ScalesDeepTreesOutOfUnderflow) {
  for (const char* text : {"GTR{1.2/4/0.3/0.7/6/1}+FU{0.3/0.15/0.25/0.3}+G4{0.4}", "K80{2.2}+I{0.3}+G4{0.7}"}) {
    const Model model = phylo::parse_model(text);
    const Patterns patterns = random_patterns(500, 19, 5);
    Tree tree = random_tree(500, 6, true);
    tree.for_each_branch([&](HalfEdge h) { tree.set_length(h, 3 * tree.length(h)); });
    // A pattern of 500 taxa may be as unlikely as 4^-500 = 1e-301 at the best, and most are less likely.
    const double expected = phylo::reference::log_likelihood(patterns, model, tree, 0);
    Engine engine(patterns, model);
    for (HalfEdge h : {0, 1, 250, 499, 500 + 3 * 250, 500 + 3 * 400 + 1})
      EXPECT_NEAR(engine.evaluate(tree, h), expected, 1e-10 * std::abs(expected)) << h;
  }
}

TEST(Engine, SubtreesOfFewColumnsGiveTheSameLikelihood) {
  for (int changes : {1, 2, 4})
    for (bool caterpillar : {false, true}) {
      const Patterns patterns = similar_patterns(15, 150, changes, 30);
      const Tree tree = random_tree(15, 31, caterpillar);
      const double expected = phylo::reference::log_likelihood(patterns, models()[3], tree, 0);
      Engine engine(patterns, models()[3]);
      for (HalfEdge h = 0; h < tree.half_edges(); ++h)
        EXPECT_NEAR(engine.evaluate(tree, h), expected, 1e-11 * std::abs(expected)) << changes << " at " << h;
    }
}

TEST(Engine, SubtreesOfFewColumnsMayUnderflowAsWell) {
  // Few columns, but each with a change at every other taxon, on branches where changes are all but impossible.
  const int taxa = 150, count = 20;
  Patterns patterns = similar_patterns(taxa, count, 0, 32);
  for (int taxon = 0; taxon < taxa; taxon += 2)
    for (int site = 0; site < count; site += 2) {
      std::uint8_t& code = patterns.codes[static_cast<std::size_t>(taxon) * count + site];
      code = code == 1 ? 2 : 1;
    }
  Tree tree = random_tree(taxa, 33, true);
  tree.for_each_branch([&](HalfEdge h) { tree.set_length(h, 1e-5 * (1 + tree.length(h))); });
  const double expected = phylo::reference::log_likelihood(patterns, models()[2], tree, 0);
  EXPECT_LT(expected, -10000);
  Engine engine(patterns, models()[2]);
  for (HalfEdge h : {0, 75, 149, taxa + 200, taxa + 301}) {
    EXPECT_NEAR(engine.evaluate(tree, h), expected, 1e-10 * std::abs(expected)) << h;
    EXPECT_EQ(engine.evaluate(tree, h), Engine(patterns, models()[2]).evaluate(tree, h));
  }
  // Longer branches bring the classes back.
  tree.for_each_branch([&](HalfEdge h) { tree.set_length(h, 0.3); });
  engine.changed_everything();
  EXPECT_EQ(engine.evaluate(tree, 75), Engine(patterns, models()[2]).evaluate(tree, 75));
}

TEST(Engine, LengthsBelowTheShortestCountAsThat) {
  const Patterns patterns = random_patterns(6, 50, 7);
  Tree tree = random_tree(6, 8);
  tree.for_each_branch([&](HalfEdge h) { tree.set_length(h, 0); });
  Tree shortest = tree;
  shortest.for_each_branch([&](HalfEdge h) { shortest.set_length(h, phylo::shortest_branch); });
  Engine engine(patterns, models()[2]);
  const double lnl = engine.evaluate(tree);
  EXPECT_TRUE(std::isfinite(lnl));
  EXPECT_NEAR(lnl, phylo::reference::log_likelihood(patterns, models()[2], shortest, 0), 1e-8 * std::abs(lnl));
}

/// Changes lengths and branches at random, telling the engine; in between computes at random places.
void shuffle(Engine& engine, Tree& tree, Random& random, int steps) {
  for (int step = 0; step < steps; ++step) {
    const auto any = [&] { return static_cast<HalfEdge>(random() % static_cast<unsigned>(tree.half_edges())); };
    if (random() % 2) {
      const HalfEdge h = any();
      tree.set_length(h, random_length(random));
      engine.changed(tree, h);
    } else {
      // Nearest neighbours trade places: the subtrees behind two half-edges around one inner branch.
      HalfEdge h = any();
      while (tree.is_tip(h) || tree.is_tip(tree.back(h))) h = any();
      const HalfEdge a = tree.next(h), b = tree.next(tree.back(h));
      const double to_a = tree.length(a), to_b = tree.length(b);
      const HalfEdge far_a = tree.disconnect(a), far_b = tree.disconnect(b);
      tree.connect(a, far_b, to_b);
      tree.connect(b, far_a, to_a);
      for (HalfEdge end : {a, b, far_a, far_b}) engine.changed(tree, end);
    }
    if (random() % 3 == 0) engine.newview(tree, any());
    if (random() % 3 == 0) engine.evaluate(tree, any());
  }
}

TEST(Engine, WhatIsKeptIsAsGoodAsComputedAnew) {
  for (const Patterns& patterns : {random_patterns(13, 60, 9), similar_patterns(13, 200, 2, 9)})
    for (std::size_t memory : {std::size_t{1} << 30, std::size_t{0}}) {
      Tree tree = random_tree(13, 10);
      Engine kept(patterns, models()[3], Engine::Options{memory});
      Random random(11);
      for (int turn = 0; turn < 200; ++turn) {
        shuffle(kept, tree, random, 1 + static_cast<int>(random() % 5));
        const auto h = static_cast<HalfEdge>(random() % static_cast<unsigned>(tree.half_edges()));
        Engine anew(patterns, models()[3]);
        ASSERT_EQ(kept.evaluate(tree, h), anew.evaluate(tree, h)) << "turn " << turn << " memory " << memory;
        ASSERT_EQ(kept.makenewz(tree, h), anew.makenewz(tree, h)) << "turn " << turn << " memory " << memory;
      }
    }
}

TEST(Engine, MakenewzFindsTheBestLengthOfOneBranch) {
  for (const Model& model : models()) {
    const Patterns patterns = random_patterns(9, 200, 12);
    Tree tree = random_tree(9, 13);
    Engine engine(patterns, model);
    for (HalfEdge h : tree.branches()) {
      const double old = tree.length(h);
      const double best = engine.makenewz(tree, h, 64).of(0);
      EXPECT_EQ(tree.length(h), old);
      const auto at = [&](double length) {
        tree.set_length(h, length);
        engine.changed(tree, h);
        return engine.evaluate(tree, h);
      };
      const double top = at(best);
      EXPECT_GE(top, at(old) - 1e-6);
      for (double factor : {0.5, 0.97, 1.03, 2.0})
        EXPECT_GE(top, at(std::clamp(best * factor, 1e-6, 100.0)) - 1e-6) << best;
      at(old);
    }
  }
}

TEST(Engine, SmoothingClimbsToWhereNoBranchGains) {
  const Patterns patterns = random_patterns(10, 300, 14);
  Tree tree = random_tree(10, 15);
  Engine engine(patterns, models()[2]);
  const double before = engine.evaluate(tree);
  const double after = engine.smooth(tree, 100, 1e-7);
  EXPECT_GT(after, before);
  EXPECT_NEAR(after, Engine(patterns, models()[2]).evaluate(tree), 1e-8);
  for (HalfEdge h : tree.branches()) engine.optimize_branch(tree, h);
  EXPECT_NEAR(engine.evaluate(tree), after, 1e-4);
}

TEST(Engine, SmoothAroundTouchesOnlyTheNeighbourhood) {
  const Patterns patterns = random_patterns(12, 300, 16);
  Tree tree = random_tree(12, 17, true);
  const Tree before = tree;
  Engine engine(patterns, models()[2]);
  const double start = engine.evaluate(tree);
  engine.smooth_around(tree, 0, 2, 3);
  EXPECT_GT(engine.evaluate(tree), start);
  EXPECT_EQ(engine.evaluate(tree), Engine(patterns, models()[2]).evaluate(tree));
  int moved = 0;
  for (HalfEdge h : tree.branches()) moved += tree.length(h) != before.length(h);
  // The tip's own branch, two beside it, and those beside these.
  EXPECT_LE(moved, 1 + 2 + 4);
  EXPECT_GE(moved, 3);
}

struct Pruned {
  HalfEdge subtree, at;
  double pendant;
};

/// Takes the subtree behind `joint` out of the tree and closes the gap.
Pruned prune(Tree& tree, Engine& engine, HalfEdge joint) {
  const HalfEdge a = tree.next(joint), b = tree.next(a);
  const double joined = tree.length(a) + tree.length(b);
  const HalfEdge near = tree.disconnect(a), far = tree.disconnect(b);
  tree.connect(near, far, joined);
  for (HalfEdge h : {a, b, near, far}) engine.changed(tree, h);
  return {tree.back(joint), near, tree.length(joint)};
}

TEST(Engine, HasTheSameBitsWhereMostOfItsVectorsHaveNoRoom) {
  constexpr int taxa = 40, sites = 3000;
  for (const Patterns& patterns : {random_patterns(taxa, sites, 21), similar_patterns(taxa, sites, 6, 22)}) {
    Random random(23);
    Tree tree = random_tree(taxa, 24);
    Engine few(patterns, models()[2], Engine::Options{0}), all(patterns, models()[2], Engine::Options{1u << 30});
    for (int turn = 0; turn < 120; ++turn) {
      const HalfEdge h = static_cast<HalfEdge>(random() % static_cast<unsigned>(tree.half_edges()));
      tree.set_length(h, random_length(random));
      for (Engine* engine : {&few, &all}) engine->changed(tree, h);
      const HalfEdge at = static_cast<HalfEdge>(random() % static_cast<unsigned>(tree.half_edges()));
      ASSERT_EQ(few.evaluate(tree, at), all.evaluate(tree, at)) << "turn " << turn;
      ASSERT_EQ(few.makenewz(tree, h), all.makenewz(tree, h)) << "turn " << turn;
    }
    Tree other = tree;
    ASSERT_EQ(few.smooth(tree, 2), all.smooth(other, 2));
    const HalfEdge joint = taxa + 15;
    const Pruned pruned = prune(tree, few, joint);
    prune(other, all, joint);
    // Everywhere along a way through the tree.
    for (HalfEdge at = pruned.at; at >= taxa; at = tree.back(tree.next(at))) {
      ASSERT_EQ(few.insertion(tree, pruned.subtree, at, pruned.pendant, Fit::all, 2).lnl,
                all.insertion(tree, pruned.subtree, at, pruned.pendant, Fit::all, 2).lnl);
    }
  }
}

TEST(Engine, KeepsFewVectorsWhereThereIsOneANode) {
  constexpr int taxa = 60;
  const Patterns patterns = random_patterns(taxa, 2000, 25);
  const Model model = models()[2];
  const Tree tree = random_tree(taxa, 26);
  const auto rooms_of = [&](std::size_t memory) {
    Engine::State state({{&patterns, &model}}, {.memory = memory});
    phylo::PartState& part = *state.parts[0];
    for (HalfEdge h = 0; h < tree.half_edges(); ++h) {
      part.require_both(tree, h);
      state.run_newview();
    }
    return part.rooms.size() - part.free_rooms.size();
  };
  EXPECT_LE(rooms_of(0), 2u + 20u);  // a third of them, and two for CLVs of no node
  EXPECT_GT(rooms_of(1u << 30), 2u * (taxa - 2));
}

TEST(Engine, InsertionIsTheLikelihoodOfTheTreeThatItDescribes) {
  const Patterns random_data = random_patterns(12, 90, 18), similar_data = similar_patterns(12, 200, 2, 18);
  for (const auto& [patterns, model] : {std::pair{random_data, models()[3]}, std::pair{similar_data, models()[2]}})
    for (Fit fit : {Fit::nothing, Fit::pendant, Fit::all})
      for (HalfEdge joint = 12; joint < 12 + 30; joint += 4) {
        Tree tree = random_tree(12, 19);
        // With a slot for every direction, and with one for each node.
        Engine engine(patterns, model, Engine::Options{joint % 3 == 0 ? std::size_t{0} : std::size_t{1} << 30});
        engine.evaluate(tree, 3);
        const Pruned pruned = prune(tree, engine, joint);
        // Every branch that still hangs together with the gap.
        std::vector<HalfEdge> places = {pruned.at}, stack = {pruned.at, tree.back(pruned.at)};
        while (!stack.empty()) {
          const HalfEdge h = stack.back();
          stack.pop_back();
          for (HalfEdge side = tree.next(h); side != h; side = tree.next(side)) {
            places.push_back(tree.back(side));
            stack.push_back(tree.back(side));
          }
        }
        for (HalfEdge at : places) {
          const auto tried = engine.insertion(tree, pruned.subtree, at, pruned.pendant, fit, 2);
          Tree grown = tree;
          const HalfEdge far = grown.disconnect(at);
          grown.connect(grown.next(joint), at, tried.near);
          grown.connect(grown.next(grown.next(joint)), far, tried.far);
          grown.set_length(joint, tried.pendant);
          ASSERT_TRUE(grown.complete());
          const double expected = Engine(patterns, model).evaluate(grown, at);
          ASSERT_NEAR(tried.lnl, expected, 1e-10 * std::abs(expected)) << "joint " << joint << " at " << at;
          if (fit == Fit::nothing) {
            EXPECT_EQ(tried.pendant, pruned.pendant);
          }
          if (fit != Fit::all) {
            EXPECT_EQ(tried.near, tried.far);
          }
        }
      }
}

TEST(Engine, FittingMoreBranchesOfAnInsertionGainsMore) {
  const Patterns patterns = random_patterns(12, 200, 20);
  Tree tree = random_tree(12, 21);
  Engine engine(patterns, models()[2]);
  const Pruned pruned = prune(tree, engine, 12 + 3 * 4);
  const auto lnl = [&](Fit fit, int rounds) {
    return engine.insertion(tree, pruned.subtree, pruned.at, pruned.pendant, fit, rounds).lnl;
  };
  EXPECT_GE(lnl(Fit::pendant, 1), lnl(Fit::nothing, 1));
  EXPECT_GE(lnl(Fit::all, 1), lnl(Fit::pendant, 1) - 1e-9);
  EXPECT_GE(lnl(Fit::all, 4), lnl(Fit::all, 1) - 1e-9);
}

TEST(Engine, ModelOptimizationFindsTheParametersThatMadeTheData) {
  // Data from the model itself: sites drawn along the tree.
  const Model truth = phylo::parse_model("GTR{1.5/5/0.6/0.9/7/1}+FU{0.3/0.2/0.2/0.3}+G4{0.5}");
  const int taxa = 16, sites = 6000;
  const Tree tree = random_tree(taxa, 22);
  const auto spectrum = phylo::decompose(truth);
  const auto rates = phylo::category_rates(truth);
  Random random(23);
  Patterns data;
  data.taxa = taxa;
  data.count = sites;
  data.codes.resize(static_cast<std::size_t>(taxa) * sites);
  data.weights.assign(sites, 1);
  const auto draw = [&](const double* probabilities) {
    double u = uniform(random, 0, 1);
    std::size_t base = 0;
    while (base < 3 && u >= probabilities[base]) u -= probabilities[base++];
    return base;
  };
  for (int site = 0; site < sites; ++site) {
    const double rate = rates[random() % 4];
    std::vector<std::pair<HalfEdge, std::size_t>> stack;
    const std::size_t root = draw(truth.frequencies.data());
    for (HalfEdge h : {taxa, taxa + 1, taxa + 2}) stack.emplace_back(h, root);
    while (!stack.empty()) {
      const auto [h, base] = stack.back();
      stack.pop_back();
      const auto p = phylo::transition_matrix(spectrum, tree.length(h) * rate);
      const std::size_t there = draw(p.data() + 4 * base);
      const HalfEdge far = tree.back(h);
      if (tree.is_tip(far))
        data.codes[static_cast<std::size_t>(far) * sites + site] = static_cast<std::uint8_t>(1 << there);
      for (HalfEdge side = tree.next(far); side != far; side = tree.next(side)) stack.emplace_back(side, there);
    }
  }
  for (const char* text : {"GTR+FO+G", "GTR+F+G"}) {
    Tree found = tree;
    Engine engine(data, phylo::parse_model(text));
    const double start = engine.evaluate(found);
    const double lnl = engine.optimize(found, 0.01);
    EXPECT_GT(lnl, start + 100);
    EXPECT_NEAR(lnl, Engine(data, phylo::parse_model(to_string_with_values(engine.model()))).evaluate(found), 1e-6);
    EXPECT_GT(lnl, Engine(data, truth).evaluate(tree)) << "worse than the truth";
    const Model& m = engine.model();
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(m.rates[i] / truth.rates[i], 1, 0.2) << i;
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(m.frequencies[i], truth.frequencies[i], 0.02);
    EXPECT_NEAR(m.alpha, truth.alpha, 0.06);
    // Nothing to gain in any direction.
    for (std::size_t i = 0; i < 5; ++i)
      for (double factor : {0.98, 1.02}) {
        Model moved = m;
        moved.rates[i] *= factor;
        moved.frequencies_from = phylo::Origin::fixed;
        EXPECT_LT(Engine(data, moved).evaluate(found), lnl + 0.02);
      }
  }
}

TEST(Engine, ProportionOfInvariantSitesIsFound) {
  const Patterns patterns = random_patterns(10, 300, 24);
  Tree tree = random_tree(10, 25);
  Engine without(patterns, phylo::parse_model("HKY+F")), with(patterns, phylo::parse_model("HKY+F+I"));
  Tree copy = tree;
  const double plain = without.optimize(copy, 0.01), better = with.optimize(tree, 0.01);
  // A third of the patterns is constant.
  EXPECT_GT(better, plain + 10);
  EXPECT_GT(with.model().invariant, 0.1);
  EXPECT_LT(with.model().invariant, 0.5);
}

TEST(Engine, SameCallsGiveTheSameBits) {
  const auto run = [] {
    const Patterns patterns = random_patterns(12, 150, 26);
    Tree tree = random_tree(12, 27);
    Engine engine(patterns, phylo::parse_model("GTR+FO+I+G"));
    const double lnl = engine.optimize(tree, 0.1);
    return std::make_tuple(lnl, tree, engine.model());
  };
  EXPECT_EQ(run(), run());
}

TEST(Engine, MayBeLeftBeforeEachOffLoad) {
  const int taxa = 10, branches = 2 * taxa - 3;
  const Patterns patterns = random_patterns(taxa, 90, 26);
  const Model model = phylo::parse_model("GTR+G");
  const Tree start = random_tree(taxa, 27);
  struct Left {};
  int left = -1, asked = 0;
  Engine::Options options;
  options.between = [&] {
    ++asked;
    if (left-- == 0) throw Left();
  };
  Engine engine(patterns, model, options);
  struct Call {
    std::function<void(Tree&)> make;
    int off_loads;  // at least
  };
  const HalfEdge inner = taxa;
  for (const auto& [make, off_loads] : {
           Call{[&](Tree& tree) { engine.newview(tree, inner); }, 1},
           Call{[&](Tree& tree) { engine.evaluate(tree); }, 1},
           Call{[&](Tree& tree) { engine.evaluate_part(tree, 0); }, 1},
           Call{[&](Tree& tree) { engine.log_likelihoods_of_patterns(tree, 0); }, 1},
           Call{[&](Tree& tree) { engine.optimize_branch(tree, 0); }, 1},
           Call{[&](Tree& tree) { engine.slopes_of_model(tree); }, branches},
           Call{[&](Tree& tree) { engine.smooth(tree, 1); }, branches + 2},
           Call{[&](Tree& tree) { engine.optimize_model(tree); }, 9},
           Call{[&](Tree& tree) { engine.optimize(tree); }, 2 * (branches + 9)},
       }) {
    const auto begin = [&] {
      engine.set_model(model);
      engine.set_curvatures(std::vector<phylo::Curvature>(1));
      return start;
    };
    Tree whole = begin();
    asked = 0;
    make(whole);
    EXPECT_GE(asked, off_loads);
    for (const int calls = asked; const int last : {0, calls / 3, calls - 1}) {
      Tree tree = begin();
      left = last;
      EXPECT_THROW(make(tree), Left);
      // Nothing is left over: whatever the tree and the model have become, their likelihood is right.
      Engine anew(patterns, model);
      anew.set_model(engine.model());
      EXPECT_EQ(engine.evaluate(tree), anew.evaluate(tree));
    }
  }
}

TEST(Engine, SaysWhenALikelihoodIsNoNumber) {
  Model model = phylo::parse_model("GTR");
  model.rates[1] = std::numeric_limits<double>::quiet_NaN();
  Engine engine(random_patterns(12, 40, 28), model);
  Tree tree = random_tree(12, 29);
  EXPECT_THROW(engine.evaluate(tree), std::logic_error);
  const Pruned pruned = prune(tree, engine, 12);
  EXPECT_THROW(engine.insertion(tree, pruned.subtree, pruned.at, pruned.pendant, Fit::nothing, 1), std::logic_error);
}

TEST(Engine, RefusesWhatItCannotServe) {
  EXPECT_THROW(Engine(random_patterns(3, 10, 28), models()[0]), phylo::input_error);
  Engine engine(random_patterns(4, 10, 28), models()[0]);
  EXPECT_THROW(engine.set_model(models()[2]), phylo::input_error);
  Tree tree = random_tree(4, 29);
  const double lnl = engine.evaluate(tree);
  EXPECT_THROW(engine.evaluate(random_tree(5, 29)), std::logic_error);
  const double length = tree.length(4);
  const HalfEdge far = tree.disconnect(4);
  engine.changed(tree, 4);
  engine.changed(tree, far);
  EXPECT_THROW(engine.evaluate(tree, 5), std::logic_error);
  tree.connect(4, far, length);
  EXPECT_EQ(engine.evaluate(tree), lnl);
}

}  // namespace
