// Proposals, accepted or not, leave an engine in a state that gives the same bits as a new one.

#include "maslin/runtime.hpp"
#include "phylo/mcmc/small_trees.hpp"
#include "phylo/model/notation.hpp"

namespace phylo {
namespace {

/// Rows of which neighbours resemble each other, so that subtrees show few columns, or all do not.
Patterns rows(int taxa, int sites, std::uint64_t variety, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::string> out(static_cast<std::size_t>(taxa));
  for (int site = 0; site < sites; ++site) {
    char base = "ACGT"[random.below(4)];
    for (std::string& row : out) {
      if (random.below(static_cast<std::uint64_t>(taxa)) < variety) base = "ACGT"[random.below(4)];
      row += random.below(40) == 0 ? 'N' : base;
    }
  }
  return patterns_of(out);
}

void follow(const Patterns& patterns, const Model& model, std::uint64_t seed, int steps, double length) {
  Random random(seed);
  const Sampled sampled(model);
  const PerMove<double> weights = default_weights(sampled);
  Tree tree = random_topology(random, patterns.taxa, length);
  Model at = starting_model(model, Priors());
  Engine::Options options;
  options.proposals = true;
  Engine engine(patterns, at, options);
  engine.evaluate(tree);
  Step step;
  int accepted = 0;
  for (int i = 0; i < steps; ++i) {
    std::size_t m = random.below(moves);
    while (weights[m] == 0) m = random.below(moves);
    const Tree tree_before = tree;
    const Model model_before = at;
    const auto place = patterns.taxa + static_cast<HalfEdge>(random.below(3 * (patterns.taxa - 2u)));
    propose(static_cast<Move>(m), place, random, default_boldness()[m], 0.8, tree, at, step);
    if (step.reach == Step::Reach::nothing) continue;
    const double lnl = step.reach == Step::Reach::branches  ? engine.propose(tree, step.around, step.changed, step.at)
                       : step.reach == Step::Reach::lengths ? engine.propose_all(tree, step.at)
                                                            : engine.propose(tree, at, step.at);
    Engine anew(patterns, at);
    ASSERT_EQ(lnl, anew.evaluate(tree, step.at)) << "step " << i << ", " << name_of(static_cast<Move>(m));
    if (random.below(3) == 0) {
      engine.accept();
      ++accepted;
    } else {
      engine.reject();
      tree = tree_before;
      at = model_before;
    }
    ASSERT_TRUE(tree.complete());
    if (i % 7 == 0) {
      const auto h = static_cast<HalfEdge>(random.below(static_cast<std::uint64_t>(tree.half_edges())));
      Engine other(patterns, at);
      ASSERT_EQ(engine.evaluate(tree, h), other.evaluate(tree, h)) << "after step " << i;
    }
  }
  EXPECT_GT(accepted, steps / 10);
}

TEST(Proposals, GiveTheBitsOfANewEngine) {
  for (const char* model : {"JC", "HKY+I", "GTR+G+I", "TIM3+G"}) {
    follow(rows(12, 150, 6, 1), parse_model(model), 2, 400, 0.1);
    follow(rows(12, 150, 1, 3), parse_model(model), 4, 400, 0.1);
    follow(rows(4, 30, 2, 5), parse_model(model), 6, 200, 0.1);
  }
}

TEST(Proposals, GiveTheBitsOfANewEngineWhereLikelihoodsAreScaled) {
  follow(rows(200, 20, 150, 7), parse_model("GTR+G"), 8, 150, 3);
  follow(rows(200, 20, 1, 9), parse_model("JC"), 10, 150, 3);
}

TEST(Proposals, AreRefusedInsideEachOtherAndByEnginesWithoutThem) {
  const Patterns patterns = rows(5, 10, 2, 1);
  Random random(1);
  const Tree tree = random_topology(random, 5, 0.1);
  Engine::Options options;
  options.proposals = true;
  Engine engine(patterns, parse_model("JC"), options), without(patterns, parse_model("JC"));
  EXPECT_THROW(engine.accept(), std::logic_error);
  EXPECT_THROW(without.propose_all(tree, 0), std::logic_error);
  engine.propose_all(tree, 0);
  EXPECT_THROW(engine.propose_all(tree, 0), std::logic_error);
}

}  // namespace
}  // namespace phylo
