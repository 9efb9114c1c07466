#pragma once
// Constraint trees as users hand them in.

#include <string>
#include <vector>

#include "phylo/search/constraint.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo {

/// Gives the constraint that the one tree of a Newick file is. Its tips are some of `names` or all; its nodes may have
/// any number of children, two at least; a root, lengths and labels of inner nodes mean nothing. Throws `input_error`
/// with line and column for a taxon that is none of `names` or stands twice, for a node of one child, and for a tree
/// that constrains nothing.
Constraint read_constraint(const std::string& file, const std::vector<std::string>& names);
Constraint parse_constraint(std::string text, const std::string& file, const std::vector<std::string>& names);

/// Gives a text that is the same for equal constraints only.
std::string canonical(const Constraint& constraint, const std::vector<std::string>& names);

/// Gives the taxa of the first cluster that the tree does not display; none if it displays all.
std::vector<std::string> missing_from(const Tree& tree, const Constraint& constraint,
                                      const std::vector<std::string>& names);

}  // namespace phylo
