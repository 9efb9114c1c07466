// Engines of several parts: bases, amino acids and characters of three states on one tree.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "phylo/like/engine.hpp"
#include "phylo/like/reference.hpp"
#include "phylo/like/state.hpp"
#include "phylo/model/notation.hpp"
#include "phylo/model/part.hpp"
#include "phylo/search/bootstrap.hpp"
#include "phylo/search/parsimony.hpp"
#include "phylo/search/search.hpp"
#include "phylo/tree/grown_tree.hpp"
#include "phylo/tree/rearrange.hpp"
#include "phylo/tree/unlinked.hpp"

namespace {

using phylo::Engine;
using phylo::Fit;
using phylo::HalfEdge;
using phylo::Model;
using phylo::Part;
using phylo::Parts;
using phylo::PartView;
using phylo::Tree;

using Random = std::mt19937_64;

constexpr int taxa = 9;

double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

Part part(const char* model, int count, unsigned seed) {
  Random random(seed);
  Part out{model, {}, phylo::parse_model(model)};
  phylo::Patterns& p = out.patterns;
  p.alphabet = out.model.alphabet;
  p.taxa = taxa;
  p.count = count;
  p.codes.resize(static_cast<std::size_t>(taxa * count));
  const auto& alphabet = *p.alphabet;
  for (int site = 0; site < count; ++site) {
    const auto draw = [&] {
      const auto state = static_cast<std::uint32_t>(random() % static_cast<unsigned>(alphabet.states));
      return alphabet.find_set(std::uint32_t{1} << state);
    };
    const std::uint8_t common = draw();
    for (int taxon = 0; taxon < taxa; ++taxon)
      p.codes[static_cast<std::size_t>(taxon * count + site)] = random() % 30 == 0  ? alphabet.unknown
                                                                : random() % 3 == 0 ? draw()
                                                                                    : common;
    p.weights.push_back(1 + static_cast<std::uint32_t>(random() % 3));
    p.pattern_of_site.insert(p.pattern_of_site.end(), p.weights.back(), site);
  }
  for (int taxon = 0; taxon < taxa; ++taxon) p.names.push_back(std::string("t").append(std::to_string(taxon)));
  return out;
}

Parts three_parts() {
  return {part("HKY{3.1}+FU{0.4/0.1/0.2/0.3}+G4{0.5}", 133, 1), part("LG+I{0.1}+BU{0.4}", 40, 2),
          part("MULTI3_MK+G2{1.2}+BU{2.5}", 21, 3)};
}

std::vector<PartView> views(const Parts& parts) {
  std::vector<PartView> all;
  for (const Part& p : parts) all.push_back({&p.patterns, &p.model});
  return all;
}

Tree random_tree(unsigned seed) {
  Random random(seed);
  return phylo::grown_tree(taxa, random, [&] { return std::exp(uniform(random, std::log(0.01), std::log(0.6))); });
}

TEST(PartsOfAnEngine, HaveTheSumOfTheirLogLikelihoods) {
  const Parts parts = three_parts();
  const Tree tree = random_tree(4);
  Engine engine(views(parts));
  double expected = 0;
  for (int p = 0; p < 3; ++p) {
    const Part& one = parts[static_cast<std::size_t>(p)];
    const double of_part = Engine(one.patterns, one.model).evaluate(tree);
    EXPECT_EQ(engine.evaluate_part(tree, p), of_part);
    // A speed stretches all branches.
    Tree stretched = tree;
    tree.for_each_branch([&](HalfEdge h) { stretched.set_length(h, tree.length(h) * one.model.speed); });
    Model plain = one.model;
    plain.speed = 1;
    EXPECT_NEAR(phylo::reference::log_likelihood(one.patterns, plain, stretched, 0), of_part, 1e-9);
    expected += of_part;
  }
  for (HalfEdge h = 0; h < tree.half_edges(); ++h)
    EXPECT_NEAR(engine.evaluate(tree, h), expected, 1e-11 * std::abs(expected));
}

TEST(PartsOfAnEngine, ShareBranchLengthsThatMakenewzFits) {
  const Parts parts = three_parts();
  Tree tree = random_tree(5);
  Engine engine(views(parts));
  for (HalfEdge h : tree.branches()) {
    const double old = tree.length(h), best = engine.makenewz(tree, h, 64).of(0);
    const auto at = [&](double length) {
      tree.set_length(h, length);
      engine.changed(tree, h);
      return engine.evaluate(tree, h);
    };
    const double top = at(best);
    for (double factor : {0.5, 0.97, 1.03, 2.0}) EXPECT_GE(top, at(std::clamp(best * factor, 1e-6, 100.0)) - 1e-6);
    at(old);
  }
  const double before = engine.evaluate(tree);
  EXPECT_GT(engine.smooth(tree, 50, 1e-6), before);
  EXPECT_NEAR(engine.evaluate(tree), Engine(views(parts)).evaluate(tree), 1e-8);
}

TEST(PartsOfAnEngine, AreAllInAnInsertion) {
  const Parts parts = three_parts();
  for (const HalfEdge joint : {taxa + 5, taxa + 12}) {
    Tree tree = random_tree(6);
    Engine engine(views(parts));
    const HalfEdge a = tree.next(joint), b = tree.next(a);
    const double joined = tree.length(a) + tree.length(b);
    const HalfEdge near = tree.disconnect(a), far = tree.disconnect(b);
    tree.connect(near, far, joined);
    for (HalfEdge h : {a, b, near, far}) engine.changed(tree, h);
    const auto tried = engine.insertion(tree, tree.back(joint), near, tree.length(joint), Fit::all, 2);
    const auto lazy = engine.insertion(tree, tree.back(joint), near, tree.length(joint), Fit::nothing);
    EXPECT_GT(tried.lnl, lazy.lnl);
    tree.disconnect(near);
    tree.connect(a, near, tried.near);
    tree.connect(b, far, tried.far);
    tree.set_length(joint, tried.pendant);
    const double expected = Engine(views(parts)).evaluate(tree, near);
    EXPECT_NEAR(tried.lnl, expected, 1e-10 * std::abs(expected));
  }
}

TEST(PartsOfAnEngine, EndWithAMeanSpeedOfOne) {
  Parts parts = {part("HKY+FO+G4", 133, 1), part("LG+G", 60, 2)};
  for (Part& p : parts) p.model.speed_from = phylo::Origin::optimized;
  Tree tree = random_tree(7);
  Engine linked(views({part("HKY+FO+G4", 133, 1), part("LG+G", 60, 2)})), scaled(views(parts));
  Tree other = tree;
  const double without = linked.optimize(other, 0.001), with = scaled.optimize(tree, 0.001);
  EXPECT_GE(with, without - 0.01);
  double sites = 0, sum = 0;
  for (int p = 0; p < 2; ++p) {
    const auto of_part = static_cast<double>(parts[static_cast<std::size_t>(p)].patterns.sites());
    sites += of_part;
    sum += of_part * scaled.model(p).speed;
  }
  EXPECT_NEAR(sum / sites, 1, 1e-12);
  // Nothing to gain by another speed.
  for (double factor : {0.97, 1.03}) {
    Model moved = scaled.model(1);
    moved.speed *= factor;
    Engine engine(views({{"", parts[0].patterns, scaled.model(0)}, {"", parts[1].patterns, scaled.model(1)}}));
    engine.set_model(moved, 1);
    EXPECT_LT(engine.evaluate(tree), with + 0.01);
  }
}

/// A tree on which each of three parts has other lengths.
Tree unlinked_tree(unsigned seed) {
  Tree tree = random_tree(seed);
  tree.unlink(3);
  Random random(seed);
  for (HalfEdge h : tree.branches()) {
    std::vector<double> lengths(3);
    for (double& length : lengths) length = tree.length(h) * uniform(random, 0.3, 3);
    tree.set_length(h, phylo::BranchLength(lengths));
  }
  return tree;
}

TEST(PartsOfAnEngine, HaveTheirModelsFittedAsIfTheyWereAlone) {
  const Parts parts = {part("GTR+FO+G", 133, 1), part("LG+I+G", 40, 2), part("MULTI3_GTR+FO", 60, 3)};
  const Tree tree = random_tree(7);
  Engine together(views(parts));
  const double lnl = together.optimize_model(tree, 0.3);
  double sum = 0;
  for (int p = 0; p < together.parts(); ++p) {
    const Part& one = parts[static_cast<std::size_t>(p)];
    Engine alone(one.patterns, one.model);
    sum += alone.optimize_model(tree, 0.3 / 3);
    EXPECT_EQ(together.model(p).rates, alone.model().rates) << p;
    EXPECT_EQ(together.model(p).frequencies, alone.model().frequencies) << p;
    EXPECT_EQ(together.model(p).alpha, alone.model().alpha) << p;
    EXPECT_EQ(together.model(p).invariant, alone.model().invariant) << p;
  }
  EXPECT_EQ(lnl, sum);
}

TEST(PartsWithLengthsOfTheirOwn, HaveTheLogLikelihoodsThatTheyHaveAlone) {
  const Parts parts = three_parts();
  Tree tree = unlinked_tree(14);
  Engine engine(views(parts));
  const auto sum_alone = [&] {
    double sum = 0;
    for (std::size_t p = 0; p < 3; ++p)
      sum += Engine(parts[p].patterns, parts[p].model).evaluate(phylo::lengths_of_part(tree, p));
    return sum;
  };
  EXPECT_NEAR(engine.evaluate(tree, 5), sum_alone(), 1e-9);
  // Another length of one part, told to the engine.
  tree.set_length(11, phylo::BranchLength(std::vector<double>{tree.length(11, 0), 0.77, tree.length(11, 2)}));
  engine.changed(tree, 11);
  EXPECT_NEAR(engine.evaluate(tree, 5), sum_alone(), 1e-9);
}

TEST(PartsWithLengthsOfTheirOwn, HaveThemFittedAsIfTheyWereAlone) {
  const Parts parts = three_parts();
  Tree tree = unlinked_tree(15);
  Engine engine(views(parts));
  for (const HalfEdge h : tree.branches()) {
    const auto fitted = engine.makenewz(tree, h, 64);
    ASSERT_EQ(fitted.of_parts().size(), 3u);
    for (std::size_t p = 0; p < 3; ++p)
      EXPECT_NEAR(fitted.of(p),
                  Engine(parts[p].patterns, parts[p].model).makenewz(phylo::lengths_of_part(tree, p), h, 64).of(0),
                  1e-9 * fitted.of(p));
  }
  double alone = 0;
  for (std::size_t p = 0; p < 3; ++p) {
    Tree of_part = phylo::lengths_of_part(tree, p);
    alone += Engine(parts[p].patterns, parts[p].model).smooth(of_part, 100, 1e-9);
  }
  const double together = engine.smooth(tree, 100, 1e-9);
  EXPECT_NEAR(together, alone, 1e-6);
  // No other lengths do better.
  Tree linked = random_tree(15);
  EXPECT_GT(together, engine.smooth(linked, 100, 1e-6));
}

TEST(PartsWithLengthsOfTheirOwn, AreAllInAnInsertion) {
  const Parts parts = three_parts();
  for (const Fit fit : {Fit::nothing, Fit::pendant, Fit::all})
    for (const HalfEdge joint : {taxa + 5, taxa + 12}) {
      Tree tree = unlinked_tree(16);
      Engine engine(views(parts));
      const phylo::Pruned from = phylo::prune(tree, joint);
      for (HalfEdge h : {tree.next(joint), tree.next(tree.next(joint)), from.near, from.far}) engine.changed(tree, h);
      const auto tried = engine.insertion(tree, tree.back(joint), from.near, from.pendant, fit, 2);
      phylo::regraft(tree, joint, from.near, tried.near, tried.far, tried.pendant);
      const double expected = Engine(views(parts)).evaluate(tree, joint);
      EXPECT_NEAR(tried.lnl, expected, 1e-10 * std::abs(expected));
      EXPECT_EQ(fit == Fit::nothing, tried.pendant == from.pendant);
    }
}

TEST(PartsWithLengthsOfTheirOwn, AreNotTakenForOthers) {
  const Parts parts = three_parts();
  Tree tree = random_tree(17);
  tree.unlink(2);
  Engine engine(views(parts));
  EXPECT_THROW(engine.evaluate(tree), std::logic_error);
}

TEST(PartsOfASearch, MayHaveLengthsOfTheirOwn) {
  const Parts parts = {part("HKY+FE", 133, 1), part("JTT", 60, 2), part("MULTI3_MK", 30, 3)};
  phylo::SearchOptions options;
  options.effort = {.ratchets = 1, .fruitless = 1};
  options.unlinked = true;
  const auto found = phylo::search(parts, options);
  EXPECT_EQ(found.tree.lengths(), 3u);
  double sum = 0;
  for (std::size_t p = 0; p < 3; ++p)
    sum += Engine(parts[p].patterns, found.models[p]).evaluate(phylo::lengths_of_part(found.tree, p));
  EXPECT_NEAR(sum, found.lnl, 1e-6);
  options.start = phylo::lengths_of_part(found.tree, 0);
  options.unlinked = false;
  EXPECT_GT(found.lnl, phylo::search(parts, options).lnl);
}

TEST(PartsOfASearch, AreOneTreeWhateverOrderTheyStandIn) {
  Parts parts = {part("HKY+FE", 133, 1), part("JTT", 60, 2), part("MULTI3_MK", 30, 3)};
  phylo::SearchOptions options;
  options.effort = {.ratchets = 1, .fruitless = 1};
  const auto found = phylo::search(parts, options);
  EXPECT_EQ(found.models.size(), 3u);
  Engine engine(views(parts));
  engine.set_model(found.models[0], 0);
  EXPECT_NEAR(engine.evaluate(found.tree), found.lnl, 1e-6);
  std::swap(parts[0], parts[2]);
  options.start = found.tree;
  EXPECT_NEAR(phylo::search(parts, options).lnl, found.lnl, 0.1);
}

TEST(PartsOfASearch, HaveTheSumOfTheirParsimonyScores) {
  const Parts parts = {part("JC", 133, 1), part("JTT", 60, 2), part("MULTI3_MK", 30, 3)};
  std::vector<const phylo::Patterns*> patterns;
  for (const Part& p : parts) patterns.push_back(&p.patterns);
  const Tree tree = random_tree(8);
  std::int64_t sum = 0;
  for (const Part& p : parts) sum += parsimony_score(phylo::ParsimonySites(p.patterns), tree);
  EXPECT_EQ(parsimony_score(phylo::ParsimonySites(patterns), tree), sum);
}

TEST(PartsOfASearch, AreResampledEachForItself) {
  const Parts parts = three_parts();
  const Parts drawn = phylo::bootstrap_parts(parts, 1, 7);
  ASSERT_EQ(drawn.size(), parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    EXPECT_EQ(drawn[p].patterns.sites(), parts[p].patterns.sites());
    EXPECT_EQ(drawn[p].patterns.alphabet, parts[p].patterns.alphabet);
  }
  // One part is drawn as it is without the others.
  EXPECT_EQ(drawn[0].patterns.codes, phylo::bootstrap_patterns(parts[0].patterns, 1, 7).codes);
}

TEST(PartsOfAnEngine, NeverTakeMoreMemoryThanTheyMayHoweverUnequalTheyAre) {
  const Parts parts = {part("HKY{3.1}+FU{0.4/0.1/0.2/0.3}+G4{0.5}", 40, 1),
                       part("HKY{2.1}+FU{0.3/0.2/0.2/0.3}+G4{0.7}", 4000, 2), part("LG+I{0.1}", 24, 3)};
  struct Taken {
    std::size_t bytes = 0;
    std::vector<int> slots;  // of each part: one a node, or one a half-edge
  };
  const auto taken_of = [&](std::size_t memory) {
    const Engine::State state(views(parts), {.memory = memory});
    Taken taken;
    for (const auto& p : state.parts) {
      taken.bytes += p->clvs.size() + p->class_clvs.size();
      taken.slots.push_back(p->directions.slots());
    }
    return taken;
  };
  constexpr int nodes = taxa - 2, half_edges = 3 * nodes;
  using Slots = std::vector<int>;
  const std::size_t least = Engine::least_memory(views(parts));
  const Taken fewest = taken_of(least), most = taken_of(std::size_t{1} << 40);
  EXPECT_EQ(fewest.bytes, least);
  EXPECT_EQ(taken_of(0).bytes, least);
  EXPECT_EQ(fewest.slots, (Slots{nodes, nodes, nodes}));
  EXPECT_EQ(most.slots, (Slots{half_edges, half_edges, half_edges}));
  EXPECT_EQ(taken_of(most.bytes).slots, most.slots);
  // The large part comes first; the small ones have what is left.
  EXPECT_EQ(taken_of(most.bytes - 1).slots[1], half_edges);
  const std::size_t without_large = taken_of(least + least / 10).bytes;
  EXPECT_EQ(taken_of(least + least / 10).slots, (Slots{half_edges, nodes, half_edges}));
  EXPECT_EQ(taken_of(least + (most.bytes - without_large)).slots, (Slots{nodes, half_edges, nodes}));
  for (int step = 0; step <= 64; ++step) {
    const std::size_t memory = least + (most.bytes - least) / 64 * static_cast<std::size_t>(step);
    EXPECT_LE(taken_of(memory).bytes, memory);
    Tree tree = random_tree(3);
    Engine bound(views(parts), {.memory = memory}), free(views(parts));
    for (HalfEdge h = 0; h < tree.half_edges(); h += 5) EXPECT_EQ(bound.evaluate(tree, h), free.evaluate(tree, h));
  }
}

}  // namespace
