#pragma once
// Where a search is between two of its rounds: all that it needs to go on, and to end on the same tree, to the last
// bit.

#include <vector>

#include "phylo/like/curvature.hpp"
#include "phylo/model/model.hpp"
#include "phylo/search/random.hpp"
#include "phylo/search/spr.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo {

struct SearchState {
  enum class Stage {
    beginning,   ///< the first round
    restarting,  ///< climbs from other parsimony trees
    perturbing,  ///< ratchets
    finishing,   ///< the last climb
  };
  Stage stage = Stage::beginning;
  int fruitless = 0;  ///< the last so many ratchets brought nothing
  int nearest = 1;    ///< of the next round of the last climb
  int farthest = 1;
  Tree tree;
  std::vector<Model> models;          ///< by part
  std::vector<Curvature> curvatures;  ///< of their likelihoods, by part
  double lnl = 0;                     ///< of the tree
  double highest = 0;                 ///< so far
  SearchCounts counts;
  ClimberState climber;
  Random::State random{};
};

}  // namespace phylo
