#pragma once
// The search for the tree and model of maximum likelihood. A pure function of its inputs: the same seed gives the same
// bits at any number of workers.

#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "phylo/io/patterns.hpp"
#include "phylo/model/part.hpp"
#include "phylo/search/random.hpp"
#include "phylo/search/search_state.hpp"
#include "phylo/search/spr.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo {

/// Begin at a randomized parsimony tree, see `parsimony_start`.
struct ParsimonyStart {};
/// Begin at the randomized parsimony tree that was made before for this search, as `parsimony_trees` does.
struct ParsimonyTree {
  Tree tree;
  Random::State random;  ///< where the search's generator stands then
};
/// Begin at a random tree, see `random_start`.
struct RandomStart {};
/// Where a search begins; a tree of one's own must display the constraint.
using Start = std::variant<ParsimonyStart, ParsimonyTree, RandomStart, Tree>;

/// How far a search goes beyond its first climb.
struct Effort {
  int restarts = 0;   ///< other parsimony trees from which it climbs as well, where it began at a parsimony tree
  int ratchets = 0;   ///< perturbations of the best tree from which it climbs anew, at most
  int fruitless = 0;  ///< so many perturbations in a row that bring nothing are the last ones
};
/// What the words of `--search` mean. Chosen on four alignments and their bootstrap replicates
/// (docs/decisions/phylo.md).
inline constexpr Effort fast_effort{};
inline constexpr Effort standard_effort{.restarts = 2, .ratchets = 8, .fruitless = 1};
inline constexpr Effort thorough_effort{.ratchets = 8, .fruitless = 8};

/// Called where a search can go on from.
using SearchKeeper = std::function<void(const SearchState&)>;

struct SearchOptions {
  std::uint64_t seed = 1;   ///< of the run
  std::uint64_t index = 0;  ///< which of the run's searches this is: each draws its own start tree
  Start start = ParsimonyStart();
  bool unlinked = false;                   ///< each part has branch lengths of its own
  const Constraint* constraint = nullptr;  ///< that the tree must display
  /// Bytes that CLVs may take; one a node there is in any case, which searches as fast (docs/decisions/phylo.md).
  /// Results do not depend on it.
  std::size_t memory = 0;
  Effort effort = standard_effort;
  double epsilon = 0.003;  ///< log-likelihood units: what the last optimization of model and branches may leave
  const SearchState* from = nullptr;  ///< go on from there; all else must be as it was
  SearchKeeper keep = nullptr;        ///< called between rounds, if there is one
  /// Called before each of the search's off-loads, if there is one. May throw, which ends the search: a round of a
  /// hundred partitions, or fitting their models, takes too long to be waited for.
  std::function<void()> between = nullptr;
};

struct SearchResult {
  Tree tree;
  Model model;                ///< of the first part
  std::vector<Model> models;  ///< of all parts
  double lnl = 0;
  SearchCounts counts;
};

/// Called with the highest log-likelihood reached so far, whenever one is reached.
using SearchProgress = std::function<void(double lnl)>;

/// Gives the best tree found by hill climbing from its start, from other parsimony trees, and from perturbations of the
/// best tree so far by the parsimony ratchet (Nixon 1999), with its branch lengths and model optimized. The models say
/// what is to be optimized, and where that begins. Takes all its parallelism from the likelihood kernels, which it
/// off-loads; so call it from a stream of a phase, one search a stream.
SearchResult search(const Parts& parts, const SearchOptions& options, const SearchProgress& progress = {});
/// The same of one part.
SearchResult search(const Patterns& patterns, const Model& model, const SearchOptions& options,
                    const SearchProgress& progress = {});

}  // namespace phylo
