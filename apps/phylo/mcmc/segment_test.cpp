// Engines of segments together give the bits of an engine of all patterns, whatever is proposed to them.

#include "phylo/like/segment.hpp"

#include <list>
#include <memory>

#include "phylo/like/gradient.hpp"
#include "phylo/mcmc/small_trees.hpp"
#include "phylo/model/notation.hpp"

namespace phylo {
namespace {

constexpr int taxa = 11;

/// Patterns that resemble each other by turns much, so that subtrees show few columns, and little.
Patterns some_patterns(const Model& model, int count, std::uint64_t seed) {
  Random random(seed);
  Patterns patterns;
  const Alphabet& alphabet = *model.alphabet;
  patterns.alphabet = &alphabet;
  patterns.taxa = taxa;
  patterns.count = count;
  patterns.codes.resize(static_cast<std::size_t>(taxa * count));
  for (int p = 0; p < count; ++p) {
    std::uint32_t state = 0;
    for (int taxon = 0; taxon < taxa; ++taxon) {
      if (taxon == 0 || random.below(taxa) < (p < count / 2 ? 1U : 6U))
        state = static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(alphabet.states)));
      patterns.codes[static_cast<std::size_t>(taxon * count + p)] =
          random.below(40) == 0 ? alphabet.unknown : alphabet.find_set(1U << state);
    }
    patterns.weights.push_back(1 + static_cast<std::uint32_t>(random.below(3)));
  }
  return patterns;
}

/// Engines of all segments. Each is asked in its turn, so the sum is taken afterwards.
class Together {
 public:
  Together(const Patterns& patterns, const Model& model, int segments, const Engine::Options& options) {
    for (int number = 0; number < segments; ++number) {
      Segment& segment = segments_.emplace_back(Segment{number, segments, {}});
      segment.sum = [this](std::span<const double> of_blocks) {
        blocks_.insert(blocks_.end(), of_blocks.begin(), of_blocks.end());
        return 0.0;
      };
      Engine::Options own = options;
      own.segment = &segment;
      engines_.push_back(std::make_unique<Engine>(patterns, model, own));
    }
  }
  template <class Ask>
  double ask(Ask&& ask_one) {
    blocks_.clear();
    for (const auto& engine : engines_) ask_one(*engine);
    return sum_in_order(blocks_);
  }
  const std::vector<std::unique_ptr<Engine>>& engines() const { return engines_; }

 private:
  std::list<Segment> segments_;
  std::vector<std::unique_ptr<Engine>> engines_;
  std::vector<double> blocks_;
};

void expect_same(const char* notation, int count, Precision precision, int segments) {
  SCOPED_TRACE(testing::Message() << notation << ", " << segments << " segments");
  const Model model = parse_model(notation);
  const Patterns patterns = some_patterns(model, count, 5);
  const Sampled sampled(model);
  const PerMove<double> weights = default_weights(sampled);
  Engine::Options options;
  options.proposals = true;
  options.precision = precision;
  Model at = starting_model(model, Priors());
  Engine whole(patterns, at, options);
  Together parts(patterns, at, segments, options);
  Random random(6);
  Tree tree = random_topology(random, taxa, 0.1);
  ASSERT_EQ(parts.ask([&](Engine& engine) { return engine.evaluate(tree); }), whole.evaluate(tree));
  Step step;
  for (int i = 0; i < 150; ++i) {
    std::size_t m = random.below(moves);
    while (weights[m] == 0) m = random.below(moves);
    const Tree tree_before = tree;
    const Model model_before = at;
    const auto place = taxa + static_cast<HalfEdge>(random.below(3 * (taxa - 2)));
    propose(static_cast<Move>(m), place, random, default_boldness()[m], 0.8, tree, at, step);
    if (step.reach == Step::Reach::nothing) continue;
    const auto likelihood = [&](Engine& engine) {
      if (step.reach == Step::Reach::branches) return engine.propose(tree, step.around, step.changed, step.at);
      return step.reach == Step::Reach::lengths ? engine.propose_all(tree, step.at) : engine.propose(tree, at, step.at);
    };
    ASSERT_EQ(parts.ask(likelihood), likelihood(whole)) << "step " << i << ", " << name_of(static_cast<Move>(m));
    const bool accepted = random.below(3) == 0;
    accepted ? whole.accept() : whole.reject();
    for (const auto& engine : parts.engines()) accepted ? engine->accept() : engine->reject();
    if (accepted) continue;
    tree = tree_before;
    at = model_before;
  }
}

TEST(Segments, HaveTheBitsOfTheWhole) {
  for (const int segments : {1, 2, 3, 5}) {
    expect_same("GTR+G+I", 333, Precision::binary64, segments);
    expect_same("GTR+G+I", 333, Precision::binary32, segments);
    expect_same("LG+G", 90, Precision::binary64, segments);
  }
}

TEST(Segments, HaveTheBitsOfTheWholeWhereConstantSitesWereLeftOut) {
  for (const int segments : {2, 5}) {
    expect_same("HKY+G+ASC_LEWIS", 333, Precision::binary64, segments);
    expect_same("MULTI3_MK+G+ASC_FELS{50}", 333, Precision::binary64, segments);
    expect_same("JC+ASC_STAM{9/8/7/6}", 333, Precision::binary32, segments);
  }
}

TEST(Segments, AreWholeBlocksOfEqualNumber) {
  const Model model = parse_model("JC");
  for (const int count : {1, 64, 65, 333, 1000}) {
    const Patterns patterns = some_patterns(model, count, 7);
    const int blocks = (count + 63) / 64;
    for (const int segments : {1, 2, 3, 7}) {
      const std::vector<int> shares = blocks_of_segments(patterns, segments);
      ASSERT_EQ(shares.size(), static_cast<std::size_t>(segments));
      int all = 0, columns = 0;
      for (int number = 0; number < segments; ++number) {
        const int first = first_pattern(patterns, number, segments),
                  end = first_pattern(patterns, number + 1, segments);
        EXPECT_EQ(first % 64 == 0 || first == count, true) << first;
        EXPECT_EQ((end - first + 63) / 64, shares[static_cast<std::size_t>(number)]);
        all += shares[static_cast<std::size_t>(number)];
        columns += end - first;
      }
      EXPECT_EQ(all, blocks);
      EXPECT_EQ(columns, count);
      const auto [least, most] = std::ranges::minmax(shares);
      EXPECT_LE(most - least, 1);
    }
  }
}

TEST(Segments, AreRefusedWhereOneOfThemSaysNothing) {
  const Model model = parse_model("JC");
  const Patterns patterns = some_patterns(model, 100, 8);
  const Segment segment{0, 2, sum_in_order};
  Engine::Options options;
  options.segment = &segment;
  Engine engine(patterns, model, options);
  Random random(9);
  Tree tree = random_topology(random, taxa, 0.1);
  EXPECT_LT(engine.evaluate(tree), 0);
  EXPECT_THROW(engine.makenewz(tree, 0), std::logic_error);
  EXPECT_THROW(engine.smooth(tree), std::logic_error);
  EXPECT_THROW(engine.log_likelihoods_of_patterns(tree, 0), std::logic_error);
  EXPECT_THROW(engine.slopes_of_model(tree), std::logic_error);
  EXPECT_THROW(engine.insertion(tree, 0, 5, 0.1, Fit::nothing), std::logic_error);
  EXPECT_LT(engine.evaluate(tree), 0);
}

}  // namespace
}  // namespace phylo
