#include "phylo/run/prefix.hpp"

#include <gtest/gtest.h>

#include "phylo/io/error.hpp"

namespace phylo {
namespace {

TEST(Prefix, BeginsFileNamesOrNamesAFolder) {
  EXPECT_EQ(Prefix("out/run").file("bestTree"), "out/run.bestTree");
  EXPECT_EQ(Prefix("out/run/").file("bestTree"), "out/run/bestTree");
  EXPECT_EQ(Prefix("run").file("result.json"), "run.result.json");
  EXPECT_EQ(Prefix(".").file("bestTree"), "./bestTree");
  EXPECT_EQ(Prefix("out/..").file("bestTree"), "out/../bestTree");
  EXPECT_EQ(Prefix("out/.run").file("bestTree"), "out/.run.bestTree");
}

TEST(Prefix, WhatNoFileNameCanBeginWithIsRefused) {
  EXPECT_THROW(Prefix(""), input_error);
  EXPECT_THROW(Prefix("/dev/full"), input_error);
}

}  // namespace
}  // namespace phylo
