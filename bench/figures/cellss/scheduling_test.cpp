#include "scheduling.hpp"

#include <gtest/gtest.h>

#include "sanitized.hpp"

namespace cellss {
namespace {

TEST(Scheduling, TakesTimeAndMemoryForEachTask) {
  if (sanitized) GTEST_SKIP() << "the sanitizers' heap does not count; the plain builds run this";
  for (const application& app : {matmul({10, 64}), cholesky_c({16, 64})}) {
    const scheduling took = schedule_all(app);
    EXPECT_GT(took.ns, 0);
    EXPECT_GT(took.bytes, sizeof(maslin::place::bundle_mark)) << "each has a mark";
    EXPECT_LT(took.bytes, 1024);
  }
}

}  // namespace
}  // namespace cellss
