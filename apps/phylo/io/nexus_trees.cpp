#include "phylo/io/nexus_trees.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <unordered_map>

#include "phylo/io/formats.hpp"
#include "phylo/io/nexus_words.hpp"
#include "phylo/io/text.hpp"

namespace phylo {
namespace {

class Reader {
 public:
  Reader(NewickFile& file, const std::function<std::size_t(std::size_t)>& parse_tree)
      : file_(file), parse_tree_(parse_tree), in_(file.text) {}

  void read() {
    in_.expect_word("#NEXUS");
    while (const std::optional<NexusWord> block = in_.next_block())
      if (block->is("TREES"))
        read_trees();
      else
        in_.skip_block();
    if (file_.trees.empty())
      throw format_error{file_.text.size(),
                         "there is no tree in this file; expected BEGIN TREES; with TREE NAME = (a:0.1,b:0.2,c:0.1);"};
  }

 private:
  void read_trees() {
    names_.clear();
    for (;;) {
      const NexusWord command = in_.expect_word("END;");
      if (command.is(";")) continue;
      if (command.is("TRANSLATE")) {
        read_names();
      } else if (command.is("TREE") || command.is("UTREE")) {
        read_tree(command.offset);
      } else {
        in_.skip_command();
        if (command.is_end()) return;
      }
    }
  }

  /// LABEL NAME, LABEL NAME, ...;
  void read_names() {
    for (;;) {
      const NexusWord label = in_.expect_word("';'");
      if (label.is(";")) return;
      const NexusWord name = in_.expect_word("the taxon's name");
      if (label.is(",") || name.is(",") || name.is(";") || name.text.empty())
        throw format_error{label.offset, "expected a label and the taxon's name, as in TRANSLATE 1 Homo, 2 Pan;"};
      if (const std::string complaint = complaint_about(name.text); !complaint.empty())
        throw format_error{name.offset, complaint};
      if (!names_.emplace(label.text, name.text).second)
        throw format_error{label.offset,
                           fmt::format("a second name for the label {}; expected one", shown(label.text))};
      const NexusWord behind = in_.expect_word("',' or ';'");
      if (behind.is(";")) return;
      if (!behind.is(","))
        throw format_error{behind.offset, fmt::format("{} stands where ',' or ';' is expected", shown(behind.text))};
    }
  }

  /// NAME = NEWICK; a star before the name says that the tree is the first to be shown.
  void read_tree(std::size_t at) {
    for (int words = 0; !in_.expect_word("'=' and a tree").is("="); ++words)
      if (words == 2) throw format_error{at, "expected TREE NAME = (a:0.1,b:0.2,c:0.1);"};
    in_.go_on_at(parse_tree_(in_.offset()));
    for (NewickTree::Node& node : file_.trees.back().nodes)
      if (const auto name = names_.find(node.label); node.is_tip() && name != names_.end()) node.label = name->second;
  }

  NewickFile& file_;
  const std::function<std::size_t(std::size_t)>& parse_tree_;
  NexusScanner in_;
  std::unordered_map<std::string, std::string> names_;  ///< by label, of this block
};

}  // namespace

void parse_nexus_trees(NewickFile& file, const std::function<std::size_t(std::size_t)>& parse_tree) {
  try {
    Reader(file, parse_tree).read();
  } catch (const format_error& e) {
    file.fail_at(e.offset, e.message);
  }
}

}  // namespace phylo
