#include <fmt/format.h>

#include <nlohmann/json.hpp>
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
#include "phylo/run/results.hpp"
#include "phylo/run/support.hpp"
#include "phylo/search/alrt.hpp"
#include "phylo/tree/unlinked.hpp"

namespace phylo {

void run(const EvaluateCommand& command) {
  const Data data = read_data(command.given);
  const Alignment& alignment = data.alignment;
  Tree tree = read_given_tree(command.given, data);
  instruction_set();

  const maslin::Runtime runtime({.workers = command.threads});
  Engine engine(views_of(data.parts));
  const double lnl = fit(engine, tree, command.given.optimize);
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

  note_open_parameters(data.scheme, command.given.optimize);
  const bool fitted = command.given.optimize != "none";
  const std::string model_text = to_string_with_values(data.scheme, engine.models());
  if (command.json) {
    nlohmann::json out = {{"lnl", lnl},
                          {"model", model_text},
                          {"data", alignment.alphabet->word},
                          {"taxa", alignment.taxa()},
                          {"sites", alignment.sites()},
                          {"patterns", data.patterns()},
                          {"optimize", command.given.optimize}};
    if (engine.parts() > 1) {
      out["partitions"] = to_json(data);
      for (std::size_t p = 0; p < lnl_of_parts.size(); ++p) {
        out["partitions"][p]["lnl"] = lnl_of_parts[p];
        out["partitions"][p]["model"] = to_string_with_values(engine.model(static_cast<int>(p)));
        if (fitted && data.unlinked())
          out["partitions"][p]["tree"] = to_newick(lengths_of_part(tree, p), alignment.names);
      }
    }
    if (command.given.optimize == "all") out["criteria"] = to_json(criteria_of(data, lnl));
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
  if (command.given.optimize == "all") out += summarize(criteria_of(data, lnl)) + "\n";
  out += fmt::format("{}{}\n", engine.parts() > 1 ? "models:\n" : "model: ", model_text);
  if (fitted) out += fmt::format("tree: {}\n", to_newick(data.mean_lengths(tree), alignment.names));
  for (std::size_t p = 0; fitted && data.unlinked() && p < data.parts.size(); ++p)
    out += fmt::format("  {}: {}\n", data.parts[p].name, to_newick(lengths_of_part(tree, p), alignment.names));
  if (command.alrt > 0) out += fmt::format("tree with SH-aLRT support in per cent: {}\n", supported);
  write_standard_output(out);
}

}  // namespace phylo
