#include "base/nearest_word.hpp"

#include <gtest/gtest.h>

namespace maslin::base {
namespace {

const std::vector<std::string> words = {"count", "kind", "speed", "groups", "source"};

TEST(NearestWord, ASlipOfTheKeyboardIsRecognized) {
  EXPECT_EQ(nearest_word("cuont", words), "count");
  EXPECT_EQ(nearest_word("sped", words), "speed");
  EXPECT_EQ(nearest_word("group", words), "groups");
  EXPECT_EQ(nearest_word("count", words), "count");
}

TEST(NearestWord, LettersThatChangedPlacesAreOneSlip) {
  EXPECT_EQ(nearest_word("knid", words), "kind");
  EXPECT_EQ(nearest_word("nikd", words), "") << "this is two";
}

TEST(NearestWord, AnotherWordIsNot) {
  EXPECT_EQ(nearest_word("bandwidth", words), "");
  EXPECT_EQ(nearest_word("x", words), "");
  EXPECT_EQ(nearest_word("", words), "");
  EXPECT_EQ(nearest_word("2", {"0", "1"}), "");
  EXPECT_EQ(nearest_word("count", {}), "");
}

}  // namespace
}  // namespace maslin::base
