#pragma once
// SH-aLRT support of a run's trees.

#include <cstdint>
#include <vector>

#include "phylo/run/checkpoint.hpp"
#include "phylo/run/inputs.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo {

/// The tree and the models that a search has ended with, to the last bit.
struct Found {
  Tree tree;  ///< with unlinked branch lengths if they are
  Parts parts;
};
Found found_by(const Data& data, const FinishedTree& search);

/// Gives `sh_alrt` of it, and shows how far that is. Throws `Stopped` after SIGINT or SIGTERM; `trees` have been
/// finished by then.
std::vector<double> alrt_of(const Found& found, int replicates, std::uint64_t seed, bool quiet, int trees);

}  // namespace phylo
