#pragma once
// The options of mcmc, read and checked.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "phylo/mcmc/grid.hpp"
#include "phylo/run/commands.hpp"

namespace phylo {

struct ChainOptions {
  GridSetup grid;  ///< patterns are still to be set
  std::int64_t generations = 0;
  std::int64_t burnin = 0;        ///< generations; samples up to here say nothing of the posterior
  std::optional<double> stop_at;  ///< average deviation of split frequencies
  int segments = 1;               ///< into which ranks divide the alignment
};

/// Gives what the command asks for. Throws `input_error` for what cannot be.
ChainOptions read_options(const McmcCommand& command, const Model& model);

/// Gives what samples depend on beside alignment and program, by option.
std::map<std::string, std::string> identity_of(const McmcCommand& command, const ChainOptions& options);

}  // namespace phylo
