// Any bytes as trees and as a constraint tree of ten taxa: trees whose text gives them back, a constraint that some
// tree displays, or an `input_error`.

#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/check.hpp"
#include "phylo/io/error.hpp"
#include "phylo/io/newick.hpp"
#include "phylo/run/constrained.hpp"
#include "phylo/search/random.hpp"
#include "phylo/tree/rearrange.hpp"

namespace {

const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f", "g h", "it's", "\xe4", "(j)"};
constexpr std::int32_t taxa = 10;

void check_trees(const std::string& text) {
  std::vector<phylo::Tree> trees;
  try {
    trees = phylo::to_trees(phylo::parse_newick(text, "trees"), names, "the alignment", phylo::Lengths::optional);
  } catch (const phylo::input_error& e) {
    check_message(e);
    return;
  }
  for (const phylo::Tree& tree : trees) {
    check(tree.complete());
    const std::string written = phylo::to_newick(tree, names);
    const phylo::Tree again =
        phylo::to_tree(phylo::parse_newick(written, "again"), 0, names, "names", phylo::Lengths::required);
    check(phylo::to_newick(again, names) == written);
  }
}

/// Grows a tree by random places that the constraint leaves, then moves its subtrees to such places.
void check_displayed(const phylo::Constraint& constraint, std::uint64_t seed) {
  phylo::Random random(seed);
  std::vector<phylo::HalfEdge> order;
  for (phylo::HalfEdge tip = 0; tip < taxa; ++tip) order.push_back(tip);
  random.shuffle(order);
  phylo::Tree tree = phylo::triplet(taxa, order[0], order[1], order[2], 0.1);
  phylo::ConstrainedGrowth growth(constraint);
  for (std::int32_t i = 3; i < taxa; ++i) {
    const phylo::HalfEdge tip = order[static_cast<std::size_t>(i)];
    const std::vector<char>& places = growth.places(tree, order[0], tip);
    std::vector<phylo::HalfEdge> open;
    for (const phylo::HalfEdge h : tree.branches())
      if (places[static_cast<std::size_t>(h)]) open.push_back(h);
    check(!open.empty());
    phylo::attach_tip(tree, tip, taxa + i - 2, open[random.below(open.size())], 0.1);
  }
  check(tree.complete() && constraint.displayed_by(tree));
  check(phylo::missing_from(tree, constraint, names).empty());
}

void check_constraint(const std::string& text, std::uint64_t seed) {
  try {
    const phylo::Constraint constraint = phylo::parse_constraint(text, "constraint", names);
    check(!phylo::canonical(constraint, names).empty());
    check_displayed(constraint, seed);
  } catch (const phylo::input_error& e) {
    check_message(e);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_trees(text);
  check_constraint(text, size);
  return 0;
}
