#pragma once
// Where searches begin, as users say it.

#include <string>
#include <vector>

#include "phylo/search/difficulty.hpp"
#include "phylo/search/search.hpp"

namespace phylo {

/// The start of each search, and how messages and results name it: "parsimony", "random", "FILE, tree 2".
struct Starts {
  std::vector<Start> trees;
  std::vector<std::string> origins;
};

/// Gives what `--start-trees` lists: `pars{N}` (N parsimony trees), `rand{N}` (N random ones) and Newick files (each of
/// their trees), with commas between; without braces N is 1. Trees of files have the taxa `names` and display the
/// constraint, if there is one. Throws `input_error` for anything else.
Starts read_starts(const std::string& list, const std::vector<std::string>& names, const Constraint* constraint);

/// Gives so many parsimony trees: what `--starts` means.
Starts parsimony_starts(int count);

/// Gives how far searches go by a word of `--search`: fast, standard or thorough; of adaptive, how far its replicates
/// do.
Effort effort_of(const std::string& word);

/// Gives the starts of a plan: what `--search adaptive` means. The parsimony trees are the first ones of `made`.
Starts planned_starts(const SearchPlan& plan, const std::vector<ParsimonyTree>& made);

/// Gives a digest of the starts, by which a checkpoint knows whether its trees were searched for from the same ones.
/// Empty if all are parsimony trees, of which there may be more in a later run.
std::string digest_of(const Starts& starts, const std::vector<std::string>& names);

}  // namespace phylo
