#include "phylo/search/difficulty.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "phylo/io/alphabet.hpp"
#include "phylo/model/notation.hpp"

namespace {

using phylo::Difficulty;
using phylo::Parts;
using phylo::SearchPlan;

constexpr int taxa = 12;

/// One part of DNA; `base(column, taxon)` gives a base's number.
template <class Base>
Parts columns(int count, Base&& base) {
  phylo::Patterns p;
  p.alphabet = &phylo::dna_alphabet();
  p.taxa = taxa;
  p.count = count;
  p.codes.resize(static_cast<std::size_t>(taxa * count));
  for (int column = 0; column < count; ++column) {
    for (int taxon = 0; taxon < taxa; ++taxon)
      p.codes[static_cast<std::size_t>(taxon * count + column)] = static_cast<std::uint8_t>(1U << base(column, taxon));
    p.weights.push_back(1);
    p.pattern_of_site.push_back(column);
  }
  return {{"all", p, phylo::parse_model("JC")}};
}

/// Each column is the split of an inner branch of one caterpillar.
Parts of_one_tree() {
  return columns(90, [](int column, int taxon) { return taxon < 2 + column % (taxa - 3) ? 0 : 1; });
}

Parts of_none() {
  return columns(40, [random = std::mt19937(5)](int, int) mutable { return random() % 4; });
}

Difficulty difficulty_of(const Parts& parts, std::uint64_t seed) {
  return phylo::difficulty_of(parts, phylo::parsimony_trees(parts, seed));
}

TEST(Difficulty, IsNoneWhereAllParsimonyTreesAreOne) {
  const Difficulty found = difficulty_of(of_one_tree(), 1);
  EXPECT_EQ(found.distance, 0);
  EXPECT_EQ(found.topologies, 1.0 / 24);
  EXPECT_EQ(found.patterns, 90.0 / taxa);
  EXPECT_LT(found.score, 0.25);
}

TEST(Difficulty, IsHighWhereSitesAreNoise) {
  const Difficulty found = difficulty_of(of_none(), 1);
  EXPECT_GT(found.distance, 0.5);
  EXPECT_GT(found.topologies, 0.8);
  EXPECT_GT(found.score, 0.7);
  EXPECT_LE(found.score, 1);
}

TEST(Difficulty, IsTheSameWithTheSameSeedAndAnotherWithAnother) {
  const Difficulty one = difficulty_of(of_none(), 1);
  EXPECT_EQ(difficulty_of(of_none(), 1).distance, one.distance);
  EXPECT_EQ(difficulty_of(of_none(), 1).score, one.score);
  EXPECT_NE(difficulty_of(of_none(), 2).distance, one.distance);
}

TEST(Difficulty, OfPartsIsThatOfTheirColumnsTogether) {
  Parts two = of_one_tree();
  two.push_back(of_one_tree().front());
  const Difficulty found = difficulty_of(two, 1);
  EXPECT_EQ(found.distance, 0);
  EXPECT_EQ(found.patterns, 180.0 / taxa);
}

TEST(ParsimonyTrees, AreThoseAtWhichSearchesBegin) {
  const Parts parts = of_none();
  const std::vector<phylo::ParsimonyTree> made = phylo::parsimony_trees(parts, 7);
  for (const std::size_t index : {std::size_t{0}, made.size() - 1}) {
    phylo::SearchOptions options;
    options.seed = 7;
    options.index = index;
    options.effort = {.ratchets = 1, .fruitless = 1};  // draws on from where the start tree left the generator
    const phylo::SearchResult anew = phylo::search(parts, options);
    options.start = made[index];
    const phylo::SearchResult reused = phylo::search(parts, options);
    EXPECT_EQ(reused.lnl, anew.lnl);
    EXPECT_TRUE(reused.tree == anew.tree);
    options.index += 1;  // another stream of random numbers, which must not be drawn from
    EXPECT_EQ(phylo::search(parts, options).lnl, anew.lnl);
  }
}

TEST(SearchPlan, SearchesMostWhereItIsNeitherEasyNorHopeless) {
  const auto searches = [](double score) {
    const SearchPlan plan = phylo::plan_for(score);
    return plan.parsimony + plan.random;
  };
  EXPECT_GE(searches(0), 1);
  EXPECT_GT(searches(0.6), searches(0));
  EXPECT_GT(searches(0.6), searches(1));
  EXPECT_GT(phylo::plan_for(0.6).random, 0);
  EXPECT_LT(phylo::plan_for(0).ratchets, phylo::plan_for(0.6).ratchets);
}

}  // namespace
