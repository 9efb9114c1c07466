#include "exec/threads/call_sites.hpp"

#include <gtest/gtest.h>

namespace maslin {
namespace {

void body(void*, range, std::int64_t) {}
void other_body(void*, range, std::int64_t) {}

detail::loop at(void (*run)(void*, range, std::int64_t), unsigned line) {
  return {0, 100, 1, run, nullptr, schedule::of_the_run, location::current("f.cpp", line)};
}

TEST(CallSites, KeepBodiesAndLinesApart) {
  call_sites all;
  all.of(at(body, 3)).learn(1, 10);
  EXPECT_EQ(all.of(at(body, 3)).time().expected(1), 10);
  EXPECT_EQ(all.of(at(other_body, 3)).time().expected(1), 0);
  EXPECT_EQ(all.of(at(body, 4)).time().expected(1), 0);
}

TEST(CallSites, APlaceThatTwoShareForgetsTheEarlier) {
  call_sites all;
  all.of(at(body, 3)).learn(1, 10);
  EXPECT_EQ(all.of(at(body, 3 + 1024)).time().expected(1), 0);
  EXPECT_EQ(all.of(at(body, 3)).time().expected(1), 0);
}

}  // namespace
}  // namespace maslin
