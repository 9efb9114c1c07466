#include "phylo/mcmc/grid.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include "maslin/runtime.hpp"
#include "phylo/io/error.hpp"
#include "phylo/mcmc/small_grid.hpp"

namespace phylo {
namespace {

TEST(Grid, GoesOnFromAStateAsIfNothingHadHappened) {
  const Patterns patterns = some_rows();
  const GridSetup setup = setup_of(patterns);
  Grid undisturbed(setup);
  undisturbed.advance(1500);
  GridState state = Grid(setup).state();
  for (const std::int64_t stop : {1, 13, 400, 690, 701, 702, 1207}) {
    Grid grid(setup, state);
    grid.advance(stop);
    state = grid.state();
  }
  Grid last(setup, state);
  last.advance(1500);
  expect_equal(last.state(), undisturbed.state());
}

TEST(Grid, KeepsTheLikelihoodOfItsStates) {
  const Patterns patterns = some_rows();
  GridSetup setup = setup_of(patterns);
  Grid doubles(setup);
  doubles.advance(2000);
  EXPECT_LT(doubles.largest_error(), 1e-8);
  setup.chain.precision = Precision::binary32;
  Grid floats(setup);
  floats.advance(2000);
  EXPECT_LT(floats.largest_error(), 1e-3);
  EXPECT_GT(floats.largest_error(), 1e-8);
}

TEST(Grid, SaysOfAnyChainThatItsLikelihoodIsNoNumber) {
  const Patterns patterns = some_rows();
  const GridSetup setup = setup_of(patterns);
  const GridState state = Grid(setup).state();
  for (std::size_t run = 0; run < 2; ++run)
    for (std::size_t chain = 0; chain < 3; ++chain) {
      GridState odd = state;
      odd.runs[run].chains[chain].lnl = std::numeric_limits<double>::quiet_NaN();
      EXPECT_TRUE(std::isnan(Grid(setup, odd).largest_error())) << run << ' ' << chain;
    }
}

TEST(Grid, ChainsWhoseLikelihoodIsNoNumberAreNotSwapped) {
  const Patterns patterns = some_rows();
  const GridSetup setup = setup_of(patterns);
  GridState state = Grid(setup).state();
  for (ChainState& chain : state.runs[0].chains) chain.lnl = std::numeric_limits<double>::quiet_NaN();
  Grid grid(setup, state);
  grid.advance(1000);
  const auto sum = [](const std::vector<std::int64_t>& all) {
    return std::accumulate(all.begin(), all.end(), std::int64_t{0});
  };
  EXPECT_EQ(sum(grid.swaps_tried(0)), 100);
  EXPECT_EQ(sum(grid.swaps_accepted(0)), 0);
  EXPECT_GT(sum(grid.swaps_accepted(1)), 0);
}

TEST(Grid, RefusesChainsThatThePriorsExclude) {
  const Patterns patterns = some_rows();
  const GridSetup setup = setup_of(patterns);
  GridState state = Grid(setup).state();
  state.runs[1].chains[2].model.rates[3] = -0.1;
  EXPECT_THROW(Grid(setup, state), input_error);
}

TEST(Grid, SwapsChainsAndRunsDiffer) {
  const Patterns patterns = some_rows();
  GridSetup setup = setup_of(patterns);
  Grid grid(setup);
  grid.advance(2000);
  const GridState state = grid.state();
  for (const RunState& run : state.runs) {
    std::int64_t tried = 0, accepted = 0;
    for (std::size_t i = 0; i < run.swaps_tried.size(); ++i) {
      tried += run.swaps_tried[i];
      accepted += run.swaps_accepted[i];
    }
    EXPECT_EQ(tried, 200);
    EXPECT_GT(accepted, 20);
  }
  EXPECT_NE(grid.cold(0).lnl, grid.cold(1).lnl);
}

TEST(Grid, BoldnessStaysAfterBurnIn) {
  const Patterns patterns = some_rows();
  const GridSetup setup = setup_of(patterns);
  Grid grid(setup);
  const auto boldness = [&] { return grid.records(0)[static_cast<std::size_t>(Move::branch_multiplier)].boldness; };
  const double first = boldness();
  grid.advance(700);
  const double tuned = boldness();
  EXPECT_NE(tuned, first);
  grid.advance(2000);
  EXPECT_EQ(boldness(), tuned);
}

TEST(Grid, WeightsChangeDuringBurnInOnly) {
  const Patterns patterns = some_rows();
  GridSetup setup = setup_of(patterns);
  setup.chain.tuned_generations = 2000;  // in half of it each of these moves is tried a hundred times
  Grid grid(setup);
  const auto weights = [&](int run) {
    PerMove<double> all;
    for (std::size_t m = 0; m < moves; ++m) all[m] = grid.records(run)[m].weight;
    return all;
  };
  EXPECT_EQ(weights(0), setup.chain.weights);
  grid.advance(2000);
  const PerMove<double> adapted = weights(0);
  EXPECT_NE(adapted[static_cast<std::size_t>(Move::rates)], 20);
  EXPECT_NE(adapted[static_cast<std::size_t>(Move::nni)], 16);
  EXPECT_NE(adapted, weights(1));  // each run has its own
  grid.advance(3000);
  EXPECT_EQ(weights(0), adapted);
}

TEST(Grid, StopsWhenItIsAskedTo) {
  const Patterns patterns = some_rows();
  const GridSetup setup = setup_of(patterns);
  Grid grid(setup);
  grid.advance(500, [&] { return grid.generation() >= 100; });
  EXPECT_EQ(grid.generation(), 100);
}

}  // namespace
}  // namespace phylo
