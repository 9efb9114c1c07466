#include "phylo/search/search.hpp"

#include <algorithm>

#include "phylo/like/engine.hpp"
#include "phylo/search/parsimony.hpp"
#include "phylo/search/random.hpp"

namespace phylo {
namespace {

constexpr int radius_step = 5;
constexpr int radius_limit = 21;  // RAxML's; what lies farther away is never better
constexpr double round_gain = 0.1;

}  // namespace

SearchResult search(const Patterns& patterns, const Model& model, const SearchOptions& options,
                    const SearchProgress& progress) {
  SearchResult result;
  if (options.start) {
    result.tree = *options.start;
  } else {
    Random random(stream_seed(options.seed, Draw::start_tree, options.index));
    result.tree = parsimony_start(patterns, random);
  }
  Engine engine(patterns, model);
  Tree& tree = result.tree;
  SprClimber climber(engine, tree, result.counts);
  auto report = [&](double lnl) {
    if (progress) progress(lnl);
    return lnl;
  };
  auto smooth = [&](int rounds, double epsilon) {
    ++result.counts.smoothed;
    return report(engine.smooth(tree, rounds, epsilon));
  };

  smooth(2, 10);
  engine.optimize_model(tree, 10);
  double lnl = smooth(4, 1);

  const int limit = std::min(radius_limit, tree.tips() - 3);
  SprRound round;
  round.nearest = 1;
  round.farthest = radius_step;
  round.near_misses = 0;
  // Wider and wider while that brings something.
  for (;;) {
    const double before = lnl;
    climber.round(round, lnl);
    lnl = smooth(4, 1);
    if (lnl - before < round_gain || round.farthest >= limit) break;
    round.nearest = round.farthest + 1;
    round.farthest += radius_step;
  }
  engine.optimize_model(tree, 1);
  lnl = smooth(4, 0.1);
  climber.forget_judged();

  round.near_misses = 20;
  round.nearest = 1;
  round.farthest = radius_step;
  for (;;) {
    const double before = lnl;
    climber.round(round, lnl);
    lnl = smooth(4, 0.1);
    if (lnl - before >= round_gain) {
      round.nearest = 1;
      round.farthest = radius_step;
    } else {
      round.nearest = round.farthest + 1;
      round.farthest += radius_step;
      if (round.nearest > limit) break;
    }
  }
  result.lnl = report(engine.optimize(tree, options.epsilon));
  result.model = engine.model();
  return result;
}

}  // namespace phylo
