#pragma once
// What tests say of a result.

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "explorer.hpp"

inline void expect_well(const explorer::result& r) {
  EXPECT_EQ(r.failure, "");
  EXPECT_TRUE(r.complete) << r.executions << " executions";
  std::printf("%llu executions\n", static_cast<unsigned long long>(r.executions));
  if (r.failure.empty()) return;
  std::string order;
  for (const std::size_t t : r.schedule) order += std::to_string(t);
  std::printf("order of steps: %s\n", order.c_str());
}
