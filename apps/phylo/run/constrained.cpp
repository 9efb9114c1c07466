#include "phylo/run/constrained.hpp"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "phylo/io/newick.hpp"
#include "phylo/io/text.hpp"

namespace phylo {
namespace {

std::vector<std::string> names_in(const Split& cluster, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (std::size_t tip = 0; tip < names.size(); ++tip)
    if (holds(cluster, static_cast<std::int32_t>(tip))) out.push_back(names[tip]);
  return out;
}

Constraint constraint_of(const NewickFile& file, const std::vector<std::string>& names) {
  if (file.trees.size() > 1)
    file.fail_at(file.trees[1].nodes.front().offset,
                 fmt::format("{} trees in this file; expected one, the constraint", file.trees.size()));
  const std::vector<NewickTree::Node>& nodes = file.trees.front().nodes;
  std::unordered_map<std::string_view, std::size_t> numbers;
  for (std::size_t i = 0; i < names.size(); ++i) numbers.emplace(names[i], i);
  std::vector<bool> constrained(names.size(), false);
  std::vector<Split> below(nodes.size(), Split((names.size() + 63) / 64, 0));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NewickTree::Node& node = nodes[i];
    if (!node.is_tip()) {
      if (node.children.size() < 2)
        file.fail_at(node.offset, "an inner node with one child; expected two or more, as in ((a,b,c),(d,e));");
      continue;
    }
    const auto found = numbers.find(node.label);
    if (found == numbers.end()) {
      const std::string meant = nearest_name(node.label, names);
      file.fail_at(
          node.offset,
          fmt::format("the constraint has the taxon {}, which the alignment lacks{}; it may lack taxa of the "
                      "alignment, but have no others",
                      shown(node.label), meant.empty() ? "" : fmt::format(" (did you mean {}?)", shown(meant))));
    }
    if (constrained[found->second])
      file.fail_at(node.offset, fmt::format("taxon {} stands twice in this tree; expected it once", shown(node.label)));
    constrained[found->second] = true;
    below[i][found->second / 64] |= std::uint64_t{1} << (found->second % 64);
  }
  for (std::size_t i = nodes.size(); i-- > 1;)
    for (std::size_t w = 0; w < below[i].size(); ++w)
      below[static_cast<std::size_t>(nodes[i].parent)][w] |= below[i][w];
  std::vector<Split> clusters;
  for (std::size_t i = 1; i < nodes.size(); ++i)
    if (!nodes[i].is_tip()) clusters.push_back(std::move(below[i]));
  Constraint constraint(constrained, clusters);
  if (constraint.clusters().empty())
    file.fail_at(
        nodes.front().offset,
        "this tree constrains nothing: every tree displays it; expected a branch with at least two taxa on each "
        "of its sides, as in ((a,b,c),(d,e));");
  return constraint;
}

}  // namespace

Constraint read_constraint(const std::string& file, const std::vector<std::string>& names) {
  return constraint_of(read_newick(file), names);
}

Constraint parse_constraint(std::string text, const std::string& file, const std::vector<std::string>& names) {
  return constraint_of(parse_newick(std::move(text), file), names);
}

std::string canonical(const Constraint& constraint, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t tip = 0; tip < names.size(); ++tip)
    if (constraint.key(static_cast<HalfEdge>(tip)) != 0) text += newick_label(names[tip]) + "\n";
  for (const Split& cluster : constraint.clusters())
    for (const std::uint64_t word : cluster) text += fmt::format("{:016x}\n", word);
  return text;
}

std::vector<std::string> missing_from(const Tree& tree, const Constraint& constraint,
                                      const std::vector<std::string>& names) {
  const std::size_t missing = constraint.first_missing(tree);
  if (missing == constraint.clusters().size()) return {};
  return names_in(constraint.clusters()[missing], names);
}

}  // namespace phylo
