#pragma once
// The phase: independent searches and bootstrap replicates, each a stream.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "maslin/phase.hpp"
#include "phylo/model/part.hpp"
#include "phylo/model/scheme.hpp"
#include "phylo/run/checkpoint.hpp"
#include "phylo/run/log.hpp"
#include "phylo/run/monitor.hpp"
#include "phylo/search/agreement.hpp"
#include "phylo/search/constraint.hpp"
#include "phylo/search/search.hpp"

namespace phylo {

/// The name of the phase, by which it is pinned (MASLIN_PIN="trees=2x1") and reported.
inline constexpr const char* trees_phase = "trees";

/// Trees to be found.
struct InferenceJob {
  const Parts* parts = nullptr;
  const Scheme* scheme = nullptr;  ///< of the parts, for the text of models
  bool unlinked = false;           ///< each part has branch lengths of its own
  std::uint64_t seed = 1;
  const Constraint* constraint = nullptr;
  std::vector<Start> starts;  ///< of the searches on the alignment itself, one each
  Effort search_effort;       ///< of each of these searches
  Effort replicate_effort;
  int replicates = 0;              ///< bootstrap
  double cutoff = 0;               ///< at which there are enough of them, see `agreement`; 0: all are made
  std::size_t memory = 0;          ///< bytes of each search, for CLVs; one a node there is in any case
  double checkpoint_seconds = 60;  ///< between two writes of a search that is under way
  bool quiet = false;
  Log* log = nullptr;
};

/// All trees of a job.
struct Inference {
  std::vector<FinishedTree> searches;
  std::vector<FinishedTree> replicates;
  std::vector<TreeId> computed;  ///< in this run, ascending; the others came from the checkpoint
  std::vector<std::string> damaged;
  std::optional<Agreement> agreement;         ///< of the replicates, if it was asked for and there are enough to tell
  std::optional<maslin::phase_report> phase;  ///< of this run; nothing when all trees had been finished
  double seconds = 0;

  /// Gives the search with the highest log-likelihood, the first of equals.
  const FinishedTree& best() const;
};

/// Gives the trees of the job, or as many replicates as are enough: finished ones from the checkpoint, the rest from
/// one phase, each saved when it is done. A tree depends on data, models, seed and its own id only, so the order and
/// number of streams don't matter. Throws `Stopped` after SIGINT or SIGTERM, and `input_error` when a tree can't be
/// saved.
Inference infer(const InferenceJob& job, Checkpoint& checkpoint);

}  // namespace phylo
