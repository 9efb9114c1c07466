#pragma once
// What a run of chains has sampled, and how it stands in files.

#include <cstdint>
#include <string>
#include <vector>

#include "phylo/mcmc/chain.hpp"
#include "phylo/tree/splits.hpp"

namespace phylo {

/// Where a cold chain was at one generation.
struct Sample {
  std::int64_t generation = 0;
  std::vector<double> values;  ///< of the columns
  std::string tree;            ///< Newick, the taxa as numbers from 1
};

/// Gives the names of the sampled values as MrBayes has them: LnL, LnPr, TL, r(A<->C) and so on.
std::vector<std::string> columns_of(const Model& model);

/// Gives the sample of a state, whose model is as `asked_for` says.
Sample sample_of(const ChainState& state, const Model& asked_for, std::int64_t generation);

/// The samples of one run.
struct RunSamples {
  explicit RunSamples(std::int32_t taxa) : splits(taxa) {}

  /// Adds a sample; of its tree, the splits count if it comes after the burn-in.
  void add(Sample sample, const Tree& tree, std::int64_t burnin);

  std::vector<Sample> all;
  std::size_t burnt = 0;  ///< samples up to the end of the burn-in
  SplitCounts splits;     ///< of the others

  /// Gives the values of a column after the burn-in.
  std::vector<double> column(std::size_t number) const;
};

/// One row of the .mcmc file.
struct McmcRow {
  std::int64_t generation = 0;
  std::vector<double> values;  ///< minus 1 where there is no value (NA)
};

/// The number that all files of a run bear, in MrBayes's form.
std::string file_id(std::uint64_t identity);

/// Give the files' contents: parameters (.p), trees (.t), the diagnostics of the chains (.mcmc), the consensus.
std::string parameter_file(const RunSamples& run, const std::vector<std::string>& columns, const std::string& id);
std::string tree_file(const RunSamples& run, const std::vector<std::string>& names, const std::string& id);
std::string chain_file(const std::vector<McmcRow>& rows, const std::vector<std::string>& columns,
                       const std::string& id);
std::string consensus_file(const std::vector<RunSamples>& runs, const std::vector<std::string>& names,
                           const std::string& id);

}  // namespace phylo
