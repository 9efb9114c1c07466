#pragma once
// A tree that the user gives, and what is fitted on it.

#include <string>
#include <vector>

#include "phylo/like/engine.hpp"
#include "phylo/run/commands.hpp"
#include "phylo/run/inputs.hpp"

namespace phylo {

/// Gives the data that the tree is of.
Data read_data(const GivenTree& given);

/// Gives the tree; it needs lengths only if nothing is fitted. With unlinked branch lengths the file may have as many
/// trees as there are parts: the same one with the lengths of each. Throws `input_error` when it is not one of the
/// data's taxa.
Tree read_given_tree(const GivenTree& given, const Data& data);

/// Gives all trees of the file; with unlinked branch lengths the one that `read_given_tree` gives.
std::vector<Tree> read_given_trees(const GivenTree& given, const Data& data);

/// Fits what `--optimize` names: none, branches, or all (branches and model). Gives the log-likelihood.
double fit(Engine& engine, Tree& tree, const std::string& optimize);

/// Says on standard error which parameters have no value of their own though nothing fits them, so that nobody takes
/// their starting values for estimates.
void note_open_parameters(const Scheme& scheme, const std::string& optimize);

}  // namespace phylo
