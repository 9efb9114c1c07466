#include "phylo/run/constrained.hpp"

#include <gtest/gtest.h>

#include "phylo/io/error.hpp"
#include "phylo/io/newick.hpp"

namespace phylo {
namespace {

const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f", "g", "h i"};

std::string complaint(const std::string& text) {
  try {
    parse_constraint(text, "x.tree", names);
  } catch (const input_error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(ConstraintFiles, MayHaveNodesOfManyChildrenAndLackTaxa) {
  const Constraint constraint = parse_constraint("((a,b,(c,'h i')98:0.1):0.2,d,e);", "x", names);
  EXPECT_EQ(constraint.constrained(), 6);
  EXPECT_EQ(constraint.clusters().size(), 2u);
  EXPECT_EQ(constraint.key(5), 0u);
  const auto tree = [](const char* newick) {
    return to_tree(parse_newick(newick, "t"), 0, names, "the alignment", Lengths::optional);
  };
  EXPECT_TRUE(missing_from(tree("((((a,f),b),(c,'h i')),(d,g),e);"), constraint, names).empty());
  EXPECT_EQ(missing_from(tree("((((a,f),d),(c,'h i')),(b,g),e);"), constraint, names),
            (std::vector<std::string>{"d", "e"}));
}

TEST(ConstraintFiles, AreEqualHoweverTheyAreRooted) {
  const auto text = [](const char* newick) { return canonical(parse_constraint(newick, "x", names), names); };
  EXPECT_EQ(text("((a,b),(c,d),e);"), text("(((c,d),e),(b,a));"));
  EXPECT_NE(text("((a,b),(c,d),e);"), text("((a,b),c,d,e);"));
  EXPECT_NE(text("((a,b),(c,d),e);"), text("((a,b),(c,d),f);"));
}

TEST(ConstraintFiles, AreRefusedWithTheirPlace) {
  EXPECT_EQ(complaint("((a,b),\n (c,alpha));")
                .rfind("x.tree:2:5: the constraint has the taxon 'alpha', which the "
                       "alignment lacks;",
                       0),
            0u);
  EXPECT_EQ(complaint("((a,b),(c,a));").rfind("x.tree:1:11: taxon 'a' stands twice", 0), 0u);
  EXPECT_EQ(complaint("((a,b),((c,d)));").rfind("x.tree:1:8: an inner node with one child", 0), 0u);
  EXPECT_EQ(complaint("(a,b,c,d);").rfind("x.tree:1:1: this tree constrains nothing", 0), 0u);
  EXPECT_EQ(complaint("((a,b),c);").rfind("x.tree:1:1: this tree constrains nothing", 0), 0u);
  EXPECT_EQ(complaint("((a,b),(c,d));\n(a,b,c);").rfind("x.tree:2:1: 2 trees in this file", 0), 0u);
}

}  // namespace
}  // namespace phylo
