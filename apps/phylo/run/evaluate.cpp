#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "maslin/runtime.hpp"
#include "phylo/io/file.hpp"
#include "phylo/io/newick.hpp"
#include "phylo/like/engine.hpp"
#include "phylo/model/notation.hpp"
#include "phylo/run/commands.hpp"
#include "phylo/run/criteria.hpp"
#include "phylo/run/given_tree.hpp"
#include "phylo/run/inputs.hpp"
#include "phylo/run/log.hpp"
#include "phylo/run/prefix.hpp"
#include "phylo/run/results.hpp"
#include "phylo/run/support.hpp"
#include "phylo/search/alrt.hpp"
#include "phylo/tree/unlinked.hpp"

namespace phylo {

namespace {

/// A tree with its log-likelihood, after fitting if that was asked for.
struct Evaluated {
  Tree tree;
  double lnl = 0;
  std::vector<double> lnl_of_parts;  ///< if there are several
  std::vector<Model> models;
};

Evaluated evaluated(const Data& data, Tree tree, const std::string& optimize) {
  Engine engine(views_of(data.parts));
  Evaluated out;
  out.lnl = fit(engine, tree, optimize);
  for (int part = 0; engine.parts() > 1 && part < engine.parts(); ++part)
    out.lnl_of_parts.push_back(engine.evaluate_part(tree, part));
  out.models = engine.models();
  out.tree = std::move(tree);
  return out;
}

/// All that is said and written of a run.
struct Evaluation {
  const EvaluateCommand& command;
  const Data& data;
  std::vector<Evaluated> all;
  std::size_t best = 0;
  std::string supported;  ///< the best tree with SH-aLRT support, in Newick, if that was asked for

  bool fitted() const { return command.given.optimize != "none"; }
  const Evaluated& best_one() const { return all[best]; }
  std::string newick(const Evaluated& one) const {
    return to_newick(data.mean_lengths(one.tree), data.alignment.names);
  }
  /// The same tree with the lengths of one partition.
  std::string newick(const Evaluated& one, std::size_t part) const {
    return to_newick(lengths_of_part(one.tree, part), data.alignment.names);
  }
  std::string models(const Evaluated& one) const { return to_string_with_values(data.scheme, one.models); }
};

nlohmann::json to_json(const Evaluation& run) {
  const Data& data = run.data;
  const Evaluated& best = run.best_one();
  nlohmann::json out = {{"lnl", best.lnl},
                        {"model", run.models(best)},
                        {"data", data.alignment.alphabet->word},
                        {"taxa", data.alignment.taxa()},
                        {"sites", data.alignment.sites()},
                        {"patterns", data.patterns()},
                        {"optimize", run.command.given.optimize}};
  if (data.parts.size() > 1) {
    out["partitions"] = to_json(data);
    for (std::size_t p = 0; p < data.parts.size(); ++p) {
      out["partitions"][p]["lnl"] = best.lnl_of_parts[p];
      out["partitions"][p]["model"] = to_string_with_values(best.models[p]);
      if (run.fitted() && data.unlinked()) out["partitions"][p]["tree"] = run.newick(best, p);
    }
  }
  if (run.command.given.optimize == "all") out["criteria"] = to_json(criteria_of(data, best.lnl));
  if (run.command.alrt > 0) out["alrt"] = {{"replicates", run.command.alrt}, {"tree", run.supported}};
  if (run.fitted()) out["tree"] = run.newick(best);
  if (run.all.size() > 1) {
    out["best"] = run.best;
    out["trees"] = nlohmann::json::array();
    for (const Evaluated& one : run.all) {
      out["trees"].push_back({{"lnl", one.lnl}, {"model", run.models(one)}});
      if (run.fitted()) out["trees"].back()["tree"] = run.newick(one);
    }
  }
  return out;
}

std::string summarize(const Evaluation& run) {
  const Data& data = run.data;
  const Evaluated& best = run.best_one();
  std::string out = fmt::format("data: {}, {} taxa, {} sites, {} patterns\n", data.kinds(), data.alignment.taxa(),
                                data.alignment.sites(), data.patterns());
  if (run.all.size() > 1) {
    for (std::size_t i = 0; i < run.all.size(); ++i) out += fmt::format("tree {}: {:.9f}\n", i + 1, run.all[i].lnl);
    out += fmt::format("best: tree {}\n", run.best + 1);
  }
  out += fmt::format("log-likelihood: {:.9f}\n", best.lnl);
  for (std::size_t p = 0; p < best.lnl_of_parts.size(); ++p)
    out += fmt::format("  {}: {:.9f}\n", data.parts[p].name, best.lnl_of_parts[p]);
  if (run.command.given.optimize == "all") out += summarize(criteria_of(data, best.lnl)) + "\n";
  out += fmt::format("{}{}\n", data.parts.size() > 1 ? "models:\n" : "model: ", run.models(best));
  if (run.fitted()) out += fmt::format("tree: {}\n", run.newick(best));
  for (std::size_t p = 0; run.fitted() && data.unlinked() && p < data.parts.size(); ++p)
    out += fmt::format("  {}: {}\n", data.parts[p].name, run.newick(best, p));
  if (run.command.alrt > 0) out += fmt::format("tree with SH-aLRT support in per cent: {}\n", run.supported);
  return out;
}

/// The files of a run that has a prefix, and what is in them.
std::vector<std::pair<std::string, std::string>> files_of(const Evaluation& run) {
  const Evaluated& best = run.best_one();
  std::vector<std::pair<std::string, std::string>> files;
  files.emplace_back("evaluatedTree", run.newick(best) + "\n");
  files.emplace_back("evaluatedModel", run.models(best) + "\n");
  if (run.all.size() > 1) {
    std::string lines;
    for (const Evaluated& one : run.all) lines += run.newick(one) + "\n";
    files.emplace_back("evaluatedTrees", lines);
  }
  if (run.data.unlinked()) {
    std::string lines;
    for (std::size_t p = 0; p < run.data.parts.size(); ++p) lines += run.newick(best, p) + "\n";
    files.emplace_back("evaluatedPartitionTrees", lines);
  }
  if (run.command.alrt > 0) files.emplace_back("evaluatedAlrt", run.supported + "\n");
  files.emplace_back("evaluated.json", dump(to_json(run)));
  return files;
}

}  // namespace

void run(const EvaluateCommand& command) {
  const Data data = read_data(command.given);
  std::vector<Tree> trees = read_given_trees(command.given, data);
  const std::string instructions = instruction_set();

  const maslin::Runtime runtime({.workers = command.threads});
  std::optional<Prefix> prefix;
  std::optional<Log> log;
  if (!command.prefix.empty()) {
    prefix.emplace(command.prefix);
    prefix->prepare();
    // Found out now and not when all is done.
    for (const char* name : {"evaluatedTree", "evaluatedModel", "evaluatedTrees", "evaluatedPartitionTrees",
                             "evaluatedAlrt", "evaluated.json"})
      check_replaceable(prefix->file(name));
    log.emplace(prefix->file("log"), command.line);
    log->add(described(data, command.alrt > 0 ? std::optional(command.seed) : std::nullopt, instructions));
  }
  Evaluation evaluation{command, data, {}, 0, {}};
  for (Tree& tree : trees) {
    evaluation.all.push_back(evaluated(data, std::move(tree), command.given.optimize));
    const double lnl = evaluation.all.back().lnl;
    if (log) log->add(fmt::format("tree {} of {}: log-likelihood {:.6f}", evaluation.all.size(), trees.size(), lnl));
    if (lnl > evaluation.best_one().lnl) evaluation.best = evaluation.all.size() - 1;
  }
  if (command.alrt > 0) {
    const Evaluated& best = evaluation.best_one();
    Parts parts = data.parts;
    for (std::size_t p = 0; p < parts.size(); ++p) parts[p].model = best.models[p];
    const std::vector<double> supports = sh_alrt(parts, best.tree, command.alrt, command.seed, [] { return true; });
    evaluation.supported = newick_with_support(data.mean_lengths(best.tree), data.alignment.names, supports);
  }

  note_open_parameters(data.scheme, command.given.optimize);
  if (prefix)
    for (const auto& [name, content] : files_of(evaluation)) write_file(prefix->file(name), content);
  const std::string said = summarize(evaluation);
  if (log) log->add("finished\n" + said);
  write_standard_output(command.json ? dump(to_json(evaluation)) : said);
}

}  // namespace phylo
