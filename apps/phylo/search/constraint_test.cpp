#include "phylo/search/constraint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "phylo/model/notation.hpp"
#include "phylo/search/parsimony.hpp"
#include "phylo/search/search.hpp"
#include "phylo/tree/grown_tree.hpp"
#include "phylo/tree/rearrange.hpp"

namespace phylo {
namespace {

Tree random_tree(int tips, Random& random) {
  return grown_tree(tips, random, [] { return 0.1; });
}

/// Some splits of a random tree, without some of its tips.
Constraint random_constraint(const Tree& tree, Random& random, double tips_kept, double splits_kept) {
  std::vector<bool> tips;
  for (HalfEdge tip = 0; tip < tree.tips(); ++tip) tips.push_back(random.uniform() < tips_kept);
  std::vector<Split> clusters;
  for (BranchSplit& one : inner_splits(tree)) {
    for (HalfEdge tip = 0; tip < tree.tips(); ++tip)
      if (!tips[static_cast<std::size_t>(tip)] && holds(one.split, tip))
        one.split[static_cast<std::size_t>(tip) / 64] ^= std::uint64_t{1} << (tip % 64);
    if (random.uniform() < splits_kept) clusters.push_back(std::move(one.split));
  }
  return Constraint(tips, clusters);
}

/// The plain way: whether some branch of the tree parts the constrained tips so, for each cluster.
bool displays(const Tree& tree, const Constraint& constraint) {
  std::vector<Split> all = {};
  for (const BranchSplit& one : inner_splits(tree)) all.push_back(one.split);
  return std::ranges::all_of(constraint.clusters(), [&](const Split& cluster) {
    return std::ranges::any_of(all, [&](const Split& split) {
      bool same = true, opposite = true;
      for (HalfEdge tip = 0; tip < tree.tips(); ++tip) {
        if (constraint.key(tip) == 0) continue;
        same = same && holds(split, tip) == holds(cluster, tip);
        opposite = opposite && holds(split, tip) != holds(cluster, tip);
      }
      return same || opposite;
    });
  });
}

Patterns random_patterns(int taxa, int count, Random& random) {
  Patterns p;
  p.taxa = taxa;
  p.count = count;
  for (int i = 0; i < taxa * count; ++i) p.codes.push_back(static_cast<std::uint8_t>(1U << random.below(4)));
  for (int site = 0; site < count; ++site) {
    p.weights.push_back(1);
    p.pattern_of_site.push_back(site);
  }
  for (int taxon = 0; taxon < taxa; ++taxon) p.names.push_back(std::string("t").append(std::to_string(taxon)));
  return p;
}

TEST(Constraint, IsDisplayedByTreesThatHaveItsSplits) {
  Random random(1);
  int displayed = 0;
  for (int turn = 0; turn < 300; ++turn) {
    const Tree made_of = random_tree(9, random), other = random_tree(9, random);
    const Constraint constraint = random_constraint(made_of, random, 0.6, 0.5);
    EXPECT_TRUE(constraint.displayed_by(made_of));
    EXPECT_EQ(constraint.displayed_by(other), displays(other, constraint));
    displayed += constraint.displayed_by(other);
  }
  EXPECT_GT(displayed, 20);
  EXPECT_LT(displayed, 280);
}

TEST(Constraint, DropsWhatSaysNothing) {
  std::vector<bool> tips(8, true);
  tips[7] = false;
  // {1}; {1, 2}; all but 1; {3 ... 6} and its other side {0, 1, 2}; {1, 2} again.
  const Constraint constraint(tips, {{0b10}, {0b110}, {0b1111101}, {0b1111000}, {0b0000111}, {0b110}});
  EXPECT_EQ(constraint.clusters(), (std::vector<Split>{{0b110}, {0b1111000}}));
  EXPECT_EQ(constraint.constrained(), 7);
}

TEST(ConstrainedWalk, MeetsExactlyThePlacesWhereTheConstraintStays) {
  Random random(2);
  int kept = 0, lost = 0;
  for (int turn = 0; turn < 120; ++turn) {
    const Tree tree = random_tree(12, random);
    const Constraint constraint = random_constraint(tree, random, 0.4 + 0.6 * random.uniform(), random.uniform());
    for (HalfEdge joint = tree.tips(); joint < tree.half_edges(); ++joint) {
      Tree rest = tree;
      const Pruned from = prune(rest, joint);
      ConstrainedWalk walk(constraint);
      walk.start(rest, from.near, from.far);
      std::set<HalfEdge> met;
      std::vector<HalfEdge> stack{from.near, from.far}, places;
      while (!stack.empty()) {
        const HalfEdge h = stack.back();
        stack.pop_back();
        for (HalfEdge side = rest.next(h); side != h; side = rest.next(side)) {
          places.push_back(rest.back(side));
          stack.push_back(rest.back(side));
        }
      }
      stack = {from.near, from.far};
      while (!stack.empty()) {
        const HalfEdge h = stack.back();
        stack.pop_back();
        if (!walk.may_enter(rest, h)) continue;
        for (HalfEdge side = rest.next(h); side != h; side = rest.next(side)) {
          met.insert(rest.back(side));
          stack.push_back(rest.back(side));
        }
      }
      for (const HalfEdge place : places) {
        Tree moved = rest;
        regraft(moved, joint, place, 0.1, 0.1, 0.1);
        ASSERT_EQ(met.contains(place), displays(moved, constraint));
        ++(met.contains(place) ? kept : lost);
      }
    }
  }
  EXPECT_GT(kept, 1000);
  EXPECT_GT(lost, 1000);
}

TEST(ConstrainedGrowth, OffersExactlyThePlacesThatFit) {
  Random random(3);
  int kept = 0, lost = 0;
  for (int turn = 0; turn < 300; ++turn) {
    const Tree made_of = random_tree(10, random);
    const Constraint constraint = random_constraint(made_of, random, 0.4 + 0.6 * random.uniform(), random.uniform());
    std::vector<HalfEdge> order{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    random.shuffle(order);
    Tree tree = triplet(10, order[0], order[1], order[2], 0.1);
    ConstrainedGrowth growth(constraint);
    for (std::size_t k = 3; k < order.size(); ++k) {
      const std::vector<char> places = growth.places(tree, order[0], order[k]);
      std::vector<HalfEdge> open;
      const Tree before = tree;
      before.for_each_branch([&](HalfEdge h) {
        EXPECT_EQ(places[static_cast<std::size_t>(h)], places[static_cast<std::size_t>(before.back(h))]);
        if (places[static_cast<std::size_t>(h)] != 0) open.push_back(h);
        if (k + 1 < order.size()) return;
        Tree grown = before;
        attach_tip(grown, order[k], 10 + static_cast<Node>(k) - 2, h, 0.1);
        ASSERT_EQ(places[static_cast<std::size_t>(h)] != 0, displays(grown, constraint));
        ++(places[static_cast<std::size_t>(h)] != 0 ? kept : lost);
      });
      ASSERT_FALSE(open.empty());
      attach_tip(tree, order[k], 10 + static_cast<Node>(k) - 2, open[random.below(open.size())], 0.1);
    }
    EXPECT_TRUE(displays(tree, constraint));
  }
  EXPECT_GT(kept, 200);
  EXPECT_GT(lost, 200);
}

TEST(ConstrainedSearches, DisplayTheConstraintFromTheStartToTheEnd) {
  Random random(4);
  for (int turn = 0; turn < 12; ++turn) {
    const Tree made_of = random_tree(14, random);
    const Constraint constraint = random_constraint(made_of, random, turn % 3 == 0 ? 1 : 0.7, 0.2 + 0.3 * (turn % 3));
    const Patterns patterns = random_patterns(14, 60, random);  // which say something else
    const ParsimonySites sites(patterns);
    EXPECT_TRUE(displays(parsimony_start(sites, random, 20, &constraint), constraint));
    EXPECT_TRUE(displays(parsimony_improved(sites, made_of, random, 4, &constraint), constraint));
    SearchOptions options;
    options.index = static_cast<std::uint64_t>(turn);
    options.effort = {.restarts = 1, .ratchets = 2, .fruitless = 2};
    options.constraint = &constraint;
    const SearchResult constrained = search(patterns, parse_model("JC"), options);
    EXPECT_TRUE(displays(constrained.tree, constraint));
    // Without it the search goes on from there.
    options.constraint = nullptr;
    options.start = constrained.tree;
    EXPECT_GE(search(patterns, parse_model("JC"), options).lnl, constrained.lnl - 0.01);
  }
}

TEST(ConstrainedSearches, FindTheTreeThatIsConstrainedWholly) {
  Random random(5);
  const Tree made_of = random_tree(12, random);
  const Constraint constraint = random_constraint(made_of, random, 1, 1);
  EXPECT_EQ(constraint.clusters().size(), 9u);
  SearchOptions options;
  options.effort = {.ratchets = 1, .fruitless = 1};
  options.constraint = &constraint;
  EXPECT_EQ(robinson_foulds(search(random_patterns(12, 40, random), parse_model("JC"), options).tree, made_of), 0);
}

}  // namespace
}  // namespace phylo
