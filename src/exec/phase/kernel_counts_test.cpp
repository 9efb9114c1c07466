#include "exec/phase/kernel_counts.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace maslin {
namespace {

/// Numbers sites at these addresses, in that order, and the first of them once more.
std::vector<std::uint32_t> numbered(std::initializer_list<std::uintptr_t> sites) {
  const kernel_counts counts(2);
  std::vector<std::uint32_t> numbers;
  const auto number = [&](std::uintptr_t site) {
    numbers.push_back(counts.of_loop(reinterpret_cast<const void*>(site), 7) - counts.of_kernel(~0u) - 1);
  };
  for (const std::uintptr_t site : sites) number(site);
  number(*sites.begin());
  return numbers;
}

TEST(KernelCounts, LoopsAreNumberedAsTheyComeAndNotByTheirAddresses) {
  const std::vector<std::uint32_t> as_they_come{0, 1, 2, 3, 0};
  EXPECT_EQ(numbered({0x1000, 0x2000, 0x3000, 0x4000}), as_they_come);
  EXPECT_EQ(numbered({0x7fff12345670, 0x10, 0x555500001230, 0x20}), as_they_come);
}

TEST(KernelCounts, LoopsOfOneBodyOnTwoLinesAreTwo) {
  const kernel_counts counts(1);
  const auto* body = reinterpret_cast<const void*>(0x1000);
  EXPECT_NE(counts.of_loop(body, 1), counts.of_loop(body, 2));
}

TEST(KernelCounts, LoopsBehindTheLastNumberShareOneColumn) {
  kernel_counts counts(1);
  std::uint32_t last = 0;
  for (std::uintptr_t site = 1; site <= 100; ++site) {
    const std::uint32_t column = counts.of_loop(reinterpret_cast<const void*>(site * 64), 1);
    EXPECT_EQ(column, site < 32 ? last + (site > 1 ? 1 : column) : last + (site == 32 ? 1 : 0)) << site;
    last = column;
    counts.count(0, column, 1, 10, true, 1);
  }
  EXPECT_EQ(counts.counted(1).back().executions, 100u - 31);
}

}  // namespace
}  // namespace maslin
