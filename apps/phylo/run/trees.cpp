#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/shared/digest.hpp"
#include "cli/shared/terminal.hpp"
#include "maslin/runtime.hpp"
#include "phylo/io/error.hpp"
#include "phylo/io/file.hpp"
#include "phylo/io/newick.hpp"
#include "phylo/like/engine.hpp"
#include "phylo/model/notation.hpp"
#include "phylo/run/alrt.hpp"
#include "phylo/run/bootstop.hpp"
#include "phylo/run/commands.hpp"
#include "phylo/run/constrained.hpp"
#include "phylo/run/draw.hpp"
#include "phylo/run/inputs.hpp"
#include "phylo/run/prefix.hpp"
#include "phylo/run/results.hpp"
#include "phylo/run/starts.hpp"
#include "phylo/run/support.hpp"

namespace phylo {

namespace {

/// Changes when searches give other trees than before, so that old checkpoints are not mixed with new trees.
constexpr int search_version = 3;

/// The supported tree of a run that has both searches and replicates.
struct Supported {
  Tree tree;
  std::vector<double> supports;
};

Supported supported_best(const Inference& inference, const std::vector<std::string>& names, const std::string& metric) {
  const auto parse = [&](const FinishedTree& tree) {
    return to_tree(parse_newick(tree.newick, to_string(tree.id)), 0, names, "the alignment", Lengths::required);
  };
  Supported best{parse(inference.best()), {}};
  best.supports = support_by(metric, best.tree, inference.replicates.size(),
                             [&](std::size_t i) { return parse(inference.replicates[i]); });
  return best;
}

/// Gives what each of the searches that may run at a time gets of so much memory; 0, the least, if nothing is said.
/// Throws when it cannot do with that.
std::size_t memory_of_each(std::optional<std::size_t> memory, const Data& data) {
  if (!memory) return 0;
  const std::size_t least = Engine::least_memory(views_of(data.parts));
  const auto searches = static_cast<std::size_t>(maslin::workers());
  if (*memory / searches >= least) return *memory / searches;
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  throw input_error(fmt::format(
      "--memory: {} bytes are too few: {} searches may run at a time, and each needs {} bytes at least for its "
      "conditional likelihoods; expected {}M or more, or fewer --threads",
      *memory, searches, least, (least * searches + mebibyte - 1) / mebibyte));
}

}  // namespace

void run(const InferCommand& command) {
  if (command.bootstop && command.replicates < Bootstop::step)
    throw input_error(
        fmt::format("--replicates {}: --bootstop looks whether there are enough replicates after each {} of them; "
                    "expected {} or more, or leave --bootstop out",
                    command.replicates, Bootstop::step, Bootstop::step));
  const bool adaptive = command.search == "adaptive";
  if (adaptive && (command.starts > 1 || !command.start_trees.empty()))
    throw input_error(
        "--search adaptive: it decides itself where searches begin; expected neither --starts nor --start-trees");
  const Data data = read_data(command.msa, command.data_type, command.model, command.brlen, command.quiet);
  const Alignment& alignment = data.alignment;
  const std::string instructions = instruction_set();
  const Prefix prefix(command.prefix);

  const StopSignals stop_signals;
  std::optional<Constraint> constraint;
  if (!command.constraint.empty()) constraint = read_constraint(command.constraint, alignment.names);
  const Constraint* const displayed = constraint ? &*constraint : nullptr;
  Starts starts = command.start_trees.empty() ? parsimony_starts(command.starts)
                                              : read_starts(command.start_trees, alignment.names, displayed);
  const maslin::Runtime runtime({.workers = command.threads});
  RunFacts facts;
  Effort effort = effort_of(command.search);
  const Effort replicate_effort = effort;
  if (adaptive) {
    const std::vector<ParsimonyTree> made = parsimony_trees(data.parts, command.seed, displayed);
    facts.difficulty = difficulty_of(data.parts, made);
    facts.plan = plan_for(facts.difficulty->score);
    starts = planned_starts(facts.plan, made);
    effort = {.ratchets = facts.plan.ratchets, .fruitless = facts.plan.ratchets};
    if (!command.quiet) command::tell(fmt::format("maslin-phylo: {}\n", described(*facts.difficulty, facts.plan)));
  }

  const std::size_t memory = memory_of_each(command.memory, data);

  prefix.prepare();
  std::vector<std::string> results;
  for (const char* name :
       {"bestTree", "bestPartitionTrees", "bestModel", "bootstraps", "support", "alrt", "log", "result.json"})
    results.push_back(prefix.file(name));
  for (const std::string& result : results) check_replaceable(result);  // found out now and not after the search
  Identity identity;
  identity.alignment = alignment_digest(alignment);
  identity.alignment_file = alignment.file;
  identity.taxa = alignment.taxa();
  identity.sites = alignment.sites();
  identity.model = data.models();
  identity.seed = command.seed;
  identity.instructions = instructions;
  identity.starts = adaptive ? "adaptive" : digest_of(starts, alignment.names);
  identity.search = command.search;
  if (constraint) identity.constraint = command::hex(command::digest(canonical(*constraint, alignment.names)));
  identity.program = std::to_string(search_version);
  Checkpoint checkpoint(prefix.file("checkpoint"), identity, command.redo, results);

  Log log(prefix.file("log"), command.line);
  log.add(described(data, command.seed, instructions));
  if (facts.difficulty) log.add(described(*facts.difficulty, facts.plan));
  Inference inference;
  logged(log, [&] {
    inference = infer({&data.parts, &data.scheme, data.unlinked(), command.seed, displayed, starts.trees, effort,
                       replicate_effort, command.replicates, command.bootstop ? command.cutoff : 0, memory,
                       static_cast<double>(command.checkpoint_seconds), command.quiet, &log},
                      checkpoint);
  });

  facts.command = command.name;
  facts.search = command.search;
  facts.seed = command.seed;
  facts.instructions = instructions;
  facts.workers = maslin::workers();
  facts.data = &data;
  if (constraint) facts.constraint = {command.constraint, *constraint};
  facts.starts = starts.origins;
  facts.inference = &inference;
  const auto write = [&](const std::string& what, const std::string& name, const std::string& content) {
    facts.files.push_back({what, prefix.file(name)});
    write_file(prefix.file(name), content);
  };

  std::optional<Supported> supported;
  if (!inference.searches.empty()) {
    write("best_tree", "bestTree", inference.best().newick + "\n");
    std::string lines;
    for (const std::string& newick : inference.best().part_newicks) lines += newick + "\n";
    if (data.unlinked()) write("best_partition_trees", "bestPartitionTrees", lines);
    write("best_model", "bestModel", inference.best().model + "\n");
  }
  if (!inference.replicates.empty()) {
    std::string lines;
    for (const FinishedTree& tree : inference.replicates) lines += tree.newick + "\n";
    write("bootstraps", "bootstraps", lines);
  }
  if (!inference.searches.empty() && !inference.replicates.empty()) {
    supported = supported_best(inference, alignment.names, command.metric);
    write("support", "support", newick_with_support(supported->tree, alignment.names, supported->supports) + "\n");
  }
  std::optional<Supported> by_alrt;
  if (command.alrt > 0) {
    const Found found = found_by(data, inference.best());
    const auto trees = static_cast<int>(inference.searches.size() + inference.replicates.size());
    by_alrt = Supported{found.tree, alrt_of(found, command.alrt, command.seed, command.quiet, trees)};
    by_alrt->tree = data.mean_lengths(found.tree);
    facts.alrt_replicates = command.alrt;
    facts.alrt_tree = newick_with_support(by_alrt->tree, alignment.names, by_alrt->supports);
    write("alrt", "alrt", facts.alrt_tree + "\n");
  }
  facts.files.push_back({"log", log.path()});
  facts.files.push_back({"result", prefix.file("result.json")});
  const std::string result = dump(to_json(facts));
  write_file(prefix.file("result.json"), result);

  log.add("finished\n" + summarize(facts));

  if (command.json) {
    write_standard_output(result);
    return;
  }
  std::string out = summarize(facts);
  const auto picture_of = [&](const Supported& tree) {
    return draw(tree.tree, alignment.names, tree.supports, {terminal_columns(), command::locale_is_utf8()});
  };
  if (supported)
    out += fmt::format(
        "\nThe best tree, with the {} of {} replicates in per cent (rooted in its middle to be drawn):\n\n{}\n",
        command.metric == "tbe" ? "transfer support" : "support", inference.replicates.size(), picture_of(*supported));
  if (by_alrt)
    out += fmt::format("\nThe best tree, with SH-aLRT support in per cent ({} resamplings):\n\n{}\n", command.alrt,
                       picture_of(*by_alrt));
  if (inference.phase) out += format_table(summarize(*inference.phase));
  out += "Written:\n";
  for (const WrittenFile& file : facts.files) out += "  " + file.path + "\n";
  write_standard_output(out);
}

}  // namespace phylo
