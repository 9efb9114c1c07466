#include "phylo/run/results.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "maslin/runtime.hpp"
#include "phylo/model/notation.hpp"
#include "phylo/run/criteria.hpp"

namespace phylo {

using nlohmann::json;

namespace {

json to_json(maslin::configuration c) { return {{"streams", c.streams}, {"width", c.width}, {"wider", c.wider}}; }

json to_json(const Sizing& sizing, const maslin::phase_report& phase) {
  json samples = json::array();
  for (const maslin::phase_sample& s : phase.samples) {
    json sample = to_json(s.under);
    sample["work"] = s.work;
    sample["seconds"] = s.seconds;
    sample["throughput"] = s.throughput();
    samples.push_back(std::move(sample));
  }
  json table = json::array();
  for (const SizedConfiguration& c : sizing.configurations) {
    json row = to_json(c.under);
    row["samples"] = c.samples;
    row["seconds"] = c.seconds;
    row["throughput"] = c.throughput;
    row["chosen"] = c.chosen;
    table.push_back(std::move(row));
  }
  return {{"phase", phase.name},
          {"streams", phase.streams},
          {"work", phase.work},
          {"seconds", phase.seconds},
          {"cpu_seconds", phase.cpu_seconds ? json(*phase.cpu_seconds) : json()},
          {"waiting", phase.waiting},
          {"waiting_reason", phase.waiting_reason},
          {"sampling_seconds", sizing.sampling_seconds},
          {"samples", std::move(samples)},
          {"configurations", std::move(table)},
          {"chosen", sizing.chosen ? to_json(*sizing.chosen) : json()},
          {"pinned_by", sizing.pinned_by},
          {"gain_over_worst", sizing.gain_over_worst ? json(*sizing.gain_over_worst) : json()},
          {"loss_to_best", sizing.loss_to_best ? json(*sizing.loss_to_best) : json()}};
}

json trees_to_json(const std::vector<FinishedTree>& trees, const std::vector<TreeId>& computed) {
  json out = json::array();
  for (const FinishedTree& tree : trees) {
    const bool now = std::binary_search(computed.begin(), computed.end(), tree.id);
    out.push_back({{"index", tree.id.index},
                   {"lnl", tree.lnl},
                   {"model", tree.model},
                   {"seconds", tree.seconds},
                   {"restored", !now}});
  }
  return out;
}

}  // namespace

json to_json(const Data& data) {
  json parts = json::array();
  for (std::size_t p = 0; p < data.parts.size(); ++p) {
    const Patterns& patterns = data.parts[p].patterns;
    parts.push_back({{"name", data.parts[p].name},
                     {"data", patterns.alphabet->word},
                     {"model", to_string(data.parts[p].model)},
                     {"alignment_sites", data.scheme.parts[p].sites()},
                     {"sites", patterns.sites()},
                     {"patterns", patterns.count}});
  }
  return parts;
}

json to_json(const RunFacts& facts) {
  const Inference& inference = *facts.inference;
  const std::size_t total = inference.searches.size() + inference.replicates.size();
  json out;
  out["command"] = facts.command;
  out["alignment"] = {{"file", facts.data->alignment.file},   {"data", facts.data->alignment.alphabet->word},
                      {"taxa", facts.data->alignment.taxa()}, {"sites", facts.data->alignment.sites()},
                      {"patterns", facts.data->patterns()},   {"digest", alignment_digest(facts.data->alignment)}};
  out["model"] = to_string(facts.data->scheme);
  if (facts.data->parts.size() > 1) {
    out["brlen"] = to_string(facts.data->linkage);
    out["partitions"] = to_json(*facts.data);
  }
  out["search"] = facts.search;
  if (const ConstraintFacts& c = facts.constraint; !c.file.empty())
    out["constraint"] = {{"file", c.file}, {"taxa", c.taxa}, {"branches", c.branches}};
  if (const std::optional<Difficulty>& d = facts.difficulty)
    out["difficulty"] = {{"score", d->score},
                         {"distance", d->distance},
                         {"topologies", d->topologies},
                         {"patterns_per_taxon", d->patterns},
                         {"parsimony_starts", facts.plan.parsimony},
                         {"random_starts", facts.plan.random},
                         {"ratchets", facts.plan.ratchets}};
  out["notes"] = facts.data->notes;
  out["seed"] = facts.seed;
  out["instructions"] = facts.instructions;
  out["workers"] = facts.workers;
  if (!inference.searches.empty()) {
    const FinishedTree& best = inference.best();
    out["lnl"] = best.lnl;
    out["best"] = {{"search", best.id.index}, {"lnl", best.lnl}, {"model", best.model}, {"tree", best.newick}};
    out["best"]["criteria"] = to_json(criteria_of(*facts.data, best.lnl));
    if (!best.part_newicks.empty()) out["best"]["trees_of_partitions"] = best.part_newicks;
    out["searches"] = trees_to_json(inference.searches, inference.computed);
    for (std::size_t i = 0; i < facts.starts.size(); ++i) out["searches"][i]["start"] = facts.starts[i];
  }
  if (!inference.replicates.empty()) out["bootstraps"] = trees_to_json(inference.replicates, inference.computed);
  if (inference.agreement)
    out["bootstop"] = {{"enough", inference.agreement->enough},
                       {"difference", inference.agreement->difference},
                       {"within_cutoff", inference.agreement->within}};
  if (facts.alrt_replicates > 0) out["alrt"] = {{"replicates", facts.alrt_replicates}, {"tree", facts.alrt_tree}};
  out["trees"] = {{"total", total},
                  {"computed", inference.computed.size()},
                  {"restored", total - inference.computed.size()},
                  {"damaged_records", inference.damaged.size()}};
  json files = json::object();
  for (const WrittenFile& file : facts.files) files[file.what] = file.path;
  out["files"] = std::move(files);
  out["seconds"] = inference.seconds;
  out["right_sizing"] = inference.phase ? to_json(summarize(*inference.phase), *inference.phase) : json();
  return out;
}

std::string dump(const json& value) { return value.dump(2, ' ', false, json::error_handler_t::replace) + "\n"; }

std::string described(const Data& data, std::optional<std::uint64_t> seed, const std::string& instructions) {
  std::string out = fmt::format("{}: {}, {} taxa, {} sites, {} patterns\n", data.alignment.file, data.kinds(),
                                data.alignment.taxa(), data.alignment.sites(), data.patterns());
  for (const std::string& note : data.notes) out += "note: " + note + "\n";
  const std::string model = to_string(data.scheme);
  out += fmt::format("{}{}\n", model.find('\n') != model.npos ? "models:\n" : "model: ", model);
  if (seed) out += fmt::format("seed {}, ", *seed);
  return out + fmt::format("{} {}, {}", maslin::workers(), maslin::workers() == 1 ? "worker" : "workers", instructions);
}

std::string described(const Difficulty& difficulty, const SearchPlan& plan) {
  return fmt::format(
      "difficulty {:.2f} (parsimony trees: distance {:.3f}, {:.0f} % different; {:.1f} patterns a taxon): "
      "searches from {} parsimony and {} random {}, {} {} each",
      difficulty.score, difficulty.distance, 100 * difficulty.topologies, difficulty.patterns, plan.parsimony,
      plan.random, plan.random == 1 ? "tree" : "trees", plan.ratchets, plan.ratchets == 1 ? "ratchet" : "ratchets");
}

std::string summarize(const RunFacts& facts) {
  const Inference& inference = *facts.inference;
  std::string out =
      fmt::format("{}: {}, {} taxa, {} sites, {} patterns\n", facts.data->alignment.file, facts.data->kinds(),
                  facts.data->alignment.taxa(), facts.data->alignment.sites(), facts.data->patterns());
  out += fmt::format("asked for: {}\n", facts.data->models());
  if (const ConstraintFacts& c = facts.constraint; !c.file.empty())
    out += fmt::format("constrained by {}: {} {} among {} of the taxa\n", c.file, c.branches,
                       c.branches == 1 ? "branch" : "branches", c.taxa);
  if (facts.difficulty) out += described(*facts.difficulty, facts.plan) + "\n";
  const std::size_t total = inference.searches.size() + inference.replicates.size();
  out += fmt::format("{} {} in {:.1f} s on {} {}", total, total == 1 ? "tree" : "trees", inference.seconds,
                     facts.workers, facts.workers == 1 ? "worker" : "workers");
  if (const std::size_t restored = total - inference.computed.size(); restored > 0)
    out += fmt::format(" ({} of them were finished before)", restored);
  out += "\n";
  if (inference.agreement)
    out += fmt::format("{} replicates {} enough: halves of them differ by {:.1f} %\n", inference.replicates.size(),
                       inference.agreement->enough ? "are" : "may not be", 100 * inference.agreement->difference);
  if (!inference.searches.empty()) {
    const FinishedTree& best = inference.best();
    out += fmt::format("Best log-likelihood: {:.6f}", best.lnl);
    if (inference.searches.size() > 1)
      out += fmt::format(" (search {} of 0..{}; start: {})", best.id.index, inference.searches.size() - 1,
                         facts.starts[static_cast<std::size_t>(best.id.index)]);
    out += '\n';
    out += summarize(criteria_of(*facts.data, best.lnl));
    const bool several = best.model.find('\n') != best.model.npos;
    out += fmt::format("\n{}{}\n", several ? "Models:\n" : "Model: ", best.model);
  }
  return out;
}

}  // namespace phylo
