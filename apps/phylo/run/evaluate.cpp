#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "maslin/runtime.hpp"
#include "phylo/io/error.hpp"
#include "phylo/io/file.hpp"
#include "phylo/io/newick.hpp"
#include "phylo/io/patterns.hpp"
#include "phylo/like/engine.hpp"
#include "phylo/model/notation.hpp"
#include "phylo/run/commands.hpp"
#include "phylo/run/inputs.hpp"
#include "phylo/run/results.hpp"

namespace phylo {

namespace {

constexpr int smoothing_rounds = 100;
constexpr double smoothing_epsilon = 1e-3;  // log-likelihood units that a further round would have to gain
constexpr double model_epsilon = 1e-2;

/// Says which parameters have no value of their own, so that nobody takes their starting values for estimates.
std::string open_parameters(const Model& model) {
  std::string names;
  const auto add = [&](bool open, const char* name) {
    if (open) names += std::string(names.empty() ? "" : ", ") + name;
  };
  add(free_rates(model) > 0 && model.rates_from == Origin::optimized, "exchange rates");
  add(!has_equal_frequencies(model.family) && model.frequencies_from == Origin::optimized,
      model.alphabet->type == DataType::dna ? "base frequencies" : "frequencies");
  add(model.categories > 1 && model.alpha_from == Origin::optimized, "gamma shape");
  add(model.with_invariant && model.invariant_from == Origin::optimized, "invariant proportion");
  return names;
}

}  // namespace

void run(const EvaluateCommand& command) {
  const Model model = read_model(command.model);
  const Alignment alignment = read_msa(command.msa, command.data_type, model);
  const Patterns patterns = compress(alignment);
  const Lengths lengths = command.optimize == "none" ? Lengths::required : Lengths::optional;
  Tree tree = read_tree(command.tree, alignment.names, "the alignment", lengths);
  instruction_set();

  const maslin::Runtime runtime;
  Engine engine(patterns, model);
  double lnl = 0;
  if (command.optimize == "all")
    lnl = engine.optimize(tree, model_epsilon);
  else if (command.optimize == "branches")
    lnl = engine.smooth(tree, smoothing_rounds, smoothing_epsilon);
  else
    lnl = engine.evaluate(tree);

  if (const std::string open = open_parameters(model); !open.empty() && command.optimize != "all")
    std::fprintf(stderr,
                 "maslin-phylo: note: the model gives no value for: %s; their starting values were used (--optimize "
                 "all fits them)\n",
                 open.c_str());
  const std::string model_text = to_string_with_values(engine.model());
  if (command.json) {
    nlohmann::json out = {{"lnl", lnl},
                          {"model", model_text},
                          {"data", alignment.alphabet->word},
                          {"taxa", patterns.taxa},
                          {"sites", patterns.sites()},
                          {"patterns", patterns.count},
                          {"optimize", command.optimize}};
    if (command.optimize != "none") out["tree"] = to_newick(tree, alignment.names);
    write_standard_output(dump(out));
    return;
  }
  std::string out =
      fmt::format("data: {}, {} taxa, {} sites, {} patterns\nlog-likelihood: {:.9f}\nmodel: {}\n",
                  alignment.alphabet->name, patterns.taxa, patterns.sites(), patterns.count, lnl, model_text);
  if (command.optimize != "none") out += fmt::format("tree: {}\n", to_newick(tree, alignment.names));
  write_standard_output(out);
}

}  // namespace phylo
