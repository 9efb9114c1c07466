#include "phylo/io/text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace phylo {
namespace {

TEST(Text, WordsAreShownAsATerminalCanShowThem) {
  EXPECT_EQ(shown("Dürer"), "'Dürer'");
  EXPECT_EQ(shown("D\xfcrer"), "'D\\xfcrer'") << "Latin-1";
  EXPECT_EQ(shown("a\x1b[1m\n\x7f"), "'a\\x1b[1m\\x0a\\x7f'");
  EXPECT_EQ(shown("\xc2\x9b\xc0\xaf\xed\xa0\x80"), "'\\xc2\\x9b\\xc0\\xaf\\xed\\xa0\\x80'")
      << "a control character, one that is longer than need be, half of a pair";
  EXPECT_EQ(shown("\xe2\x82"), "'\\xe2\\x82'") << "cut off";
  EXPECT_EQ(shown("€ 𝄞"), "'€ 𝄞'");
}

TEST(Text, LongWordsAreCutBetweenCharacters) {
  const std::string sixty(60, 'a');
  EXPECT_EQ(shown(sixty), "'" + sixty + "'");
  EXPECT_EQ(shown(sixty + "b"), "'" + sixty + "...'");
  EXPECT_EQ(shown(sixty.substr(1) + "ü"), "'" + sixty.substr(1) + "ü'");
  EXPECT_EQ(shown(sixty.substr(1) + "üb"), "'" + sixty.substr(1) + "ü...'");
}

TEST(Text, TheNearestNameIsFewEditsAway) {
  EXPECT_EQ(nearest_name("HKZ", {"GTR", "HKY", "HKY85"}), "HKY");
  EXPECT_EQ(nearest_name("taxon_aa", {"taxon_b", "taxon_a"}), "taxon_a");
  EXPECT_EQ(nearest_name("nothing", {"GTR", "HKY"}), "");
  // Comparing it with each of them would take minutes.
  EXPECT_EQ(nearest_name(std::string(3000000, 'x'), std::vector<std::string>(1000, "taxon_a")), "");
}

TEST(Text, PathsAreShownInOneLineByTheirEnds) {
  EXPECT_EQ(shown_path("-"), "standard input");
  EXPECT_EQ(shown_path("a b/ü.phy"), "a b/ü.phy");
  EXPECT_EQ(shown_path("a\nb"), "a\\x0ab");
  EXPECT_EQ(shown_path(std::string(5000, 'a') + "/x.phy"), "..." + std::string(294, 'a') + "/x.phy");
}

}  // namespace
}  // namespace phylo
