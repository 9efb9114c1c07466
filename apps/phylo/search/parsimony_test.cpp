#include "phylo/search/parsimony.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "phylo/tree/rearrange.hpp"
#include "phylo/tree/splits.hpp"

namespace phylo {
namespace {

/// Patterns with these codes, one string of masks a taxon, and weights.
Patterns patterns_of(const std::vector<std::vector<std::uint8_t>>& rows, std::vector<std::uint32_t> weights) {
  Patterns patterns;
  patterns.taxa = static_cast<int>(rows.size());
  patterns.count = static_cast<int>(weights.size());
  for (const auto& row : rows) {
    patterns.names.push_back(std::string("t").append(std::to_string(patterns.names.size())));
    patterns.codes.insert(patterns.codes.end(), row.begin(), row.end());
  }
  for (std::int32_t p = 0; p < patterns.count; ++p)
    patterns.pattern_of_site.insert(patterns.pattern_of_site.end(), weights[static_cast<std::size_t>(p)], p);
  patterns.weights = std::move(weights);
  return patterns;
}

Patterns random_patterns(int taxa, int count, bool ambiguous, Random& random) {
  std::vector<std::vector<std::uint8_t>> rows(static_cast<std::size_t>(taxa));
  for (auto& row : rows)
    for (int p = 0; p < count; ++p)
      row.push_back(static_cast<std::uint8_t>(ambiguous ? 1 + random.below(15) : std::uint64_t{1} << random.below(4)));
  std::vector<std::uint32_t> weights;
  for (int p = 0; p < count; ++p) weights.push_back(static_cast<std::uint32_t>(1 + random.below(3)));
  return patterns_of(rows, weights);
}

/// What random patterns consist of.
enum class Codes { bases, ambiguous, amino_acids, three_states };

Patterns random_patterns(int taxa, int count, Codes codes, Random& random) {
  Patterns patterns = random_patterns(taxa, count, codes == Codes::ambiguous, random);
  if (codes == Codes::bases || codes == Codes::ambiguous) return patterns;
  patterns.alphabet = codes == Codes::amino_acids ? &protein_alphabet() : &multistate_alphabet(3);
  // Few of the states in a column, so that trees differ.
  for (std::uint8_t& code : patterns.codes) {
    const std::uint64_t drawn = random.below(8);
    code = static_cast<std::uint8_t>(patterns.alphabet->codes - 1 - static_cast<int>(drawn) % patterns.alphabet->codes);
  }
  return patterns;
}

/// The score by trying all bases at every inner node, one pattern at a time (Sankoff with unit costs).
std::int64_t brute_force_score(const Patterns& patterns, const Tree& tree) {
  constexpr std::int64_t never = 1000000;
  const auto states = static_cast<std::size_t>(patterns.alphabet->states);
  const auto set = [&](HalfEdge tip, int p) { return patterns.alphabet->sets[patterns.row(tip)[p]]; };
  std::int64_t score = 0;
  for (int p = 0; p < patterns.count; ++p) {
    std::function<std::vector<std::int64_t>(HalfEdge)> costs = [&](HalfEdge h) {
      std::vector<std::int64_t> cost(states, 0);
      if (tree.is_tip(h)) {
        for (std::size_t b = 0; b < states; ++b) cost[b] = (set(h, p) >> b & 1) != 0 ? 0 : never;
        return cost;
      }
      for (HalfEdge side = tree.next(h); side != h; side = tree.next(side)) {
        const auto below = costs(tree.back(side));
        for (std::size_t b = 0; b < states; ++b) {
          std::int64_t least = never;
          for (std::size_t c = 0; c < states; ++c) least = std::min(least, below[c] + (b == c ? 0 : 1));
          cost[b] += least;
        }
      }
      return cost;
    };
    const auto of_rest = costs(tree.back(0));
    std::int64_t least = never;
    for (std::size_t b = 0; b < states; ++b)
      for (std::size_t c = 0; c < states; ++c)
        if ((set(0, p) >> b & 1) != 0) least = std::min(least, of_rest[c] + (b == c ? 0 : 1));
    score += least * patterns.weights[static_cast<std::size_t>(p)];
  }
  return score;
}

Tree random_tree(std::int32_t tips, Random& random) {
  Tree tree = triplet(tips, 0, 1, 2, 0.1);
  for (std::int32_t t = 3; t < tips; ++t) {
    const std::vector<HalfEdge> branches = tree.branches();
    attach_tip(tree, t, tips + t - 2, branches[random.below(branches.size())], 0.1);
  }
  return tree;
}

/// Calls `visit` for each of the 3 * 5 * ... * (2n-5) trees.
void for_every_tree(std::int32_t tips, const std::function<void(const Tree&)>& visit) {
  std::function<void(const Tree&, std::int32_t)> add = [&](const Tree& tree, std::int32_t tip) {
    if (tip == tips) return visit(tree);
    for (const HalfEdge h : tree.branches()) {
      Tree larger = tree;
      attach_tip(larger, tip, tips + tip - 2, h, 0.1);
      add(larger, tip + 1);
    }
  };
  add(triplet(tips, 0, 1, 2, 0.1), 3);
}

class ParsimonyScore : public ::testing::TestWithParam<Codes> {};

TEST_P(ParsimonyScore, equals_brute_force) {
  Random random(17);
  for (const int taxa : {4, 5, 9, 20}) {
    const Patterns patterns = random_patterns(taxa, 150, GetParam(), random);
    const ParsimonySites sites(patterns);
    for (int i = 0; i < 5; ++i) {
      const Tree tree = random_tree(taxa, random);
      EXPECT_EQ(parsimony_score(sites, tree), brute_force_score(patterns, tree));
    }
  }
}

TEST_P(ParsimonyScore, leaves_out_only_what_no_tree_changes) {
  Random random(23);
  for (int p = 0; p < 200; ++p) {
    const Patterns one = random_patterns(5, 1, GetParam(), random);
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0;
    for_every_tree(5, [&](const Tree& tree) {
      const std::int64_t score = brute_force_score(one, tree);
      least = std::min(least, score);
      most = std::max(most, score);
    });
    const ParsimonySites sites(one);
    const bool left_out = sites.columns() == 0;
    EXPECT_FALSE(left_out && (least != most || most != sites.constant_score()));
  }
}

const char* name_of(const ::testing::TestParamInfo<Codes>& tested) {
  constexpr const char* names[] = {"bases", "ambiguous", "amino_acids", "three_states"};
  return names[static_cast<int>(tested.param)];
}

INSTANTIATE_TEST_SUITE_P(Codes, ParsimonyScore,
                         ::testing::Values(Codes::bases, Codes::ambiguous, Codes::amino_acids, Codes::three_states),
                         name_of);

TEST(ParsimonyStart, finds_the_shortest_of_all_trees_of_seven_taxa) {
  Random random(31);
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Patterns patterns = random_patterns(7, 40, false, random);
    const ParsimonySites sites(patterns);
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for_every_tree(7, [&](const Tree& tree) { least = std::min(least, parsimony_score(sites, tree)); });
    std::int64_t found = std::numeric_limits<std::int64_t>::max();
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      Random draw(seed);
      const Tree tree = parsimony_start(patterns, draw);
      ASSERT_TRUE(tree.complete());
      found = std::min(found, parsimony_score(sites, tree));
    }
    EXPECT_EQ(found, least);
  }
}

TEST(ParsimonyStart, is_no_worse_than_any_single_rearrangement_of_it) {
  Random random(41);
  const Patterns patterns = random_patterns(12, 100, false, random);
  const ParsimonySites sites(patterns);
  Tree tree = parsimony_start(patterns, random);
  const std::int64_t score = parsimony_score(sites, tree);
  for (HalfEdge joint = tree.tips(); joint < tree.half_edges(); ++joint) {
    const Pruned from = prune(tree, joint);
    std::vector<HalfEdge> stack{from.near, from.far};
    while (!stack.empty()) {
      const HalfEdge h = stack.back();
      stack.pop_back();
      for (HalfEdge side = tree.next(h); side != h; side = tree.next(side)) stack.push_back(tree.back(side));
      Tree moved = tree;
      regraft(moved, joint, h, 0.1, 0.1, 0.1);
      EXPECT_GE(parsimony_score(sites, moved), score);
    }
    restore(tree, from);
  }
}

TEST(ParsimonyImproved, shortens_a_tree_and_leaves_a_short_one_alone) {
  Random random(47);
  const Patterns patterns = random_patterns(15, 80, false, random);
  const ParsimonySites sites(patterns);
  const Tree any = random_tree(15, random);
  const Tree better = parsimony_improved(sites, any, random);
  EXPECT_TRUE(better.complete());
  EXPECT_LT(parsimony_score(sites, better), parsimony_score(sites, any));
  EXPECT_TRUE(parsimony_improved(sites, better, random) == better);
}

TEST(ParsimonyStart, is_the_same_for_the_same_seed_and_differs_between_seeds) {
  Random random(43);
  const Patterns patterns = random_patterns(40, 60, true, random);
  Random a(1), b(1), c(2);
  const Tree first = parsimony_start(patterns, a);
  EXPECT_TRUE(first == parsimony_start(patterns, b));
  EXPECT_GT(robinson_foulds(first, parsimony_start(patterns, c)), 0);
}

TEST(ParsimonyStart, counts_a_pattern_as_often_as_it_occurs) {
  // One pattern says 01|23, one says 02|13; the heavier one wins.
  const std::vector<std::vector<std::uint8_t>> rows = {{1, 1}, {1, 2}, {2, 1}, {2, 2}};
  for (const bool first_heavier : {true, false}) {
    const Patterns patterns =
        patterns_of(rows, first_heavier ? std::vector<std::uint32_t>{5, 2} : std::vector<std::uint32_t>{2, 5});
    Random random(3);
    const auto splits = inner_splits(parsimony_start(patterns, random));
    ASSERT_EQ(splits.size(), 1U);
    EXPECT_EQ(splits[0].split[0], first_heavier ? 0b1100U : 0b1010U);
  }
}

TEST(ParsimonyStart, works_where_no_column_tells_trees_apart) {
  const Patterns patterns = patterns_of({{1}, {1}, {1}, {2}, {15}}, {7});
  const ParsimonySites sites(patterns);
  EXPECT_EQ(sites.columns(), 0);
  EXPECT_EQ(sites.constant_score(), 7);
  Random random(3);
  EXPECT_TRUE(parsimony_start(patterns, random).complete());
}

}  // namespace
}  // namespace phylo
