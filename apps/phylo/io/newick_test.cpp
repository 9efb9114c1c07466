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

TEST(Newick, SumsOfTheLongestBranchesAreNumbers) {
  const Tree tree = parse("((a:1e100,b:1e100):1e100,(c:1e100,d:1e100):1e100);");
  EXPECT_EQ(to_newick(tree, abcd), "(a:1e+100,b:1e+100,(c:1e+100,d:1e+100):2e+100);");
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

TEST(Newick, TreesInNexusHaveTheNamesThatTheirLabelsStandFor) {
  const NewickFile file = parse_newick(
      "#nexus\n[ID: 1]\nbegin taxa; dimensions ntax=4; end;\n"
      "Begin trees;\n translate 1 a, 2 'b', 3\tc, 4 d;\n"
      " tree gen.1 = [&U] (1:1,2:2,(3:3,4:4)2:5);\n  TREE * 'the best' [&lnP=-3] = [&R] (2,1,(4,3));\nend;\n"
      "begin other; tree x = nonsense; endblock;\nbegin trees;\r\nutree 2 = (a,(b,c),d);\r\nend;\n",
      "in");
  ASSERT_EQ(file.trees.size(), 3U);
  const auto text_of = [&](std::size_t tree) {
    return to_newick(to_tree(file, tree, abcd, "x", Lengths::optional), abcd);
  };
  EXPECT_EQ(text_of(0), "(a:1,b:2,(c:3,d:4):5);");
  EXPECT_EQ(file.trees[0].nodes[3].label, "2") << "a support value is none of the taxa";
  EXPECT_EQ(text_of(1), "(a:0.1,(d:0.1,c:0.1):0.1,b:0.1);");
  EXPECT_EQ(text_of(2), "(a:0.1,(b:0.1,c:0.1):0.1,d:0.1);");
  EXPECT_EQ(to_newick(parse("\n #NEXUS[of a program]\nbegin trees;\ntree t = (a,b,(c,d));\nend;"), abcd, {}, false),
            "(a,b,(c,d));")
      << "blanks may stand in front";
}

TEST(Newick, WhatIsNoNexusWithTrees) {
  const auto trees = [](const std::string& body) { return "#NEXUS\nbegin trees;\n" + body; };
  expect_complaint("#NEXUS\nbegin data; end;\n", "in:3:1", "there is no tree in this file");
  expect_complaint(trees(""), "in:3:1", "the file ends where END; is expected");
  expect_complaint(trees("tree t (a,b,c);"), "in:3:1", "expected TREE NAME = ");
  expect_complaint(trees("tree t = [&U]"), "in:3:14", "the tree ends here");
  expect_complaint(trees("tree t = (a,b,(c,d);"), "in:3:20", "';' stands where ',' or ')' is expected");
  expect_complaint(trees("tree t = a,b,c;"), "in:3:10", "'a' stands where '('");
  expect_complaint(trees("translate 1 a, 2 b 3 c;"), "in:3:20", "'3' stands where ',' or ';'");
  expect_complaint(trees("translate 1 a, 1 b;"), "in:3:16", "a second name for the label '1'");
  expect_complaint(trees("translate 1, 2 b;"), "in:3:11", "a label and the taxon's name");
  expect_complaint(trees("translate 1 '';"), "in:3:11", "a label and the taxon's name");
  try {  // labels hold in their block only
    to_tree(
        parse_newick(trees("translate 1 a;\ntree t = (1,b,(c,d));end;begin trees;\ntree t = (1,b,(c,d));end;"), "in"),
        1, abcd, "x", Lengths::optional);
    ADD_FAILURE() << "a label of another block was taken";
  } catch (const input_error& e) {
    EXPECT_EQ(std::string(e.what()).substr(0, 9), "in:5:11: ") << e.what();
  }
  expect_complaint(trees("translate 1 a, 2 b;\ntree t = (1,2,(3,d));\nend;"), "in:4:16", "only the tree has '3'");
}

TEST(Newick, WhatIsNoTree) {
  expect_complaint("", "in:1:1", "the file is empty");
  expect_complaint("[only a comment]\n", "in:2:1", "no tree");
  expect_complaint("hello", "in:1:1", "'h' stands where '('");
  expect_complaint("(a,b,(c,d))", "in:1:12", "expected ';'");
  expect_complaint("(a,b,(c,d)", "in:1:11", "expected ',' or ')'");
  expect_complaint("(a,b,\n(c,d)));", "in:2:7", "';', the end of the tree");
  expect_complaint("(a,b,(c,));", "in:1:9", "a taxon's name or '('");
  expect_complaint("(a,b,(c,d):);", "in:1:12", "a branch length");
  expect_complaint("(a,b,(c,d):x1);", "in:1:12", "'x1' is no branch length");
  expect_complaint("(a,b,(c,d):nan);", "in:1:12", "'nan' is no branch length");
  expect_complaint("(a,b,(c,d):1e999);", "in:1:12", "'1e999' is no branch length");
  expect_complaint("(a,b,(c,d):1e101);", "in:1:12", "'1e101' is no branch length");
  expect_complaint("(a,b,(c,d):-0.5);", "in:1:12", "negative");
  expect_complaint("(a,b\x1b,(c,d));", "in:1:4", "taxon 'b\\x1b' has byte 0x1b in its name");
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
