#pragma once
// What runs of chains have found: result.json, and the same facts as text.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "maslin/phase.hpp"
#include "phylo/io/alignment.hpp"
#include "phylo/io/patterns.hpp"
#include "phylo/mcmc/diagnostics.hpp"
#include "phylo/mcmc/grid.hpp"
#include "phylo/run/chain_samples.hpp"
#include "phylo/run/precision_check.hpp"
#include "phylo/run/results.hpp"

namespace phylo {

/// All that the results say of a run.
struct ChainFacts {
  const Alignment* alignment = nullptr;
  const Patterns* patterns = nullptr;
  const Grid* grid = nullptr;
  const GridSetup* setup = nullptr;
  const std::vector<RunSamples>* runs = nullptr;
  const std::vector<std::string>* columns = nullptr;
  std::map<std::string, std::string> options;
  std::int64_t generations = 0;  ///< that were made
  std::int64_t restored = 0;     ///< of these, by earlier processes
  std::int64_t burnin = 0;
  std::optional<SplitDeviation> deviation;        ///< nothing with one run
  bool converged = false;                         ///< --stop-at was reached
  std::optional<PrecisionCheck> precision_check;  ///< of this process; nothing in double precision
  std::string instructions;
  int workers = 1;
  int ranks = 1;
  int segments = 1;  ///< among which the ranks of a group of chains divide the alignment
  double seconds = 0;
  std::vector<WrittenFile> files;
};

/// Says which model that is, and what of it chains sample: "HKY+FO; sampled: frequencies, kappa".
std::string described(const Model& model);

nlohmann::json to_json(const ChainFacts& facts);
std::string summarize(const ChainFacts& facts);

/// Gives the columns of the .mcmc file and the row of this moment.
std::vector<std::string> chain_columns(const GridSetup& setup);
McmcRow chain_row(const Grid& grid, const GridSetup& setup, const std::optional<SplitDeviation>& deviation);

/// Says for the log how far the samples after the burn-in can be trusted by now: the least effective sample size and
/// the largest potential scale reduction factor, each with its parameter, and how often neighbouring heats were
/// swapped. Leaves out what is not known yet; may be empty.
std::string trust_so_far(const Grid& grid, const GridSetup& setup, const std::vector<RunSamples>& runs,
                         const std::vector<std::string>& columns);

}  // namespace phylo
