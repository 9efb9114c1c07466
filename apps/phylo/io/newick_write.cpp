#include <fmt/format.h>

#include <cmath>

#include "phylo/io/newick.hpp"
#include "phylo/io/text.hpp"

namespace phylo {

std::string newick_label(std::string_view name) {
  bool plain = !name.empty();
  for (const char c : name) plain = plain && !is_space(c) && !has_newick_meaning(c);
  if (plain) return std::string(name);
  std::string out = "'";
  for (const char c : name) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

namespace {

/// What is left to write, last first: a piece of text, or the subtree of a node, or the label and length behind it.
template <class Place>
struct Step {
  Place place;
  const char* text = nullptr;  // written instead of the subtree, if not null
  bool close = false;          // the subtree is written
};

}  // namespace

std::string to_newick(const Tree& tree, const std::vector<std::string>& names, const std::vector<std::string>& labels,
                      bool with_lengths) {
  std::string out = "(";
  const std::string end = ")" + (labels.empty() ? std::string() : labels.front()) + ";";
  std::vector<Step<HalfEdge>> steps{{none, end.c_str(), false}};  // a half-edge looks down the branch to its subtree
  const HalfEdge top = tree.back(0);
  for (const HalfEdge h : {tree.next(tree.next(top)), tree.next(top), top}) {
    steps.push_back({h, nullptr, false});
    if (h != top) steps.push_back({none, ",", false});
  }
  while (!steps.empty()) {
    const Step<HalfEdge> step = steps.back();
    steps.pop_back();
    if (step.text != nullptr) {
      out += step.text;
      continue;
    }
    const HalfEdge below = tree.back(step.place);
    if (tree.is_tip(below)) {
      out += newick_label(names[static_cast<std::size_t>(below)]);
    } else if (!step.close) {
      out += '(';
      steps.push_back({step.place, nullptr, true});
      steps.push_back({tree.next(tree.next(below)), nullptr, false});
      steps.push_back({none, ",", false});
      steps.push_back({tree.next(below), nullptr, false});
      continue;
    } else {
      out += ')';
      if (!labels.empty()) out += labels[static_cast<std::size_t>(step.place)];
    }
    if (with_lengths) out += fmt::format(":{}", tree.length(below));
  }
  return out;
}

std::string per_cent(double share) { return share < 0 ? std::string() : std::to_string(std::lround(100 * share)); }

std::string to_newick(const Multifurcation& tree, const std::vector<std::string>& names, bool with_lengths) {
  std::string out;
  std::vector<Step<std::int32_t>> steps{{-1, ";", false}, {0, nullptr, false}};
  while (!steps.empty()) {
    const Step<std::int32_t> step = steps.back();
    steps.pop_back();
    if (step.text != nullptr) {
      out += step.text;
      continue;
    }
    const Multifurcation::Node& node = tree.nodes[static_cast<std::size_t>(step.place)];
    if (node.tip >= 0) {
      out += newick_label(names[static_cast<std::size_t>(node.tip)]);
    } else if (!step.close) {
      out += '(';
      steps.push_back({step.place, nullptr, true});
      for (std::size_t c = node.children.size(); c-- > 0;) {
        steps.push_back({node.children[c], nullptr, false});
        if (c > 0) steps.push_back({-1, ",", false});
      }
      continue;
    } else {
      out += ')' + per_cent(node.support);
    }
    if (with_lengths && node.parent >= 0) out += fmt::format(":{}", node.length);
  }
  return out;
}

}  // namespace phylo
