#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "maslin/runtime.hpp"
#include "phylo/io/error.hpp"
#include "phylo/io/file.hpp"
#include "phylo/io/newick.hpp"
#include "phylo/io/text.hpp"
#include "phylo/like/engine.hpp"
#include "phylo/model/notation.hpp"
#include "phylo/run/commands.hpp"
#include "phylo/run/given_tree.hpp"
#include "phylo/run/inputs.hpp"
#include "phylo/run/log.hpp"
#include "phylo/run/prefix.hpp"
#include "phylo/run/results.hpp"

namespace phylo {

namespace {

/// The inner nodes as they are met in the written tree, a parent before its children.
struct NamedNodes {
  std::vector<HalfEdge> at;         ///< a half-edge of each
  std::vector<std::string> names;   ///< of each: Node1, Node2 ...
  std::vector<std::string> labels;  ///< the same, as to_newick takes them
};

NamedNodes name_nodes(const Tree& tree, const std::vector<std::string>& taxa) {
  std::string stem = "Node";
  while (std::any_of(taxa.begin(), taxa.end(), [&](const std::string& taxon) { return taxon.starts_with(stem); }))
    stem.insert(0, 1, '_');
  NamedNodes nodes;
  nodes.labels.resize(static_cast<std::size_t>(tree.half_edges()));
  std::vector<HalfEdge> pending{0};  // look down to what they have below
  while (!pending.empty()) {
    const HalfEdge above = pending.back(), below = tree.back(above);
    pending.pop_back();
    if (tree.is_tip(below)) continue;
    nodes.at.push_back(below);
    nodes.names.push_back(stem + std::to_string(nodes.at.size()));
    nodes.labels[static_cast<std::size_t>(above)] = nodes.names.back();
    pending.push_back(tree.next(tree.next(below)));
    pending.push_back(tree.next(below));
  }
  return nodes;
}

/// What is known of one column at one node.
struct Known {
  char state;  ///< the most probable one
  double probability;
  std::string probabilities;  ///< of all states, as they stand in the table
};

/// Gives it for each pattern of each part.
std::vector<std::vector<Known>> known_at(Engine& engine, const Tree& tree, HalfEdge h, const Data& data) {
  std::vector<std::vector<Known>> all;
  for (int part = 0; part < engine.parts(); ++part) {
    const std::vector<std::vector<double>> states = engine.states_at(tree, h, part);
    std::vector<Known>& known = all.emplace_back();
    for (std::size_t pattern = 0; pattern < states.front().size(); ++pattern) {
      std::size_t best = 0;
      std::string text;
      for (std::size_t state = 0; state < states.size(); ++state) {
        if (states[state][pattern] > states[best][pattern]) best = state;
        fmt::format_to(std::back_inserter(text), "\t{:.5f}", states[state][pattern]);
      }
      const Alphabet& alphabet = *data.parts[static_cast<std::size_t>(part)].patterns.alphabet;
      known.push_back({alphabet.symbols[best], states[best][pattern], std::move(text)});
    }
  }
  return all;
}

void check_alphabets(const Data& data) {
  const Part& first = data.parts.front();
  for (std::size_t p = 1; p < data.parts.size(); ++p)
    if (const Part& part = data.parts[p]; part.patterns.alphabet != first.patterns.alphabet)
      fail(data.scheme.source, data.scheme.parts[p].ranges.front().at,
           fmt::format("partition {} holds {}, partition {} {}; expected data of one kind, because all states have a "
                       "column in one table; run each kind for itself",
                       shown(first.name), first.patterns.alphabet->name, shown(part.name),
                       part.patterns.alphabet->name));
}

}  // namespace

void run(const AncestralCommand& command) {
  const Data data = read_data(command.given);
  check_alphabets(data);
  Tree tree = read_given_tree(command.given, data);
  const std::string instructions = instruction_set();
  const Prefix prefix(command.prefix);
  prefix.prepare();
  const std::string probabilities_file = prefix.file("ancestralProbs"), states_file = prefix.file("ancestralStates"),
                    tree_file = prefix.file("ancestralTree");
  for (const std::string& file : {probabilities_file, states_file, tree_file}) check_replaceable(file);

  const maslin::Runtime runtime({.workers = command.threads});
  Log log(prefix.file("log"), command.line);
  log.add(described(data, std::nullopt, instructions));
  Engine engine(views_of(data.parts));
  const double lnl = fit(engine, tree, command.given.optimize);
  log.add(fmt::format("log-likelihood {:.6f}", lnl));
  note_open_parameters(data.scheme, command.given.optimize);

  std::string probabilities = "Node\tSite\tState", sequences;
  for (const char symbol : data.parts.front().patterns.alphabet->symbols) probabilities += std::string("\tp_") + symbol;
  probabilities += '\n';
  const NamedNodes nodes = name_nodes(tree, data.alignment.names);
  double sum = 0;
  for (std::size_t node = 0; node < nodes.at.size(); ++node) {
    const std::vector<std::vector<Known>> known = known_at(engine, tree, nodes.at[node], data);
    std::string sequence(data.width, '-');
    std::vector<std::size_t> seen(data.parts.size(), 0);  // sites of each part
    for (std::size_t site = 0; site < data.columns.size(); ++site) {
      const auto part = static_cast<std::size_t>(data.owners[site]);
      const std::size_t pattern = static_cast<std::size_t>(data.parts[part].patterns.pattern_of_site[seen[part]++]);
      const Known& here = known[part][pattern];
      sequence[data.columns[site]] = here.state;
      sum += here.probability;
      fmt::format_to(std::back_inserter(probabilities), "{}\t{}\t{}{}\n", nodes.names[node], data.columns[site] + 1,
                     here.state, here.probabilities);
    }
    sequences += nodes.names[node] + '\t' + sequence + '\n';
  }
  const double mean = sum / static_cast<double>(nodes.at.size() * data.columns.size());

  const std::string newick = to_newick(data.mean_lengths(tree), data.alignment.names, nodes.labels);
  write_file(probabilities_file, probabilities);
  write_file(states_file, sequences);
  write_file(tree_file, newick + "\n");
  const std::string models = to_string_with_values(data.scheme, engine.models());
  const std::string said = fmt::format(
      "data: {}, {} taxa, {} sites, {} patterns\nlog-likelihood: {:.9f}\n{}{}\n{} inner nodes; the most probable state "
      "of a site has the probability {:.4f} in the mean\nWritten:\n  {}\n  {}\n  {}\n  {}\n",
      data.kinds(), data.alignment.taxa(), data.alignment.sites(), data.patterns(), lnl,
      data.parts.size() > 1 ? "models:\n" : "model: ", models, nodes.at.size(), mean, probabilities_file, states_file,
      tree_file, log.path());
  log.add("finished\n" + said);
  if (command.json) {
    write_standard_output(dump({{"lnl", lnl},
                                {"model", models},
                                {"data", data.alignment.alphabet->word},
                                {"taxa", data.alignment.taxa()},
                                {"sites", data.alignment.sites()},
                                {"optimize", command.given.optimize},
                                {"nodes", nodes.at.size()},
                                {"mean_probability", mean},
                                {"tree", newick},
                                {"files",
                                 {{"ancestral_probabilities", probabilities_file},
                                  {"ancestral_states", states_file},
                                  {"ancestral_tree", tree_file},
                                  {"log", log.path()}}}}));
    return;
  }
  write_standard_output(said);
}

}  // namespace phylo
