#include "model/layers/store_copies.hpp"

#include <gtest/gtest.h>

namespace maslin::layers {
namespace {

// Microseconds, and bytes in a microsecond.
copy_engines engine(double rate) {
  copy_engines e;
  e.latency = 0.1;
  e.worker = rate;
  return e;
}

TEST(StoreCopies, WithoutStoresOrDataNothingIsCopied) {
  EXPECT_EQ(not_hidden({}, {24, 10, 4000, 4000}, 1, 1), 0);
  EXPECT_EQ(not_hidden(engine(1000), {24, 10, 0, 0}, 1, 1), 0);
}

TEST(StoreCopies, ComputingHidesAllButTheFirstFetchAndTheLastPut) {
  // 4.1 us for each, and 8.2 of both are less than a block's 10.
  EXPECT_DOUBLE_EQ(not_hidden(engine(1000), {24, 10, 4000, 4000}, 1, 1), 8.2);
  EXPECT_DOUBLE_EQ(not_hidden(engine(1000), {24, 10, 4000, 0}, 1, 1), 4.1);
}

TEST(StoreCopies, ALoopIsBoundByCommunicationWhereItsCopiesTakeLonger) {
  // 16.2 us of copies for each of 24 blocks, and 240 us of computing.
  EXPECT_NEAR(not_hidden(engine(500), {24, 10, 4000, 4000}, 1, 1), 24 * 16.2 - 240, 1e-9);
}

TEST(StoreCopies, InTeamsOfMoreThanTwoSomeAreNotFetchedAhead) {
  EXPECT_NEAR(not_hidden(engine(1000), {8, 10, 4000, 4000}, 3, 3), 3 * 8.2, 1e-9);
  EXPECT_NEAR(not_hidden(engine(1000), {1, 10, 4000, 4000}, 24, 24), 8.2, 1e-9);  // there is nothing else to fetch
}

TEST(StoreCopies, BlocksThatSayWhatTheyMoveTakeWhatTheyComputeOrMove) {
  copy_engines e = engine(1000);
  paced_blocks of = paced(e, {10, 4000}, 1000);
  EXPECT_DOUBLE_EQ(of.each, 10);
  EXPECT_EQ(of.last, 0);
  EXPECT_DOUBLE_EQ(of.moves, 4);
  of = paced(e, {10, 4000}, 200);
  EXPECT_DOUBLE_EQ(of.each, 20);
  EXPECT_NEAR(of.last, 0.1, 1e-12);  // the start-up of the first one
  of = paced(e, {3.95, 4000}, 1000);
  EXPECT_NEAR(of.each + of.last, 4.1, 1e-12);
  e.latency = 50;  // two start-ups at a time
  EXPECT_DOUBLE_EQ(paced(e, {10, 4000}, 1000).each, 27);
}

TEST(StoreCopies, WorkersShareABusAndMemory) {
  copy_engines e = engine(1000);
  e.bus = 1000;
  e.of_a_bus = 4;
  EXPECT_EQ(e.rate(1, 0, 1), 1000);
  EXPECT_EQ(e.rate(1, 2, 1), 1000.0 / 3);
  EXPECT_EQ(e.rate(1, 2, 0.5), 500);
  EXPECT_EQ(e.rate(1, 7, 1), 250);
  EXPECT_EQ(e.rate(3, 0, 0), 1000.0 / 3);  // of a team all copy at a time
  EXPECT_EQ(e.rate(2, 6, 0.5), 1000.0 / 3);
  EXPECT_EQ(e.rate(6, 6, 0.5), 250);
  e.memory = 100;
  e.of_a_memory = 2;
  EXPECT_EQ(e.rate(1, 7, 1), 50);
  // Blocks that take no time to compute keep both engines busy all the time: each has half of the bus.
  e = engine(1000);
  e.latency = 0;
  e.bus = 1000;
  e.of_a_bus = 2;
  EXPECT_NEAR(not_hidden(e, {10, 0, 1000, 0}, 1, 2), 20, 1e-6);
}

}  // namespace
}  // namespace maslin::layers
