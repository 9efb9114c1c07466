#pragma once
// For tests: a small grid, and how its states are compared.

#include <gtest/gtest.h>

#include "phylo/mcmc/grid.hpp"
#include "phylo/mcmc/small_trees.hpp"
#include "phylo/model/notation.hpp"

namespace phylo {

inline Patterns some_rows() {
  return patterns_of({"ACGTACGTACGAAACGT", "ACGTTCGAACGTAACGA", "ACCTTCAATCTTGACGG", "AGCTTCATTCGACACCC",
                      "AGCTTGATTCGACACCT", "AGCATGATTCGACATCT", "TGCATGATCCGACATCG"});
}

inline GridSetup setup_of(const Patterns& patterns) {
  GridSetup setup;
  setup.chain.patterns = &patterns;
  setup.chain.model = parse_model("GTR+G");
  setup.chain.weights = default_weights(Sampled(setup.chain.model));
  // So often that weights change within the burn-in.
  for (const Move move : {Move::tree_multiplier, Move::rates, Move::frequencies, Move::shape})
    setup.chain.weights[static_cast<std::size_t>(move)] = 20;
  setup.chain.adapts.fill(true);
  setup.chain.seed = 7;
  setup.chain.tuned_generations = 700;
  setup.runs = 2;
  setup.chains = 3;
  return setup;
}

inline void expect_equal(const GridState& a, const GridState& b) {
  EXPECT_EQ(a.generation, b.generation);
  ASSERT_EQ(a.runs.size(), b.runs.size());
  for (std::size_t r = 0; r < a.runs.size(); ++r) {
    const RunState &x = a.runs[r], &y = b.runs[r];
    EXPECT_EQ(x.heats, y.heats);
    EXPECT_EQ(x.swaps_tried, y.swaps_tried);
    EXPECT_EQ(x.swaps_accepted, y.swaps_accepted);
    for (std::size_t c = 0; c < x.chains.size(); ++c) {
      EXPECT_TRUE(x.chains[c].tree == y.chains[c].tree);
      EXPECT_TRUE(x.chains[c].model == y.chains[c].model);
      EXPECT_EQ(x.chains[c].lnl, y.chains[c].lnl);
      EXPECT_EQ(x.chains[c].log_prior, y.chains[c].log_prior);
      for (std::size_t m = 0; m < moves; ++m) {
        EXPECT_EQ(x.tunings[c].moves[m].boldness, y.tunings[c].moves[m].boldness);
        EXPECT_EQ(x.tunings[c].moves[m].weight, y.tunings[c].moves[m].weight);
        EXPECT_EQ(x.tunings[c].moves[m].accepted, y.tunings[c].moves[m].accepted);
      }
    }
  }
}

}  // namespace phylo
