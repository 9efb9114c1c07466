#include "phylo/run/draw.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "phylo/io/newick.hpp"

namespace phylo {
namespace {

Tree parse(const std::string& text, const std::vector<std::string>& names) {
  return to_tree(parse_newick(text, "in"), 0, names, "the test", Lengths::required);
}

TEST(Draw, BranchesToScaleRootedInTheMiddle) {
  const std::vector<std::string> names = {"a", "b", "c", "dd"};
  const Tree tree = parse("(a:4,b:2,(c:1,dd:2):4);", names);
  std::vector<double> supports(static_cast<std::size_t>(tree.half_edges()), -1.0);
  tree.for_each_branch([&](HalfEdge h) {
    if (!tree.is_tip(h) && !tree.is_tip(tree.back(h)))
      supports[static_cast<std::size_t>(h)] = supports[static_cast<std::size_t>(tree.back(h))] = 0.93;
  });
  EXPECT_EQ(draw(tree, names, supports, {24, true}),
            "┌─93┬──────────────── a\n"
            "│   └──────── b\n"
            "└───────────┬──── c\n"
            "            └──────── dd\n");
}

TEST(Draw, PlainCharactersWithoutUnicode) {
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  const std::string picture = draw(parse("(a:1,b:1,(c:1,d:1):1);", names), names, {}, {40, false});
  for (const char c : picture) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

TEST(Draw, KeepsWithinTheTerminalAndShowsEveryTaxonOnce) {
  // A caterpillar is the deepest tree there is.
  std::vector<std::string> names = {"taxon_0"};
  std::string text = "taxon_0:0.1";
  for (int i = 1; i < 60; ++i) {
    names.push_back("taxon_" + std::to_string(i) +
                    (i % 7 == 0 ? "_with_a_name_that_is_much_too_long_for_a_line_of_any_kind" : ""));
    text.insert(text.begin(), '(');
    text += "," + names.back() + ":0.1):0.0" + std::to_string(i);
  }
  const Tree tree = parse(text + ";", names);
  for (const int columns : {80, 100, 200}) {
    std::istringstream lines(draw(tree, names, {}, {columns, true}));
    std::string line;
    int count = 0;
    while (std::getline(lines, line)) {
      EXPECT_LE(columns_of(line), static_cast<std::size_t>(columns)) << line;
      EXPECT_NE(line.find("taxon_"), std::string::npos);
      ++count;
    }
    EXPECT_EQ(count, 60);
  }
}

TEST(Draw, ATreeThatIsMuchTooDeepIsNot) {
  std::vector<std::string> names = {"t0"};
  std::string text = "t0:1";
  for (int i = 1; i < 5000; ++i) {
    names.push_back("t" + std::to_string(i));
    text += "," + names.back() + ":1):1";
  }
  EXPECT_EQ(draw(parse(std::string(names.size() - 1, '(') + text + ";", names), names, {}, {80, true}),
            "(It is too deep to be drawn.)\n");
}

TEST(Draw, ATreeWithoutLengthsIsDrawn) {
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  EXPECT_EQ(draw(parse("(a:0,b:0,(c:0,d:0):0);", names), names, {}, {30, true}).empty(), false);
}

}  // namespace
}  // namespace phylo
