#pragma once
// Support values on trees.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "phylo/io/newick.hpp"
#include "phylo/tree/splits.hpp"

namespace phylo {

/// Gives the tree in Newick with supports (per half-edge, in [0, 1], negative: none) as per cent at inner nodes.
std::string newick_with_support(const Tree& tree, const std::vector<std::string>& names,
                                const std::vector<double>& supports, bool with_lengths = true);

/// Gives for every half-edge of the tree its support by so many others, in [0, 1]; -1 for branches to tips. The metric
/// is fbp or tbe.
std::vector<double> support_by(const std::string& metric, const Tree& tree, std::size_t count,
                               const std::function<Tree(std::size_t)>& other);

/// Gives the splits of all trees of a file. Throws `input_error` when the taxa of one differ from `names`.
SplitCounts count_splits(const NewickFile& file, const std::vector<std::string>& names, const std::string& whose);

}  // namespace phylo
