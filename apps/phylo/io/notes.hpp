#pragma once
// What is odd about an alignment, but no error.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "phylo/io/alignment.hpp"
#include "phylo/io/patterns.hpp"

namespace phylo {

/// Gives a sentence for each kind of oddity: characters that no model has a state for; taxa without any determined
/// character, and taxa with the same sequence, whose places in a tree are arbitrary.
std::vector<std::string> notes_on(const Alignment& alignment);

/// Gives the number of sites that are the same in all taxa, or may be.
std::size_t constant_sites(const Patterns& patterns);

/// Gives a sentence if hardly any site varies: if all of them are constant, or more than 95 % are and those that vary
/// are fewer than the n - 3 inner branches of a tree of the n taxa, so that hardly all of these have a site that tells
/// of them. Close sequences as such are nothing odd.
std::optional<std::string> note_on_constant(std::size_t constant, std::size_t sites, int taxa);

}  // namespace phylo
