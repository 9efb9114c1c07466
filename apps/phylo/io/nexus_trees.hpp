#pragma once
// Trees in NEXUS, as MrBayes, BEAST, PAUP* and `maslin-phylo mcmc` write them.

#include <cstddef>
#include <functional>

#include "phylo/io/newick.hpp"

namespace phylo {

/// Takes the trees (one at least) of the TREES blocks of the file's text. `parse_tree` takes the tree in Newick that
/// begins at an offset and gives where it ends. Tips get the names that TRANSLATE gives to their labels. Throws
/// `input_error` with line and column for whatever is no such block.
void parse_nexus_trees(NewickFile& file, const std::function<std::size_t(std::size_t)>& parse_tree);

}  // namespace phylo
