#include "phylo/run/given_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "phylo/io/newick.hpp"
#include "phylo/io/text.hpp"
#include "phylo/tree/splits.hpp"
#include "phylo/tree/unlinked.hpp"

namespace phylo {

Data read_data(const GivenTree& given) { return read_data(given.msa, given.data_type, given.model, given.brlen); }

namespace {

Lengths lengths_of(const GivenTree& given) { return given.optimize == "none" ? Lengths::required : Lengths::optional; }

/// Gives the tree of unlinked branch lengths.
Tree unlinked_tree(const NewickFile& read, const GivenTree& given, const Data& data) {
  const Lengths lengths = lengths_of(given);
  const std::vector<std::string>& names = data.alignment.names;
  const std::size_t parts = data.parts.size();
  if (read.trees.size() != 1 && read.trees.size() != parts)
    read.fail_at(read.trees[1].nodes.front().offset,
                 fmt::format("{} trees in this file; expected one, or one for each of the {} partitions",
                             read.trees.size(), parts));
  const std::vector<Tree> trees = to_trees(read, names, "the alignment", lengths);
  if (trees.size() == parts) {
    for (std::size_t i = 1; i < parts; ++i)
      if (robinson_foulds(trees.front(), trees[i]) != 0)
        read.fail_at(read.trees[i].nodes.front().offset,
                     fmt::format("this tree, that of partition {}, has other branches than the first; partitions may "
                                 "differ in branch lengths only",
                                 shown(data.parts[i].name)));
    return unlinked(trees);
  }
  Tree tree = trees.front();
  tree.unlink(parts);
  return tree;
}

}  // namespace

Tree read_given_tree(const GivenTree& given, const Data& data) {
  const NewickFile read = read_newick(given.tree);
  return data.unlinked() ? unlinked_tree(read, given, data)
                         : only_tree(read, data.alignment.names, "the alignment", lengths_of(given));
}

std::vector<Tree> read_given_trees(const GivenTree& given, const Data& data) {
  const NewickFile read = read_newick(given.tree);
  if (data.unlinked()) return {unlinked_tree(read, given, data)};
  return to_trees(read, data.alignment.names, "the alignment", lengths_of(given));
}

double fit(Engine& engine, Tree& tree, const std::string& optimize) {
  constexpr int smoothing_rounds = 100;
  constexpr double smoothing_epsilon = 1e-3;  // log-likelihood units that a further round would have to gain
  constexpr double model_epsilon = 1e-2;
  if (optimize == "all") return engine.optimize(tree, model_epsilon);
  if (optimize == "branches") return engine.smooth(tree, smoothing_rounds, smoothing_epsilon);
  return engine.evaluate(tree);
}

namespace {

/// Gives the names of the parameters that have no value of their own.
std::string open_parameters(const Scheme& scheme) {
  std::string names;
  const auto add = [&](const char* name, auto&& open) {
    if (std::any_of(scheme.parts.begin(), scheme.parts.end(), [&](const SchemePart& part) { return open(part.model); }))
      names += std::string(names.empty() ? "" : ", ") + name;
  };
  add("exchange rates", [](const Model& m) { return free_rates(m) > 0 && m.rates_from == Origin::optimized; });
  add("frequencies", [](const Model& m) { return !m.equal_frequencies && m.frequencies_from == Origin::optimized; });
  add("gamma shape", [](const Model& m) { return m.categories > 1 && m.alpha_from == Origin::optimized; });
  add("rates and shares of categories",
      [](const Model& m) { return m.has_free_categories() && m.free_categories_from == Origin::optimized; });
  add("invariant proportion", [](const Model& m) { return m.with_invariant && m.invariant_from == Origin::optimized; });
  add("speeds of partitions", [](const Model& m) { return m.speed_from == Origin::optimized; });
  return names;
}

}  // namespace

void note_open_parameters(const Scheme& scheme, const std::string& optimize) {
  const std::string open = open_parameters(scheme);
  if (open.empty() || optimize == "all") return;
  std::fprintf(stderr,
               "maslin-phylo: note: the model gives no value for: %s; their starting values were used (--optimize "
               "all fits them)\n",
               open.c_str());
}

}  // namespace phylo
