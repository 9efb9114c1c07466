#include "phylo/run/support.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "phylo/io/error.hpp"
#include "phylo/io/file.hpp"
#include "phylo/run/commands.hpp"
#include "phylo/run/draw.hpp"
#include "phylo/run/prefix.hpp"
#include "phylo/run/results.hpp"
#include "phylo/tree/consensus.hpp"

namespace phylo {

std::string newick_with_support(const Tree& tree, const std::vector<std::string>& names, const std::vector<double>& supports) {
  std::vector<std::string> labels(supports.size());
  std::transform(supports.begin(), supports.end(), labels.begin(), per_cent);
  return to_newick(tree, names, labels);
}

SplitCounts count_splits(const NewickFile& file, const std::vector<std::string>& names, const std::string& whose) {
  SplitCounts counts(static_cast<std::int32_t>(names.size()));
  for (std::size_t i = 0; i < file.trees.size(); ++i) counts.add(to_tree(file, i, names, whose, Lengths::optional));
  return counts;
}

void run(const SupportCommand& command) {
  const NewickFile file = read_newick(command.tree);
  const std::vector<std::string> names = tip_names(file);
  const Tree tree = read_tree(command.tree, names, command.tree, Lengths::optional);
  const SplitCounts counts = count_splits(read_newick(command.trees), names, "the tree in " + command.tree);
  const std::vector<double> supports = support(tree, counts);
  const std::string newick = newick_with_support(tree, names, supports);

  const Prefix prefix(command.prefix);
  prefix.prepare();
  const std::string path = prefix.file("support");
  write_file(path, newick + "\n");
  if (command.json) {
    write_standard_output(dump({{"tree", newick}, {"trees", counts.trees()}, {"files", {{"support", path}}}}));
    return;
  }
  write_standard_output(fmt::format("Support by {} trees, in per cent:\n\n{}\nWritten:\n  {}\n", counts.trees(),
                                    draw(tree, names, supports, {terminal_columns(), locale_is_utf8()}), path));
}

namespace {

/// Takes out the branches that not more than `threshold` of the trees have; their children go to the node above.
Multifurcation collapse(const Multifurcation& tree, double threshold) {
  const auto is_kept = [&](const Multifurcation::Node& node) {
    if (node.parent < 0 || node.tip >= 0) return true;
    return threshold < 1 ? node.support > threshold : node.support >= 1;
  };
  Multifurcation out;
  std::vector<std::int32_t> place(tree.nodes.size());  // of a node, or of the node that its children go to
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const Multifurcation::Node& node = tree.nodes[i];
    const std::int32_t parent = node.parent < 0 ? -1 : place[static_cast<std::size_t>(node.parent)];
    if (!is_kept(node)) {
      place[i] = parent;
      continue;
    }
    place[i] = static_cast<std::int32_t>(out.nodes.size());
    out.nodes.push_back(node);
    out.nodes.back().parent = parent;
    out.nodes.back().children.clear();
    if (parent >= 0) out.nodes[static_cast<std::size_t>(parent)].children.push_back(place[i]);
  }
  return out;
}

}  // namespace

void run(const ConsensusCommand& command) {
  const NewickFile file = read_newick(command.trees);
  const std::vector<std::string> names = tip_names(file);
  const SplitCounts counts = count_splits(file, names, "the first tree");
  const Multifurcation tree = command.extended ? consensus(counts, Consensus::extended)
                                               : collapse(consensus(counts, Consensus::majority), command.threshold);
  const std::string newick = to_newick(tree, names);

  std::string path;
  if (!command.prefix.empty()) {
    const Prefix prefix(command.prefix);
    prefix.prepare();
    path = prefix.file("consensus");
    write_file(path, newick + "\n");
  }
  if (command.json) {
    nlohmann::json out = {{"tree", newick}, {"trees", counts.trees()}};
    if (!path.empty()) out["files"] = {{"consensus", path}};
    write_standard_output(dump(out));
  } else {
    write_standard_output(newick + "\n" + (path.empty() ? "" : "Written:\n  " + path + "\n"));
  }
}

}  // namespace phylo
