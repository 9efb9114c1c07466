#pragma once
// What the ranks of a run need of each other before their chains begin.

#include "phylo/io/patterns.hpp"
#include "phylo/mcmc/ranks.hpp"

namespace phylo {

/// Rank 0's part of `shared_patterns`.
void share_patterns(Ranks& ranks, const Patterns& patterns);
/// Gives the patterns that rank 0 has read, as far as likelihoods need them, in the other ranks. Throws `input_error`
/// if this rank computes with other instructions.
Patterns shared_patterns(Ranks& ranks, const Alphabet& alphabet);

}  // namespace phylo
