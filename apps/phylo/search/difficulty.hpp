#pragma once
// How difficult it is to find the best tree of an alignment, predicted before any likelihood is computed; and how much
// searching that is worth. After J. Haag et al., From easy to hopeless (Mol. Biol. Evol. 39, 2022), who let a program
// learn what such features say, and A. Togkousidis et al., Adaptive RAxML-NG (Mol. Biol. Evol. 40, 2023): where it is
// easy, searches agree anyway; where it is hopeless, many trees are as good as each other; in between, searching pays.

#include <cstdint>
#include <vector>

#include "phylo/model/part.hpp"
#include "phylo/search/constraint.hpp"
#include "phylo/search/search.hpp"

namespace phylo {

struct Difficulty {
  double distance = 0;    ///< mean of the parsimony trees' relative Robinson-Foulds distances, 0 to 1
  double topologies = 0;  ///< how many different ones there are, as a share of them
  double patterns = 0;    ///< site patterns of all parts per taxon
  double score = 0;       ///< 0: easy, 1: hopeless
};

/// Gives the trees that difficulty is predicted from: those at which the first 24 searches of a run with that seed
/// begin. They are made in a loop.
std::vector<ParsimonyTree> parsimony_trees(const Parts& parts, std::uint64_t seed,
                                           const Constraint* constraint = nullptr);

/// Gives the difficulty of the alignment, predicted from these trees of it and its patterns.
Difficulty difficulty_of(const Parts& parts, const std::vector<ParsimonyTree>& trees);

/// Gives the score that these features make.
double score_of(double distance, double topologies, double patterns);

/// How many searches begin at which trees, and how far they go.
struct SearchPlan {
  int parsimony = 1;
  int random = 0;
  int ratchets = 0;  ///< of each search
};

/// Gives what a difficulty is worth.
SearchPlan plan_for(double score);

}  // namespace phylo
