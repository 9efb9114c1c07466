#include "phylo/search/search.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <maslin/maslin.hpp>
#include <string>
#include <vector>

#include "phylo/model/notation.hpp"
#include "phylo/search/bootstrap.hpp"
#include "phylo/search/parsimony.hpp"
#include "phylo/search/random.hpp"
#include "phylo/tree/rearrange.hpp"
#include "phylo/tree/splits.hpp"

namespace phylo {
namespace {

Tree random_tree(std::int32_t tips, Random& random) {
  auto length = [&] { return 0.03 + 0.12 * random.uniform(); };
  Tree tree = triplet(tips, 0, 1, 2, 0.1);
  for (std::int32_t t = 3; t < tips; ++t) {
    const std::vector<HalfEdge> branches = tree.branches();
    attach_tip(tree, t, tips + t - 2, branches[random.below(branches.size())], 0.1);
  }
  for (const HalfEdge h : tree.branches()) tree.set_length(h, length());
  return tree;
}

/// Sites that evolved along the tree under Kimura's model (1980), transitions `kappa` times as fast as transversions.
Patterns simulate(const Tree& tree, int sites, double kappa, Random& random) {
  auto evolve = [&](int base, double t) {
    const double beta = 1 / (kappa + 2), x = std::exp(-4 * beta * t), y = std::exp(-2 * (kappa + 1) * beta * t);
    const double transition = 0.25 + 0.25 * x - 0.5 * y, transversion = 0.25 - 0.25 * x;
    const double u = random.uniform();
    if (u < transition) return base ^ 2;  // A-G and C-T
    if (u < transition + transversion) return base ^ 1;
    if (u < transition + 2 * transversion) return base ^ 3;
    return base;
  };
  Alignment alignment;
  alignment.rows.assign(static_cast<std::size_t>(tree.tips()), std::string(static_cast<std::size_t>(sites), 'A'));
  for (int t = 0; t < tree.tips(); ++t) alignment.names.push_back(std::string("taxon").append(std::to_string(t)));
  for (int site = 0; site < sites; ++site) {
    struct Step {
      HalfEdge to;
      int base;
    };
    const int root = static_cast<int>(random.below(4));
    std::vector<Step> stack{{tree.back(0), evolve(root, tree.length(0))}};
    alignment.rows[0][static_cast<std::size_t>(site)] = "ACGT"[root];
    while (!stack.empty()) {
      const Step step = stack.back();
      stack.pop_back();
      if (tree.is_tip(step.to)) {
        alignment.rows[static_cast<std::size_t>(step.to)][static_cast<std::size_t>(site)] = "ACGT"[step.base];
        continue;
      }
      for (HalfEdge side = tree.next(step.to); side != step.to; side = tree.next(side))
        stack.push_back({tree.back(side), evolve(step.base, tree.length(side))});
    }
  }
  return compress(alignment);
}

TEST(Search, finds_the_tree_that_the_sites_evolved_on) {
  maslin::Runtime runtime({.serial = true});
  Random random(2026);
  const Tree truth = random_tree(16, random);
  const Patterns patterns = simulate(truth, 1500, 4, random);
  SearchOptions options;
  options.start = truth;
  const SearchResult from_truth = search(patterns, parse_model("K80"), options);
  options.start = random_tree(16, random);  // far from it
  ASSERT_GT(robinson_foulds(std::get<Tree>(options.start), truth), 15);
  const SearchResult from_afar = search(patterns, parse_model("K80"), options);
  EXPECT_TRUE(from_afar.tree.complete());
  EXPECT_EQ(robinson_foulds(from_afar.tree, truth), 0);
  EXPECT_NEAR(from_afar.lnl, from_truth.lnl, 0.1);
  EXPECT_NEAR(from_afar.model.rates[1], 4, 0.8) << "transitions over transversions";
  EXPECT_GT(from_afar.counts.moved, 0);
}

TEST(Search, value_is_that_of_the_tree_and_model_it_gives) {
  maslin::Runtime runtime({.serial = true});
  Random random(7);
  const Patterns patterns = simulate(random_tree(10, random), 400, 2, random);
  const SearchResult found = search(patterns, parse_model("GTR+G"), {.seed = 5});
  Engine engine(patterns, found.model);
  engine.set_model(found.model);  // with the frequencies that were found
  EXPECT_NEAR(engine.evaluate(found.tree), found.lnl, 1e-6);
}

TEST(Search, reports_a_likelihood_that_rises) {
  maslin::Runtime runtime({.serial = true});
  Random random(8);
  const Patterns patterns = simulate(random_tree(12, random), 300, 2, random);
  std::vector<double> reported;
  const SearchResult found =
      search(patterns, parse_model("HKY"), {.seed = 3}, [&](double lnl) { reported.push_back(lnl); });
  ASSERT_GT(reported.size(), 3U);
  for (std::size_t i = 1; i < reported.size(); ++i) EXPECT_GE(reported[i], reported[i - 1] - 1e-6);
  EXPECT_EQ(reported.back(), found.lnl);
}

TEST(Search, can_be_left_before_each_of_its_off_loads) {
  maslin::Runtime runtime({.serial = true});
  Random random(6);
  const Patterns patterns = simulate(random_tree(12, random), 200, 2, random);
  const Model model = parse_model("GTR+G");
  std::int64_t calls = 0;
  std::vector<std::int64_t> reports;  // before each: so many calls
  SearchOptions options{.effort = {.ratchets = 1, .fruitless = 1}, .between = [&] { ++calls; }};
  const SearchResult result = search(patterns, model, options, [&](double) { reports.push_back(calls); });
  EXPECT_GE(calls, result.counts.pruned + result.counts.scored + 3 * result.counts.fitted);
  // The last one is that of fitting the model and all 21 branches, which is one call of the engine.
  EXPECT_GT(reports.back() - reports[reports.size() - 2], 100);
  for (const std::int64_t last : {calls / 4, calls / 2, calls - 1}) {
    struct Left {};
    std::int64_t left = last;
    options.between = [&] {
      if (left-- == 0) throw Left();
    };
    EXPECT_THROW(search(patterns, model, options), Left);
  }
}

TEST(Search, goes_as_far_as_its_effort_says) {
  maslin::Runtime runtime({.serial = true});
  Random random(13);
  const Patterns patterns = simulate(random_tree(16, random), 60, 2, random);  // few sites: many trees are as good
  const auto found = [&](const Effort& effort, const Start& start) {
    return search(patterns, parse_model("JC"), {.start = start, .effort = effort});
  };
  const SearchResult fast = found(fast_effort, ParsimonyStart());
  EXPECT_EQ(fast.counts.restarts + fast.counts.ratchets, 0);
  const SearchResult thorough = found(thorough_effort, ParsimonyStart());
  EXPECT_EQ(thorough.counts.restarts, 0);
  EXPECT_EQ(thorough.counts.ratchets, 8);
  EXPECT_GT(thorough.lnl, fast.lnl - 0.01);
  const SearchResult standard = found(standard_effort, ParsimonyStart());
  EXPECT_EQ(standard.counts.restarts, 2);
  EXPECT_GE(standard.counts.ratchets, 1);
  EXPECT_GT(standard.lnl, fast.lnl - 0.01);
  const SearchResult all = found({.ratchets = 8, .fruitless = 8}, fast.tree);
  const SearchResult stopped = found({.ratchets = 8, .fruitless = 1}, fast.tree);
  EXPECT_LT(stopped.counts.ratchets, all.counts.ratchets);
  EXPECT_EQ(found(standard_effort, fast.tree).counts.restarts, 0) << "it was told where to begin";
  EXPECT_EQ(found(standard_effort, RandomStart()).counts.restarts, 0);
}

TEST(Search, ends_when_two_starts_lead_to_one_tree) {
  maslin::Runtime runtime({.serial = true});
  Random random(2026);
  const Patterns patterns = simulate(random_tree(16, random), 1500, 4, random);  // which all searches agree on
  const SearchResult found = search(patterns, parse_model("K80"), {.effort = standard_effort});
  EXPECT_EQ(found.counts.restarts, 1);
  EXPECT_EQ(found.counts.ratchets, 0);
}

TEST(Search, works_on_four_taxa) {
  maslin::Runtime runtime({.serial = true});
  Random random(9);
  const Tree truth = random_tree(4, random);
  const SearchResult found = search(simulate(truth, 500, 2, random), parse_model("JC"), {});
  EXPECT_EQ(robinson_foulds(found.tree, truth), 0);
}

/// What three streams find: one search from a parsimony tree and two bootstrap replicates.
std::vector<SearchResult> three_searches(const Patterns& patterns) {
  std::vector<SearchResult> found(3);
  maslin::phase("searches", 3, [&](std::int64_t i) {
    const auto index = static_cast<std::uint64_t>(i);
    const Patterns own = i == 0 ? patterns : bootstrap_patterns(patterns, 11, index);
    found[static_cast<std::size_t>(i)] = search(own, parse_model("GTR+G"), {.seed = 11, .index = index});
  });
  return found;
}

TEST(Search, gives_the_same_bits_for_the_same_seed_at_any_number_of_workers) {
  Random random(10);
  const Patterns patterns = simulate(random_tree(12, random), 600, 3, random);
  std::vector<SearchResult> serial;
  {
    maslin::Runtime runtime({.serial = true});
    serial = three_searches(patterns);
  }
  EXPECT_NE(serial[0].lnl, serial[1].lnl);
  for (const int workers : {1, 2, 3, 8}) {
    maslin::Runtime runtime({.workers = workers});
    const std::vector<SearchResult> found = three_searches(patterns);
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(found[i].tree == serial[i].tree) << workers << " workers, stream " << i;
      EXPECT_EQ(found[i].lnl, serial[i].lnl) << workers << " workers, stream " << i;
      EXPECT_TRUE(found[i].model == serial[i].model);
    }
  }
}

TEST(Search, starts_elsewhere_for_another_seed_or_index) {
  Random random(12);
  const Patterns patterns = simulate(random_tree(30, random), 100, 2, random);
  Random a(stream_seed(1, Draw::start_tree, 0)), b(stream_seed(1, Draw::start_tree, 1)),
      c(stream_seed(2, Draw::start_tree, 0));
  const Tree first = parsimony_start(patterns, a);
  EXPECT_FALSE(first == parsimony_start(patterns, b));
  EXPECT_FALSE(first == parsimony_start(patterns, c));
}

}  // namespace
}  // namespace phylo
