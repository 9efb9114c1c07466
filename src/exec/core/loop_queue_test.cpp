#include "exec/core/loop_queue.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace maslin {
namespace {

struct one_bit final : work_queue::watcher {
  void nonempty(bool holds_work) override { bit = holds_work; }
  std::atomic<bool> bit{false};
};

/// Work without a task behind it: queues do not look inside.
work task(std::uintptr_t number) { return {reinterpret_cast<detail::task_node*>(number * 64), {}}; }
std::uintptr_t number(const work& w) { return reinterpret_cast<std::uintptr_t>(w.task) / 64; }

/// A loop that nobody runs.
struct idle_loop {
  const detail::loop what{0, 100, 1, nullptr, nullptr, schedule::dbs, location::current()};
  scope tasks{nullptr};
  context caller{tasks};
  loop_run run{what, caller, 4};
};

TEST(Queue, TheHeadIsLastInFirstOutAndTheTailWaits) {
  work_queue q;
  q.push_tail(task(1));
  q.push_head(task(2));
  q.push_tail(task(3));
  q.push_head(task(4));
  for (const std::uintptr_t expected : {4, 2, 1, 3}) EXPECT_EQ(number(*q.take_head(2)), expected);
  EXPECT_FALSE(q.take_head(2));
}

TEST(Queue, ItsBitSaysWhetherItHoldsWork) {
  one_bit watch;
  work_queue q(&watch);
  EXPECT_FALSE(watch.bit);
  q.push_head(task(1));
  q.push_head(task(2));
  EXPECT_TRUE(watch.bit);
  q.take_head(1);
  EXPECT_TRUE(watch.bit);
  q.take_head(1);
  EXPECT_FALSE(watch.bit);
}

TEST(Queue, ALoopGivesOnePthOfWhatIsLeft) {
  idle_loop loop;
  work_queue q;
  q.push_head({nullptr, {&loop.run, 0, 100}});
  std::vector<std::int64_t> sizes;
  while (auto part = q.take_head(4)) sizes.push_back(part->part.last - part->part.first);
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{25, 19, 14, 11, 8, 6, 5, 3, 3, 2, 1, 1, 1, 1}));
}

TEST(Queue, WhatNeedNotRunOfALoopThatThrewIsTakenAtOnce) {
  idle_loop loop;
  work_queue q;
  q.push_head({nullptr, {&loop.run, 40, 100}});
  loop.run.record_thrown(60, {});
  EXPECT_EQ(q.take_head(4)->part.size(), 15) << "those below the thrower run";
  loop.run.record_thrown(30, {});
  EXPECT_EQ(q.take_head(4)->part.size(), 45);
  EXPECT_TRUE(q.empty());
}

TEST(Queue, ALoopIsFoundBehindOtherWork) {
  idle_loop loop;
  work_queue q;
  q.push_head({nullptr, {&loop.run, 0, 10}});
  q.push_head(task(5));
  const auto part = q.take_of(&loop.run, 2);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->part.first, 0);
  EXPECT_EQ(part->part.last, 5);
  idle_loop other;
  EXPECT_FALSE(q.take_of(&other.run, 2));
  EXPECT_EQ(number(*q.take_head(2)), 5u);
}

TEST(Queue, AThiefTakesTheOlderHalf) {
  work_queue victim;
  work_queue thief;
  for (std::uintptr_t i = 1; i <= 5; ++i) victim.push_head(task(i));
  EXPECT_EQ(victim.bisect_into(thief), 2);
  for (const std::uintptr_t expected : {5, 4}) EXPECT_EQ(number(*victim.take_head(1)), expected);
  for (const std::uintptr_t expected : {3, 2, 1}) EXPECT_EQ(number(*thief.take_head(1)), expected);
}

TEST(Queue, ASingleLoopIsHalvedInIterations) {
  idle_loop loop;
  work_queue victim;
  work_queue thief;
  victim.push_head({nullptr, {&loop.run, 4, 13}});
  EXPECT_EQ(victim.bisect_into(thief), 2);
  const auto kept = victim.take_head(1);
  const auto taken = thief.take_head(1);
  EXPECT_EQ(kept->part.first, 4);
  EXPECT_EQ(kept->part.last, 8);
  EXPECT_EQ(taken->part.first, 8);
  EXPECT_EQ(taken->part.last, 13);
}

TEST(Queue, AThiefIsToldWhetherOthersCanHelpWithWhatItTook) {
  idle_loop loop;
  work_queue victim;
  work_queue thief;
  EXPECT_EQ(victim.bisect_into(thief), 0);
  victim.push_head(task(1));
  EXPECT_EQ(victim.bisect_into(thief), 1);
  thief.take_head(1);
  victim.push_head({nullptr, {&loop.run, 0, 2}});
  EXPECT_EQ(victim.bisect_into(thief), 1) << "one iteration";
}

TEST(Queue, NothingIsLostOrDoubledWhileThievesRobEachOther) {
  constexpr int workers = 4;
  constexpr std::uintptr_t items = 40'000;
  std::array<work_queue, workers> queues;
  std::vector<std::atomic<int>> seen(items + 1);
  std::atomic<std::uintptr_t> done{0};
  std::vector<std::thread> threads;
  for (int me = 0; me < workers; ++me)
    threads.emplace_back([&, me] {
      auto& own = queues[static_cast<std::size_t>(me)];
      if (me == 0)
        for (std::uintptr_t i = 1; i <= items; ++i) own.push_head(task(i));
      while (done < items) {
        if (auto item = own.take_head(workers)) {
          ++seen[number(*item)];
          ++done;
        } else {
          for (int victim = 0; victim < workers; ++victim)
            if (victim != me && queues[static_cast<std::size_t>(victim)].bisect_into(own)) break;
        }
      }
    });
  for (auto& t : threads) t.join();
  for (std::uintptr_t i = 1; i <= items; ++i) ASSERT_EQ(seen[i], 1);
}

}  // namespace
}  // namespace maslin
