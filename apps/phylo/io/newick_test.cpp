#include "phylo/io/newick.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "phylo/io/error.hpp"

namespace phylo {
namespace {

const std::vector<std::string> abcd = {"a", "b", "c", "d"};

Tree parse(const std::string& text, const std::vector<std::string>& names = abcd, Lengths lengths = Lengths::optional) {
  return to_tree(parse_newick(text, "in"), 0, names, "the alignment", lengths);
}

void expect_complaint(const std::string& text, const std::string& place, const std::string& part,
                      Lengths lengths = Lengths::optional) {
  try {
    parse(text, abcd, lengths);
    ADD_FAILURE() << "was taken: " << text;
  } catch (const input_error& e) {
    const std::string message = e.what();
    EXPECT_EQ(message.substr(0, place.size() + 2), place + ": ") << message;
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

TEST(Newick, WhatIsWrittenReadsBackToTheLastBit) {
  const double lengths[] = {0.1, 1.0 / 3, 1e-6, std::numeric_limits<double>::denorm_min(), 12345.678901234567};
  Tree tree(4);
  tree.connect(0, 4, lengths[0]);
  tree.connect(1, 5, lengths[1]);
  tree.connect(6, 7, lengths[2]);
  tree.connect(2, 8, lengths[3]);
  tree.connect(3, 9, lengths[4]);
  ASSERT_TRUE(tree.complete());
  const std::string text = to_newick(tree, abcd);
  EXPECT_EQ(text, "(a:0.1,b:0.3333333333333333,(c:5e-324,d:12345.678901234567):1e-06);");
  const Tree back = parse(text);
  EXPECT_TRUE(back.complete());
  EXPECT_EQ(to_newick(back, abcd), text);
  EXPECT_EQ(back.length(3), lengths[4]);
}

TEST(Newick, ARootBecomesABranchAsLongAsItsHalves) {
  EXPECT_EQ(to_newick(parse("((a:1,b:2):0.25,(c:3,d:4):0.5);"), abcd), "(a:1,b:2,(c:3,d:4):0.75);");
  EXPECT_EQ(to_newick(parse("(a:1,(b:2,(c:3,d:4):5):6)root;"), abcd), "(a:7,b:2,(c:3,d:4):5);");
  EXPECT_EQ(to_newick(parse("((a:1,b:2),(c:3,d:4):0.5);"), abcd), "(a:1,b:2,(c:3,d:4):0.5);");
}

TEST(Newick, QuotesCommentsLabelsAndBlanks) {
  const std::vector<std::string> names = {"it's", "b c", "d(1)", "e_f"};
  const Tree tree = parse(" [&U] (\n'it''s' : +1e0 [x[y]], 'b c':.5,\n('d(1)':1.,e_f:2)99:3)\n[z]; ", names);
  EXPECT_EQ(to_newick(tree, names), "('it''s':1,'b c':0.5,('d(1)':1,e_f:2):3);");
}

TEST(Newick, LabelsStandBehindTheirSubtree) {
  const Tree tree = parse("(a:1,b:1,(c:1,d:1):1);");
  std::vector<std::string> labels(static_cast<std::size_t>(tree.half_edges()));
  tree.for_each_branch([&](HalfEdge h) {
    if (!tree.is_tip(h) && !tree.is_tip(tree.back(h)))
      labels[static_cast<std::size_t>(h)] = labels[static_cast<std::size_t>(tree.back(h))] = "87";
  });
  EXPECT_EQ(to_newick(tree, abcd, labels), "(a:1,b:1,(c:1,d:1)87:1);");
}

TEST(Newick, SeveralTreesInOneFile) {
  const NewickFile file = parse_newick("(a,b,(c,d));\n(a,c,(b,d));(a,d,(b,c));\n", "in");
  ASSERT_EQ(file.trees.size(), 3U);
  EXPECT_EQ(tip_names(file, 2), (std::vector<std::string>{"a", "d", "b", "c"}));
  EXPECT_EQ(to_newick(to_tree(file, 1, abcd, "x", Lengths::optional), abcd), "(a:0.1,c:0.1,(b:0.1,d:0.1):0.1);");
}

TEST(Newick, WhatIsNoTree) {
  expect_complaint("", "in:1:1", "the file is empty");
  expect_complaint("[only a comment]\n", "in:2:1", "no tree");
  expect_complaint("hello", "in:1:1", "'h' stands where '('");
  expect_complaint("#NEXUS begin trees;", "in:1:1", "is NEXUS");
  expect_complaint("(a,b,(c,d))", "in:1:12", "expected ';'");
  expect_complaint("(a,b,(c,d)", "in:1:11", "expected ',' or ')'");
  expect_complaint("(a,b,\n(c,d)));", "in:2:7", "';', the end of the tree");
  expect_complaint("(a,b,(c,));", "in:1:9", "a taxon's name or '('");
  expect_complaint("(a,b,(c,d):);", "in:1:12", "a branch length");
  expect_complaint("(a,b,(c,d):x1);", "in:1:12", "'x1' is no branch length");
  expect_complaint("(a,b,(c,d):nan);", "in:1:12", "'nan' is no branch length");
  expect_complaint("(a,b,(c,d):1e999);", "in:1:12", "'1e999' is no branch length");
  expect_complaint("(a,b,(c,d):-0.5);", "in:1:12", "negative");
  expect_complaint("(a,b,(c,d)[oops);", "in:1:11", "never closed");
  expect_complaint("(a,'b,(c,d));", "in:1:4", "never closed");
}

TEST(Newick, ShapesThatCannotBeAnalysed) {
  expect_complaint("(a,b,c,d);", "in:1:1", "4 children");
  expect_complaint("(a,((b,c,d)));", "in:1:4", "1 child");
  expect_complaint("(a:1,b:1,(c:1,d):1);", "in:1:15", "no length", Lengths::required);
}

TEST(Newick, TaxaOtherThanTheAlignments) {
  expect_complaint("(a,b,(c,x));", "in:1:9", "only the tree has 'x'; the tree lacks 'd';");
  expect_complaint("(a,b,c);", "in:1:1", "the tree lacks 'd';");
  expect_complaint("(a,b,(c,(d,e)));", "in:1:12", "only the tree has 'e';");
  expect_complaint("(a,b,(c,a));", "in:1:9", "taxon 'a' stands twice");
}

TEST(Newick, DepthIsNoWayToCrash) {
  expect_complaint(std::string(2000000, '('), "in:1:2000001", "the tree ends here");
  std::string text;
  std::vector<std::string> names = {"0"};
  const int taxa = 200000;
  for (int i = 0; i < taxa - 1; ++i) text += '(';
  text += '0';
  for (int i = 1; i < taxa; ++i) {
    names.push_back(std::to_string(i));
    text += "," + names.back() + ")";
  }
  const Tree tree = parse(text + ";", names);
  EXPECT_TRUE(tree.complete());
  EXPECT_EQ(to_newick(parse(to_newick(tree, names), names), names), to_newick(tree, names));
}

TEST(Newick, AnyBytesEndInAMessageOrATree) {
  const std::string seed = "(a:0.1,'b':2e-3,((c[x],d)87:1.5):.25)r;";
  std::uint64_t state = 99;
  const auto next = [&] {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
  };
  for (int round = 0; round < 20000; ++round) {
    std::string text = seed;
    for (std::uint64_t i = next() % 4 + 1; i > 0 && !text.empty(); --i) {
      const std::size_t at = next() % text.size();
      switch (next() % 3) {
        case 0:
          text[at] = static_cast<char>(next());
          break;
        case 1:
          text.erase(at, next() % 6 + 1);
          break;
        default:
          text.insert(at, 1, "(),:;'[]\n"[next() % 9]);
          break;
      }
    }
    try {
      ASSERT_TRUE(parse(text).complete());
    } catch (const input_error&) {
    }
  }
}

}  // namespace
}  // namespace phylo
