#pragma once
// What is odd about an alignment, but no error.

#include <string>
#include <vector>

#include "phylo/io/alignment.hpp"

namespace phylo {

/// Gives a sentence for each kind of oddity: taxa without any determined character, and taxa with the same sequence.
/// Their places in a tree are arbitrary.
std::vector<std::string> notes_on(const Alignment& alignment);

}  // namespace phylo
