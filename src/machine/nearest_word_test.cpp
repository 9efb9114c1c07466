#include "machine/nearest_word.hpp"

#include <gtest/gtest.h>

namespace maslin::machine {
namespace {

const std::vector<std::string> words = {"count", "kind", "speed", "groups", "source"};

TEST(NearestWord, ASlipOfTheKeyboardIsRecognized) {
  EXPECT_EQ(nearest_word("cuont", words), "count");
  EXPECT_EQ(nearest_word("sped", words), "speed");
  EXPECT_EQ(nearest_word("group", words), "groups");
  EXPECT_EQ(nearest_word("count", words), "count");
}

TEST(NearestWord, AnotherWordIsNot) {
  EXPECT_EQ(nearest_word("bandwidth", words), "");
  EXPECT_EQ(nearest_word("x", words), "");
  EXPECT_EQ(nearest_word("", words), "");
  EXPECT_EQ(nearest_word("count", {}), "");
}

}  // namespace
}  // namespace maslin::machine
