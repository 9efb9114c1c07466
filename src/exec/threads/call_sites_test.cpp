#include "exec/threads/call_sites.hpp"

#include <gtest/gtest.h>

namespace maslin {
namespace {

void body(void*) {}
void other_body(void*) {}

TEST(CallSites, KeepBodiesAndLinesApart) {
  call_sites all;
  all.of(body, 3).learn(1, 10, 4);
  EXPECT_EQ(all.of(body, 3).time().expected(1), 10);
  EXPECT_EQ(all.time_of(body, 3).expected(1), 10);
  EXPECT_EQ(all.time_of(other_body, 3).expected(1), 0);
  EXPECT_EQ(all.time_of(body, 4).expected(1), 0);
}

TEST(CallSites, KnowWhatTheGraphTakes) {
  call_sites all;
  for (int i = 0; i < 100; ++i) {
    all.of(body, 3).learn_graph(true, 30, 64);
    all.of(body, 3).learn_graph(false, 20, 64);
  }
  EXPECT_EQ(all.find(body, 3)->adding().expected(1), 30);
  EXPECT_EQ(all.find(body, 3)->removing().expected(1), 20);
  EXPECT_EQ(all.find(body, 3)->time().seen, 0u);
  EXPECT_FALSE(all.find(body, 4));
}

TEST(CallSites, AfterASurpriseASiteIsNotSteadyForAWhile) {
  call_sites all;
  call_site& site = all.of(body, 3);
  EXPECT_TRUE(site.is_steady());
  EXPECT_EQ(all.find(body, 3), &site);
  EXPECT_EQ(all.find(body, 4), nullptr);
  site.has_surprised();
  int until_steady = 0;
  for (; !site.is_steady(); ++until_steady) site.was_as_expected();
  EXPECT_GT(until_steady, 100);
  site.was_as_expected();
  EXPECT_TRUE(site.is_steady());
}

TEST(CallSites, APlaceThatTwoShareForgetsTheEarlier) {
  call_sites all;
  all.of(body, 3).learn(1, 10, 4);
  EXPECT_EQ(all.of(body, 3 + 1024).time().expected(1), 0);
  EXPECT_EQ(all.of(body, 3).time().expected(1), 0);
}

}  // namespace
}  // namespace maslin
