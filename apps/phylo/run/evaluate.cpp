#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "maslin/runtime.hpp"
#include "phylo/io/error.hpp"
#include "phylo/io/file.hpp"
#include "phylo/io/newick.hpp"
#include "phylo/io/patterns.hpp"
#include "phylo/io/text.hpp"
#include "phylo/like/engine.hpp"
#include "phylo/model/notation.hpp"
#include "phylo/run/commands.hpp"
#include "phylo/run/criteria.hpp"
#include "phylo/run/inputs.hpp"
#include "phylo/run/results.hpp"
#include "phylo/run/support.hpp"
#include "phylo/search/alrt.hpp"
#include "phylo/tree/splits.hpp"
#include "phylo/tree/unlinked.hpp"

namespace phylo {

namespace {

constexpr int smoothing_rounds = 100;
constexpr double smoothing_epsilon = 1e-3;  // log-likelihood units that a further round would have to gain
constexpr double model_epsilon = 1e-2;

/// Says which parameters have no value of their own, so that nobody takes their starting values for estimates.
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

/// Gives the tree whose likelihood is asked for. With unlinked branch lengths the file may have as many trees as there
/// are parts: the same one with the lengths of each.
Tree read_evaluated(const std::string& file, const Data& data, Lengths lengths) {
  const NewickFile read = read_newick(file);
  const std::vector<std::string>& names = data.alignment.names;
  const std::size_t parts = data.parts.size();
  if (!data.unlinked()) return only_tree(read, names, "the alignment", lengths);
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

void run(const EvaluateCommand& command) {
  const Data data = read_data(command.msa, command.data_type, command.model, command.brlen);
  const Alignment& alignment = data.alignment;
  const Lengths lengths = command.optimize == "none" ? Lengths::required : Lengths::optional;
  Tree tree = read_evaluated(command.tree, data, lengths);
  instruction_set();

  const maslin::Runtime runtime({.workers = command.threads});
  Engine engine(views_of(data.parts));
  double lnl = 0;
  if (command.optimize == "all")
    lnl = engine.optimize(tree, model_epsilon);
  else if (command.optimize == "branches")
    lnl = engine.smooth(tree, smoothing_rounds, smoothing_epsilon);
  else
    lnl = engine.evaluate(tree);
  std::vector<double> lnl_of_parts;
  for (int part = 0; engine.parts() > 1 && part < engine.parts(); ++part)
    lnl_of_parts.push_back(engine.evaluate_part(tree, part));

  std::string supported;
  if (command.alrt > 0) {
    Parts parts = data.parts;
    for (std::size_t p = 0; p < parts.size(); ++p) parts[p].model = engine.model(static_cast<int>(p));
    const std::vector<double> supports = sh_alrt(parts, tree, command.alrt, command.seed, [] { return true; });
    supported = newick_with_support(data.mean_lengths(tree), alignment.names, supports);
  }

  if (const std::string open = open_parameters(data.scheme); !open.empty() && command.optimize != "all")
    std::fprintf(stderr,
                 "maslin-phylo: note: the model gives no value for: %s; their starting values were used (--optimize "
                 "all fits them)\n",
                 open.c_str());
  const bool fitted = command.optimize != "none";
  const std::string model_text = to_string_with_values(data.scheme, engine.models());
  if (command.json) {
    nlohmann::json out = {{"lnl", lnl},
                          {"model", model_text},
                          {"data", alignment.alphabet->word},
                          {"taxa", alignment.taxa()},
                          {"sites", alignment.sites()},
                          {"patterns", data.patterns()},
                          {"optimize", command.optimize}};
    if (engine.parts() > 1) {
      out["partitions"] = to_json(data);
      for (std::size_t p = 0; p < lnl_of_parts.size(); ++p) {
        out["partitions"][p]["lnl"] = lnl_of_parts[p];
        out["partitions"][p]["model"] = to_string_with_values(engine.model(static_cast<int>(p)));
        if (fitted && data.unlinked())
          out["partitions"][p]["tree"] = to_newick(lengths_of_part(tree, p), alignment.names);
      }
    }
    if (command.optimize == "all") out["criteria"] = to_json(criteria_of(data, lnl));
    if (command.alrt > 0) out["alrt"] = {{"replicates", command.alrt}, {"tree", supported}};
    if (fitted) out["tree"] = to_newick(data.mean_lengths(tree), alignment.names);
    write_standard_output(dump(out));
    return;
  }
  std::string out = fmt::format("data: {}, {} taxa, {} sites, {} patterns\nlog-likelihood: {:.9f}\n", data.kinds(),
                                alignment.taxa(), alignment.sites(), data.patterns(), lnl);
  if (engine.parts() > 1)
    for (std::size_t p = 0; p < lnl_of_parts.size(); ++p)
      out += fmt::format("  {}: {:.9f}\n", data.parts[p].name, lnl_of_parts[p]);
  if (command.optimize == "all") out += summarize(criteria_of(data, lnl)) + "\n";
  out += fmt::format("{}{}\n", engine.parts() > 1 ? "models:\n" : "model: ", model_text);
  if (fitted) out += fmt::format("tree: {}\n", to_newick(data.mean_lengths(tree), alignment.names));
  for (std::size_t p = 0; fitted && data.unlinked() && p < data.parts.size(); ++p)
    out += fmt::format("  {}: {}\n", data.parts[p].name, to_newick(lengths_of_part(tree, p), alignment.names));
  if (command.alrt > 0) out += fmt::format("tree with SH-aLRT support in per cent: {}\n", supported);
  write_standard_output(out);
}

}  // namespace phylo
