#include "exec/core/dealt.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace maslin {
namespace {

using part = dealt_blocks::part;

TEST(DealtBlocks, EachWorkerHasAnEqualPartAndTakesItInQuarters) {
  dealt_blocks left(25, 3, 1);
  EXPECT_EQ(left.take(0), (part{0, 3}));
  EXPECT_EQ(left.take(0), (part{3, 5}));
  for (const std::int64_t last : {5, 6, 7, 8}) EXPECT_EQ(left.take(0), (part{last, last + 1}));
  EXPECT_FALSE(left.take(0));
  EXPECT_EQ(left.take(2), (part{17, 19}));
}

TEST(DealtBlocks, WhoHasNoneTakesTheLastHalfOfTheNextThatHasSome) {
  dealt_blocks left(8, 2, 1);
  left.forget(0);
  ASSERT_TRUE(left.steal(0));
  EXPECT_EQ(left.take(0), (part{6, 7}));
  EXPECT_EQ(left.take(1), (part{4, 5}));
  EXPECT_EQ(left.take(0), (part{7, 8}));
  ASSERT_TRUE(left.steal(0));
  EXPECT_EQ(left.take(0), (part{5, 6}));
  EXPECT_FALSE(left.steal(0));
  EXPECT_FALSE(left.take(1));
}

TEST(DealtBlocks, LessThanTheGrainStaysWhereItIs) {
  dealt_blocks left(10, 2, 2);
  left.forget(0);
  ASSERT_TRUE(left.steal(0));  // three of five
  EXPECT_EQ(left.take(0), (part{7, 8}));
  left.forget(0);
  EXPECT_FALSE(left.steal(0)) << "half of the two that are left";
  EXPECT_EQ(left.take(1), (part{5, 6}));
}

TEST(DealtBlocks, FewerBlocksThanWorkersAreOneEach) {
  dealt_blocks left(2, 4, 1);
  for (const int worker : {0, 1}) EXPECT_EQ(left.take(worker), (part{worker, worker + 1}));
  for (const int worker : {2, 3}) EXPECT_FALSE(left.take(worker) || left.steal(worker));
}

TEST(DealtBlocks, OfVeryManyEachIsTakenOnce) {
  constexpr std::int64_t blocks = (std::int64_t{1} << 31) - 1;
  for (const int workers : {2, 8}) {
    ASSERT_TRUE(dealt_blocks::fits(blocks, workers));
    dealt_blocks left(blocks, workers, 1);
    std::vector<std::int64_t> taken(static_cast<std::size_t>(workers));
    std::vector<std::thread> all;
    for (int worker = 0; worker < workers; ++worker)
      all.emplace_back([&, worker] {
        do {
          while (const auto some = left.take(worker)) taken[static_cast<std::size_t>(worker)] += some->size();
        } while (left.steal(worker));
      });
    std::int64_t sum = 0;
    for (std::thread& each : all) each.join();
    for (const std::int64_t count : taken) sum += count;
    EXPECT_EQ(sum, blocks);
  }
  EXPECT_FALSE(dealt_blocks::fits(blocks + 1, 2));
}

}  // namespace
}  // namespace maslin
