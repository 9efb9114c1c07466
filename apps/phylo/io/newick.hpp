#pragma once
// Trees in Newick notation, read and written without recursion: a caterpillar of a million taxa is as good as any.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "phylo/tree/consensus.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo {

/// A tree as it stands in the text: rooted at its outermost parenthesis, of any shape.
struct NewickTree {
  struct Node {
    std::string label;
    double length = 0;
    bool has_length = false;
    int parent = -1;
    std::vector<int> children;
    std::size_t offset = 0;  ///< where the node begins in the text

    bool is_tip() const { return children.empty(); }
  };
  std::vector<Node> nodes;  ///< 0 is the outermost; parents stand before their children
};

/// The trees of one text, which is kept for messages that name places in it.
struct NewickFile {
  std::string file;
  std::string text;
  std::vector<NewickTree> trees;

  /// Throws `input_error` at that byte of the text.
  [[noreturn]] void fail_at(std::size_t offset, const std::string& message) const;
};

/// Gives the trees (one at least) of a file or a text, which may be NEXUS with a TREES block. Labels may be quoted
/// ('it''s'), comments stand in brackets, underscores are kept as they are. Throws `input_error` with line and column
/// for whatever is no tree.
NewickFile read_newick(const std::string& file);
NewickFile parse_newick(std::string text, const std::string& file);

/// Gives the tips' labels of that tree, in the order in which they stand.
std::vector<std::string> tip_names(const NewickFile& file, std::size_t index = 0);

/// What `to_tree` does about a branch without a length.
enum class Lengths {
  required,  ///< an error
  optional,  ///< it gets `default_length`
};
inline constexpr double default_length = 0.1;

/// Gives the tree as an unrooted binary one whose tip i is names[i]; a root of two children becomes one branch, as long
/// as both of its halves. Throws `input_error` when its taxa are not exactly `names` (`whose` says in the message where
/// those come from: "the alignment"), when it is not binary, or when a length is negative or missing.
Tree to_tree(const NewickFile& file, std::size_t index, const std::vector<std::string>& names, const std::string& whose,
             Lengths lengths);

/// Gives all trees of a file, as `to_tree` does.
std::vector<Tree> to_trees(const NewickFile& file, const std::vector<std::string>& names, const std::string& whose,
                           Lengths lengths);

/// Gives the one tree of a file that was read. Throws as `to_tree` does, and when there are several.
Tree only_tree(const NewickFile& file, const std::vector<std::string>& names, const std::string& whose,
               Lengths lengths);

/// Whether any branch of any tree has a length.
bool has_lengths(const NewickFile& file);

/// Gives the one tree of the file. Throws `input_error` as `to_tree` does, and when the file holds several.
Tree read_tree(const std::string& file, const std::vector<std::string>& names, const std::string& whose,
               Lengths lengths);

/// Gives the tree, in one line with ';' but no line end, opened at the neighbour of tip 0. Lengths have the fewest
/// digits that read back as the same number. `labels`, if not empty, holds for every half-edge what the inner node
/// behind its branch is labelled with (support values); empty labels are left out.
std::string to_newick(const Tree& tree, const std::vector<std::string>& names,
                      const std::vector<std::string>& labels = {}, bool with_lengths = true);

/// Gives a consensus, opened at its root, with supports in per cent as labels of inner nodes.
std::string to_newick(const Multifurcation& tree, const std::vector<std::string>& names, bool with_lengths = true);

/// Gives a share as a label: rounded per cent; nothing for a negative number.
std::string per_cent(double share);

/// Whether a character can't stand in a label without quotes (blanks apart).
bool has_newick_meaning(char c);

/// Gives a label as Newick wants it: in quotes where it holds a character that has a meaning.
std::string newick_label(std::string_view name);

}  // namespace phylo
