#include "phylo/run/support.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/shared/terminal.hpp"
#include "phylo/io/error.hpp"
#include "phylo/io/file.hpp"
#include "phylo/io/text.hpp"
#include "phylo/run/commands.hpp"
#include "phylo/run/draw.hpp"
#include "phylo/run/prefix.hpp"
#include "phylo/run/results.hpp"
#include "phylo/tree/consensus.hpp"
#include "phylo/tree/transfer.hpp"

namespace phylo {

std::string newick_with_support(const Tree& tree, const std::vector<std::string>& names,
                                const std::vector<double>& supports, bool with_lengths) {
  std::vector<std::string> labels(supports.size());
  std::transform(supports.begin(), supports.end(), labels.begin(), per_cent);
  return to_newick(tree, names, labels, with_lengths);
}

std::vector<double> support_by(const std::string& metric, const Tree& tree, std::size_t count,
                               const std::function<Tree(std::size_t)>& other) {
  if (metric == "tbe") {
    TransferSums sums(tree);
    for (std::size_t i = 0; i < count; ++i) sums.add(other(i));
    return sums.support();
  }
  SplitCounts counts(tree.tips());
  for (std::size_t i = 0; i < count; ++i) counts.add(other(i));
  return support(tree, counts);
}

SplitCounts count_splits(const NewickFile& file, const std::vector<std::string>& names, const std::string& whose) {
  SplitCounts counts(static_cast<std::int32_t>(names.size()));
  for (std::size_t i = 0; i < file.trees.size(); ++i) counts.add(to_tree(file, i, names, whose, Lengths::optional));
  return counts;
}

void run(const SupportCommand& command) {
  const NewickFile file = read_newick(command.tree);
  const std::vector<std::string> names = tip_names(file);
  const Tree tree = only_tree(file, names, command.tree, Lengths::optional);
  const NewickFile others = read_newick(command.trees);
  const std::vector<double> supports = support_by(command.metric, tree, others.trees.size(), [&](std::size_t i) {
    return to_tree(others, i, names, "the tree in " + shown_path(command.tree), Lengths::optional);
  });
  const std::string newick = newick_with_support(tree, names, supports, has_lengths(file));

  const Prefix prefix(command.prefix);
  prefix.prepare();
  const std::string path = prefix.file("support");
  write_file(path, newick + "\n");
  if (command.json) {
    write_standard_output(dump({{"tree", newick},
                                {"trees", others.trees.size()},
                                {"metric", command.metric},
                                {"files", {{"support", path}}}}));
    return;
  }
  write_standard_output(fmt::format(
      "{} by {} trees, in per cent:\n\n{}\nWritten:\n  {}\n", command.metric == "tbe" ? "Transfer support" : "Support",
      others.trees.size(), draw(tree, names, supports, {terminal_columns(), command::locale_is_utf8()}), path));
}

namespace {

/// Takes out the branches that not more than `threshold` of the trees have; their children go to the node above.
Multifurcation collapse(const Multifurcation& tree, double threshold) {
  const std::size_t count = tree.nodes.size();
  const auto is_kept = [&](const Multifurcation::Node& node) {
    if (node.parent < 0 || node.tip >= 0) return true;
    return threshold < 1 ? node.support > threshold : node.support >= 1;
  };
  const auto at = [](std::int32_t node) { return static_cast<std::size_t>(node); };

  std::vector<std::vector<std::int32_t>> children(count);
  std::vector<std::int32_t> lowest(count);  // tip below each node
  for (std::size_t i = count; i-- > 0;) {
    const Multifurcation::Node& node = tree.nodes[i];
    lowest[i] = node.tip;
    for (const std::int32_t c : node.children) {
      lowest[i] = lowest[i] < 0 ? lowest[at(c)] : std::min(lowest[i], lowest[at(c)]);
      if (is_kept(tree.nodes[at(c)]))
        children[i].push_back(c);
      else
        children[i].insert(children[i].end(), children[at(c)].begin(), children[at(c)].end());
    }
    std::sort(children[i].begin(), children[i].end(), [&](auto a, auto b) { return lowest[at(a)] < lowest[at(b)]; });
  }

  Multifurcation out;
  std::vector<std::int32_t> from{0};  // by the new node's number
  out.nodes.push_back(tree.nodes.front());
  for (std::size_t i = 0; i < from.size(); ++i) {
    out.nodes[i].children.clear();
    for (const std::int32_t c : children[at(from[i])]) {
      out.nodes[i].children.push_back(static_cast<std::int32_t>(from.size()));
      from.push_back(c);
      out.nodes.push_back(tree.nodes[at(c)]);
      out.nodes.back().parent = static_cast<std::int32_t>(i);
    }
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
  const std::string newick = to_newick(tree, names, has_lengths(file));

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
