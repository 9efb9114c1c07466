// Groups whose tasks are no longer wanted.

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

#include "executors.hpp"

namespace {

class Cancel : public Promise {};

MASLIN_ON_EVERY_EXECUTOR(Cancel);

TEST_P(Cancel, TasksThatHaveNotBegunDoNotRun) {
  ms::group group;
  int x = 0;
  for (int i = 0; i < 50; ++i)
    group.task(
        [&group](ms::view<int> v) {
          if (++v[0] == 5) group.cancel();
        },
        ms::inout(x));
  EXPECT_FALSE(group.wait());
  EXPECT_EQ(x, 5);
  EXPECT_FALSE(group.cancelled());
  ms::wait();  // it is no error
}

TEST_P(Cancel, NorDoThoseThatAreCreatedBeforeTheWait) {
  ms::group group;
  std::atomic<int> ran{0};
  const int x = 0;
  const auto create = [&] {
    for (int i = 0; i < 2'000; ++i) group.task([&ran] { ++ran; });
  };
  create();  // they turn out to be small
  EXPECT_TRUE(group.wait());
  EXPECT_EQ(ran, 2'000);
  group.cancel();
  EXPECT_TRUE(group.cancelled());
  create();
  group.task([&ran](ms::view<const int>) { ++ran; }, ms::in(x));
  EXPECT_FALSE(group.wait());
  EXPECT_EQ(ran, 2'000);
  create();
  EXPECT_TRUE(group.wait());
  EXPECT_EQ(ran, 4'000);
}

TEST_P(Cancel, ABodyThatHasBegunRunsToItsEndWithAllItCreates) {
  ms::group group;
  std::atomic<int> ran{0};
  group.task([&] {
    group.cancel();
    for (int i = 0; i < 10; ++i) ms::task([&ran] { ++ran; });
    EXPECT_TRUE(group.cancelled());
  });
  EXPECT_FALSE(group.wait());
  EXPECT_EQ(ran, 10);
}

TEST_P(Cancel, ABodyMaySeeItFromAnotherThread) {
  if (!meets()) GTEST_SKIP() << "one runs at a time";
  ms::group group;
  std::atomic<bool> begun{false};
  group.task([&] {
    begun = true;
    while (!group.cancelled()) std::this_thread::yield();
  });
  std::thread([&] {
    while (!begun) std::this_thread::yield();
    group.cancel();
  }).join();
  EXPECT_FALSE(group.wait());
}

TEST_P(Cancel, ExceptionsOfTasksThatRanAreStillThrown) {
  ms::group group;
  int ran = 0;
  group.task(
      [&group](ms::view<int>) {
        group.cancel();
        throw std::runtime_error("and thrown");
      },
      ms::inout(ran));
  group.task([](ms::view<int> v) { ++v[0]; }, ms::inout(ran));
  EXPECT_THROW(group.wait(), std::runtime_error);
  EXPECT_TRUE(ms::other_exceptions().empty());
  EXPECT_EQ(ran, 0);
  group.task([](ms::view<int> v) { ++v[0]; }, ms::inout(ran));
  EXPECT_TRUE(group.wait());
  EXPECT_EQ(ran, 1);
}

TEST_P(Cancel, WhoWouldReadWhatWasNotWrittenIsCancelledWithAnError) {
  ms::group group;
  int x = 0;
  int y = 0;
  group.cancel();
  group.task([](ms::view<int> v) { v[0] = 1; }, ms::inout(x));
  ms::task([](ms::view<const int> v, ms::view<int> to) { to[0] = v[0] + 1; }, ms::in(x), ms::inout(y));
  EXPECT_THROW(ms::wait(), ms::error);
  EXPECT_FALSE(group.wait());
  EXPECT_EQ(y, 0);
  ms::task([](ms::view<const int> v, ms::view<int> to) { to[0] = v[0] + 1; }, ms::in(x), ms::inout(y));
  ms::wait();
  EXPECT_EQ(y, 1);
}

TEST_P(Cancel, OtherGroupsGoOn) {
  ms::group cancelled;
  ms::group other;
  std::atomic<int> ran{0};
  cancelled.cancel();
  for (int i = 0; i < 100; ++i) {
    cancelled.task([&ran] { ran += 1'000; });
    other.task([&ran] { ++ran; });
    ms::task([&ran] { ++ran; });
  }
  EXPECT_FALSE(cancelled.wait());
  EXPECT_TRUE(other.wait());
  ms::wait();
  EXPECT_EQ(ran, 200);
}

TEST_P(Cancel, AGroupMayEndWithoutAWait) {
  std::atomic<int> ran{0};
  {
    ms::group group;
    group.cancel();
    for (int i = 0; i < 100; ++i) group.task([&ran] { ++ran; });
  }
  ms::wait();
  EXPECT_EQ(ran, 0);
}

}  // namespace
