// Any bytes behind #NEXUS: trees that come back from Newick, and from a TREES block that translates all their labels,
// or an `input_error`.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fuzz/check.hpp"
#include "phylo/io/error.hpp"
#include "phylo/io/newick.hpp"

namespace {

using phylo::NewickFile;
using phylo::NewickTree;

void check_form(const NewickTree& tree) {
  check(!tree.nodes.empty() && tree.nodes.front().parent == -1);
  std::size_t children = 0;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const NewickTree::Node& node = tree.nodes[i];
    check(!node.is_tip() || !node.label.empty());
    check(std::isfinite(node.length) && node.length >= 0 && (node.has_length || node.length == 0));
    for (const int child : node.children) {
      check(static_cast<std::size_t>(child) > i && static_cast<std::size_t>(child) < tree.nodes.size());
      check(tree.nodes[static_cast<std::size_t>(child)].parent == static_cast<int>(i));
    }
    children += node.children.size();
  }
  check(children + 1 == tree.nodes.size());
}

std::string quoted(const std::string& name) {
  std::string out = "'";
  for (const char c : name) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

/// The tree in Newick. Tips are called by `labels`, if it has any.
std::string written(const NewickTree& tree, const std::map<std::string, std::string>& labels) {
  std::vector<std::string> texts(tree.nodes.size());
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {  // children stand behind their parents
    const NewickTree::Node& node = tree.nodes[i];
    std::string& text = texts[i];
    for (const int child : node.children) text += (text.empty() ? "(" : ",") + texts[static_cast<std::size_t>(child)];
    if (!node.is_tip()) text += ')';
    if (node.is_tip() && !labels.empty())
      text += labels.at(node.label);
    else if (!node.label.empty())
      text += quoted(node.label);
    if (node.has_length) text += ':' + std::to_string(node.length);
  }
  return texts.front() + ";";
}

/// The trees one by one. Lengths are rounded, so the text says it, not the numbers.
std::string all_written(const NewickFile& file) {
  std::string text;
  for (const NewickTree& tree : file.trees) text += written(tree, {}) + "\n";
  return text;
}

std::string translated(const NewickFile& file) {
  std::map<std::string, std::string> labels;
  for (const NewickTree& tree : file.trees)
    for (const NewickTree::Node& node : tree.nodes)
      if (node.is_tip()) labels.emplace(node.label, std::to_string(labels.size()));
  std::string text = "#NEXUS\nbegin trees;\ntranslate";
  for (const auto& [name, label] : labels)
    text += (text.ends_with("translate") ? " " : ", ") + label + ' ' + quoted(name);
  text += ";\n";
  for (const NewickTree& tree : file.trees) text += "tree t = [&U] " + written(tree, labels) + "\n";
  return text + "end;\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  NewickFile file;
  try {
    file = phylo::parse_newick("#NEXUS\n" + std::string(reinterpret_cast<const char*>(data), size), "trees");
  } catch (const phylo::input_error& e) {
    check_message(e);
    return 0;
  }
  check(!file.trees.empty());
  for (const NewickTree& tree : file.trees) check_form(tree);
  const std::string text = all_written(file);
  check(all_written(phylo::parse_newick(text, "again")) == text);
  check(all_written(phylo::parse_newick(translated(file), "translated")) == text);
  return 0;
}
