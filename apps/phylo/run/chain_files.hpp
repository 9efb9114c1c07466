#pragma once
// The files of samples that others follow while chains run.

#include <string>
#include <vector>

#include "phylo/io/alignment.hpp"
#include "phylo/mcmc/grid.hpp"
#include "phylo/run/chain_samples.hpp"
#include "phylo/run/prefix.hpp"
#include "phylo/run/results.hpp"

namespace phylo {

/// PREFIX.run1.p, PREFIX.run1.t and so on (PREFIX.p and PREFIX.t of a single run), and PREFIX.mcmc.
class ChainFiles {
 public:
  ChainFiles(const Prefix& prefix, const Alignment& alignment, const GridSetup& setup);

  /// Replaces them all, each whole. Called after a checkpoint: so they never hold a sample that a killed run would
  /// not find again. Throws `input_error` when that cannot be done.
  void write(const std::vector<RunSamples>& runs, const std::vector<McmcRow>& rows, const std::string& id) const;

  const std::vector<WrittenFile>& all() const { return files_; }
  /// Gives the names of the sampled values.
  const std::vector<std::string>& columns() const { return columns_; }

 private:
  const std::vector<std::string>& names_;  ///< of the taxa
  std::vector<std::string> columns_;
  std::vector<std::string> chain_columns_;
  std::vector<WrittenFile> files_;  ///< parameters and trees of each run, then the diagnostics
};

}  // namespace phylo
