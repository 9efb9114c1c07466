#include "phylo/io/newick.hpp"

#include <fmt/format.h>

#include <charconv>
#include <unordered_map>

#include "phylo/io/nexus_trees.hpp"
#include "phylo/io/nexus_words.hpp"
#include "phylo/io/text.hpp"

namespace phylo {

void NewickFile::fail_at(std::size_t offset, const std::string& message) const {
  fail(file, position_of(text, offset), message);
}

bool has_newick_meaning(char c) { return std::string_view("()[]:;,'").find(c) != std::string_view::npos; }

namespace {

class Parser {
 public:
  explicit Parser(NewickFile& out) : out_(out), text_(out.text) {}

  void parse_all() {
    skip();
    if (at_end())
      out_.fail_at(text_.size(), text_.empty() ? "the file is empty; expected a tree in Newick notation"
                                               : "there is no tree in this file; expected one in Newick notation");
    while (!at_end()) {
      out_.trees.push_back(parse_tree());
      skip();
    }
  }

  /// Takes the tree that begins there, behind blanks and comments; gives where it ends.
  std::size_t parse_one(std::size_t from) {
    at_ = from;
    skip();
    if (at_end()) fail_here("a tree in Newick notation");
    out_.trees.push_back(parse_tree());
    return at_;
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }

  void skip() {
    while (!at_end()) {
      if (text_[at_] == '[') {
        const std::size_t start = at_;
        int depth = 0;
        do {
          if (at_end()) out_.fail_at(start, "this comment is never closed; expected ']'");
          depth += text_[at_] == '[' ? 1 : text_[at_] == ']' ? -1 : 0;
          ++at_;
        } while (depth > 0);
      } else if (is_space(text_[at_])) {
        ++at_;
      } else {
        return;
      }
    }
  }

  [[noreturn]] void fail_here(const std::string& expected) {
    out_.fail_at(at_, at_end() ? fmt::format("the tree ends here; expected {}", expected)
                               : fmt::format("{} stands where {} is expected", shown(text_[at_]), expected));
  }

  NewickTree parse_tree() {
    NewickTree tree;
    if (text_[at_] != '(') fail_here("'(', the beginning of a tree in Newick notation,");
    int current = add(tree, -1);
    for (bool subtree_expected = true;;) {
      skip();
      if (subtree_expected && !at_end() && text_[at_] == '(') {
        ++at_;
        current = add(tree, current);
        continue;
      }
      if (subtree_expected) {
        read_label(tree.nodes[index(current)]);
        if (tree.nodes[index(current)].label.empty()) fail_here("a taxon's name or '('");
        if (const std::string complaint = complaint_about(tree.nodes[index(current)].label); !complaint.empty())
          out_.fail_at(tree.nodes[index(current)].offset, complaint);
        read_length(tree.nodes[index(current)]);
        subtree_expected = false;
        continue;
      }
      const int parent = tree.nodes[index(current)].parent;
      if (parent < 0) {
        if (at_end() || text_[at_] != ';') fail_here("';', the end of the tree");
        ++at_;
        return tree;
      }
      if (!at_end() && text_[at_] == ',') {
        ++at_;
        current = add(tree, parent);
        subtree_expected = true;
      } else if (!at_end() && text_[at_] == ')') {
        ++at_;
        current = parent;
        read_label(tree.nodes[index(current)]);
        read_length(tree.nodes[index(current)]);
      } else {
        fail_here("',' or ')'");
      }
    }
  }

  static std::size_t index(int node) { return static_cast<std::size_t>(node); }

  int add(NewickTree& tree, int parent) {
    const int node = static_cast<int>(tree.nodes.size());
    skip();
    tree.nodes.emplace_back();
    tree.nodes.back().parent = parent;
    tree.nodes.back().offset = at_;
    if (parent >= 0) tree.nodes[index(parent)].children.push_back(node);
    return node;
  }

  void read_label(NewickTree::Node& node) {
    skip();
    if (at_end()) return;
    if (text_[at_] != '\'') {
      while (!at_end() && !is_space(text_[at_]) && !has_newick_meaning(text_[at_])) node.label += text_[at_++];
      return;
    }
    const std::size_t start = at_++;
    for (;; ++at_) {
      if (at_end() || text_[at_] == '\n') out_.fail_at(start, "this quoted name is never closed; expected another '");
      if (text_[at_] != '\'') {
        node.label += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '\'') {
        node.label += text_[at_++];
      } else {
        ++at_;
        return;
      }
    }
  }

  void read_length(NewickTree::Node& node) {
    skip();
    if (at_end() || text_[at_] != ':') return;
    ++at_;
    skip();
    const std::size_t start = at_;
    std::size_t end = start;
    while (end < text_.size() && !is_space(text_[end]) && !has_newick_meaning(text_[end])) ++end;
    const char* from = text_.data() + start;
    if (start < end && *from == '+') ++from;
    const auto [to, problem] = std::from_chars(from, text_.data() + end, node.length);
    if (start == end) fail_here("a branch length");
    if (problem != std::errc() || to != text_.data() + end || !(node.length <= most_length))
      out_.fail_at(start, fmt::format("{} is no branch length; expected a number like 0.013 or 1e-6, {} at most",
                                      shown(std::string_view(text_).substr(start, end - start)), most_length));
    if (node.length < 0)
      out_.fail_at(start,
                   fmt::format("a branch of length {} is negative; lengths are expected substitutions per site, 0 or "
                               "more",
                               node.length));
    node.has_length = true;
    at_ = end;
  }

  static constexpr double most_length = 1e100;  // sums of lengths are numbers, too

  NewickFile& out_;
  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

NewickFile parse_newick(std::string text, const std::string& file) {
  NewickFile out;
  out.file = file;
  out.text = normalize_text(std::move(text));
  Parser parser(out);
  if (is_nexus(out.text))
    parse_nexus_trees(out, [&](std::size_t from) { return parser.parse_one(from); });
  else
    parser.parse_all();
  return out;
}

NewickFile read_newick(const std::string& file) { return parse_newick(read_text(file), file); }

std::vector<std::string> tip_names(const NewickFile& file, std::size_t index) {
  std::vector<std::string> names;
  for (const NewickTree::Node& node : file.trees[index].nodes)
    if (node.is_tip()) names.push_back(node.label);
  return names;
}

namespace {

/// Gives for every node its tip's number, -1 for inner nodes.
std::vector<Node> match_taxa(const NewickFile& file, const NewickTree& tree, const std::vector<std::string>& names,
                             const std::string& whose) {
  std::unordered_map<std::string_view, Node> numbers;
  for (std::size_t i = 0; i < names.size(); ++i) numbers.emplace(names[i], static_cast<Node>(i));
  std::vector<Node> tip_of(tree.nodes.size(), -1);
  std::vector<bool> seen(names.size(), false);
  std::vector<std::string> strangers;
  std::size_t first_stranger = 0;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const NewickTree::Node& node = tree.nodes[i];
    if (!node.is_tip()) continue;
    const auto found = numbers.find(node.label);
    if (found == numbers.end()) {
      if (strangers.empty()) first_stranger = node.offset;
      strangers.push_back(node.label);
      continue;
    }
    if (seen[static_cast<std::size_t>(found->second)])
      file.fail_at(node.offset, fmt::format("taxon {} stands twice in this tree; expected it once", shown(node.label)));
    seen[static_cast<std::size_t>(found->second)] = true;
    tip_of[i] = found->second;
  }
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!seen[i]) missing.push_back(names[i]);
  if (strangers.empty() && missing.empty()) return tip_of;
  std::string message = fmt::format("this tree's taxa differ from those of {}:", whose);
  if (!strangers.empty()) message += fmt::format(" only the tree has {};", first_few(strangers));
  if (!missing.empty()) message += fmt::format(" the tree lacks {};", first_few(missing));
  file.fail_at(strangers.empty() ? tree.nodes.front().offset : first_stranger,
               message + " both must have the same names");
}

}  // namespace

Tree to_tree(const NewickFile& file, std::size_t index, const std::vector<std::string>& names, const std::string& whose,
             Lengths lengths) {
  const NewickTree& from = file.trees[index];
  const std::vector<Node> tip_of = match_taxa(file, from, names, whose);
  if (names.size() < 4)
    file.fail_at(from.nodes.front().offset,
                 fmt::format("{} taxa only; an unrooted tree needs at least four", names.size()));
  for (std::size_t i = 0; i < from.nodes.size(); ++i) {
    const NewickTree::Node& node = from.nodes[i];
    const std::size_t children = node.children.size();
    if (!node.is_tip() && children != 2 && !(i == 0 && children == 3))
      file.fail_at(node.offset,
                   fmt::format("an inner node with {} {}; the tree must be binary, its outermost node may have 2 "
                               "or 3 children",
                               children, children == 1 ? "child" : "children"));
    if (i != 0 && !node.has_length && lengths == Lengths::required)
      file.fail_at(node.offset,
                   "this branch has no length; give every branch one, or have them optimized (--optimize branches)");
  }

  Tree tree(static_cast<std::int32_t>(names.size()));
  const bool rooted = from.nodes.front().children.size() == 2;
  std::vector<HalfEdge> upward(from.nodes.size(), none);  // the half-edge that leaves a node towards its parent
  Node fresh = tree.tips();
  for (std::size_t i = 0; i < from.nodes.size(); ++i) {
    const NewickTree::Node& node = from.nodes[i];
    if (node.is_tip())
      upward[i] = tip_of[i];
    else if (i != 0 || !rooted)
      upward[i] = tree.first(fresh++);
  }
  const auto length_of = [&](const NewickTree::Node& node) { return node.has_length ? node.length : default_length; };
  for (std::size_t i = 0; i < from.nodes.size(); ++i) {
    const NewickTree::Node& node = from.nodes[i];
    if (node.is_tip()) continue;
    const auto child = [&](std::size_t c) { return static_cast<std::size_t>(node.children[c]); };
    if (i == 0 && rooted) {
      const NewickTree::Node& left = from.nodes[child(0)];
      const NewickTree::Node& right = from.nodes[child(1)];
      const bool given = left.has_length || right.has_length;
      tree.connect(upward[child(0)], upward[child(1)], given ? left.length + right.length : default_length);
      continue;
    }
    HalfEdge own = i == 0 ? upward[i] : upward[i] + 1;
    for (std::size_t c = 0; c < node.children.size(); ++c, ++own)
      tree.connect(own, upward[child(c)], length_of(from.nodes[child(c)]));
  }
  return tree;
}

std::vector<Tree> to_trees(const NewickFile& file, const std::vector<std::string>& names, const std::string& whose,
                           Lengths lengths) {
  std::vector<Tree> trees;
  trees.reserve(file.trees.size());
  for (std::size_t i = 0; i < file.trees.size(); ++i) trees.push_back(to_tree(file, i, names, whose, lengths));
  return trees;
}

Tree only_tree(const NewickFile& file, const std::vector<std::string>& names, const std::string& whose,
               Lengths lengths) {
  if (file.trees.size() > 1)
    file.fail_at(file.trees[1].nodes.front().offset,
                 fmt::format("{} trees in this file; expected one", file.trees.size()));
  return to_tree(file, 0, names, whose, lengths);
}

Tree read_tree(const std::string& file, const std::vector<std::string>& names, const std::string& whose,
               Lengths lengths) {
  return only_tree(read_newick(file), names, whose, lengths);
}

bool has_lengths(const NewickFile& file) {
  for (const NewickTree& tree : file.trees)
    for (const NewickTree::Node& node : tree.nodes)
      if (node.has_length) return true;
  return false;
}

}  // namespace phylo
