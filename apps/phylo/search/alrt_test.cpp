#include "phylo/search/alrt.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <vector>

#include "phylo/model/notation.hpp"
#include "phylo/search/random.hpp"
#include "phylo/tree/rearrange.hpp"

namespace {

using phylo::Engine;
using phylo::HalfEdge;
using phylo::Parts;
using phylo::Rivals;
using phylo::Tree;

/// ((0,1),2,(3,(4,5))) with all branches equally long.
Tree six() {
  Tree tree = phylo::triplet(6, 0, 2, 3, 0.1);
  phylo::attach_tip(tree, 1, 7, 0, 0.1);
  phylo::attach_tip(tree, 4, 8, 3, 0.1);
  phylo::attach_tip(tree, 5, 9, 4, 0.1);
  tree.for_each_branch([&](HalfEdge h) { tree.set_length(h, 0.1); });
  return tree;
}

/// Columns of six taxa: some at random, and so many that say (0,1) and (4,5).
phylo::Part data(int clear, unsigned seed, const char* model = "JC") {
  phylo::Part part{"", {}, phylo::parse_model(model)};
  phylo::Patterns& p = part.patterns;
  p.taxa = 6;
  p.count = 40 + 2 * clear;
  p.codes.resize(static_cast<std::size_t>(6 * p.count));
  phylo::Random random(seed);
  for (int site = 0; site < p.count; ++site) {
    const auto base = [&] { return static_cast<std::uint8_t>(1U << random.below(4)); };
    const std::uint8_t common = base(), other = base();
    for (int taxon = 0; taxon < 6; ++taxon) {
      const bool pair = site % 2 == 0 ? taxon < 2 : taxon > 3;
      const std::uint8_t code = site < 40 ? (random.below(3) == 0 ? base() : common) : pair ? other : common;
      p.codes[static_cast<std::size_t>(taxon * p.count + site)] = code;
    }
    p.weights.push_back(1 + site % 2);
    p.pattern_of_site.insert(p.pattern_of_site.end(), p.weights.back(), site);
  }
  p.names = {"a", "b", "c", "d", "e", "f"};
  return part;
}

/// The branch between (0,1) and the others.
HalfEdge branch_of_the_pair(const Tree& tree) {
  HalfEdge h = tree.back(0);
  while (tree.is_tip(tree.back(h))) h = tree.next(h);
  return h;
}

TEST(Rivals, AreTheTreeAndItsFittedNeighbours) {
  const Parts parts = {data(10, 1, "HKY{2}+FU{0.3/0.2/0.2/0.3}+G4{0.7}+I{0.1}"), data(3, 2)};
  const Tree tree = six();
  std::vector<phylo::PartView> views;
  for (const auto& part : parts) views.push_back({&part.patterns, &part.model});
  Engine engine(views);
  for (const HalfEdge h : tree.branches()) {
    if (tree.is_tip(h) || tree.is_tip(tree.back(h))) continue;
    const Rivals found = phylo::rivals(engine, tree, h);
    EXPECT_EQ(found.lnl[0], Engine(views).evaluate(tree, h));
    for (std::size_t i = 0; i < 3; ++i) {
      double sum = 0;
      std::size_t at = 0;
      for (const auto& part : parts)
        for (const auto weight : part.patterns.weights) sum += weight * found.sites[i][at++];
      EXPECT_EQ(at, found.sites[i].size());
      EXPECT_NEAR(sum, found.lnl[i], 1e-9);
    }
    std::vector<double> fitted;
    const HalfEdge far = tree.back(h);
    for (const HalfEdge across : {tree.next(far), tree.next(tree.next(far))}) {
      Tree other = tree;
      phylo::interchange(other, tree.next(tree.next(h)), across);
      Engine fresh(views);
      fresh.smooth_around(other, h, 1, 50);
      fitted.push_back(fresh.evaluate(other, h));
    }
    EXPECT_NEAR(found.lnl[1], fitted[0], 1e-3);
    EXPECT_NEAR(found.lnl[2], fitted[1], 1e-3);
    // The engine knows the tree as it was.
    EXPECT_NEAR(engine.evaluate(tree, 0), Engine(views).evaluate(tree, 0), 1e-9);
  }
}

TEST(ShSupport, IsTheShareOfResamplingsWithASmallerLead) {
  const Parts parts = {data(5, 3), data(2, 4)};
  Rivals made;
  phylo::Random random(5);
  const std::size_t patterns = static_cast<std::size_t>(parts[0].patterns.count + parts[1].patterns.count);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t p = 0; p < patterns; ++p)
      made.sites[i].push_back(-4 + random.uniform() - 0.02 * static_cast<double>(i));
    std::size_t at = 0;
    for (const auto& part : parts)
      for (const auto weight : part.patterns.weights) made.lnl[i] += weight * made.sites[i][at++];
  }
  // Drawn and added site by site.
  constexpr int replicates = 400;
  int smaller = 0;
  const double lead = made.lnl[0] - std::max(made.lnl[1], made.lnl[2]);
  ASSERT_GT(lead, 0);
  for (int r = 0; r < replicates; ++r) {
    phylo::Random draws(phylo::stream_seed(9, phylo::Draw::site_log_likelihoods, static_cast<std::uint64_t>(r)));
    double sums[3] = {-made.lnl[0], -made.lnl[1], -made.lnl[2]};
    std::size_t begin = 0;
    for (const auto& part : parts) {
      for (int site = 0; site < part.patterns.sites(); ++site) {
        const auto drawn = draws.below(static_cast<std::uint64_t>(part.patterns.sites()));
        const std::size_t at = begin + static_cast<std::size_t>(part.patterns.pattern_of_site[drawn]);
        for (std::size_t i = 0; i < 3; ++i) sums[i] += made.sites[i][at];
      }
      begin += static_cast<std::size_t>(part.patterns.count);
    }
    std::sort(sums, sums + 3);
    if (lead > sums[2] - sums[1] + 0.05) ++smaller;
  }
  EXPECT_GT(smaller, 0);
  EXPECT_LT(smaller, replicates);
  EXPECT_EQ(phylo::sh_support(made, parts, replicates, 9), static_cast<double>(smaller) / replicates);
  EXPECT_NE(phylo::sh_support(made, parts, replicates, 10), static_cast<double>(smaller) / replicates);
  // A tree that is no better has none.
  std::swap(made.lnl[0], made.lnl[1]);
  std::swap(made.sites[0], made.sites[1]);
  EXPECT_EQ(phylo::sh_support(made, parts, replicates, 9), 0);
}

TEST(ShSupport, GrowsWithWhatTheDataSay) {
  const auto support = [](int clear) {
    const Parts parts = {data(clear, 6)};
    Tree tree = six();
    Engine engine(parts[0].patterns, parts[0].model);
    engine.smooth(tree, 50, 1e-4);
    std::atomic<int> calls{0};  // from any stream
    const auto supports = phylo::sh_alrt(parts, tree, 1000, 1, [&] { return ++calls > 0; });
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(supports[0], -1);
    return supports[static_cast<std::size_t>(branch_of_the_pair(tree))];
  };
  EXPECT_GT(support(30), 0.99);
  EXPECT_LT(support(0), 0.95);
}

}  // namespace
