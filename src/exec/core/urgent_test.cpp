#include "exec/core/urgent.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "graph/edges.hpp"

namespace maslin {
namespace {

using detail::task_node;

struct Urgent : testing::Test {
  ~Urgent() override {
    for (task_node* one : all) graph::destroy(one);
  }
  task_node& add(int priority = 0) {
    const detail::task_storage storage = detail::new_task_storage(0, 1, 0);
    const detail::task_description what{nullptr, nullptr, location::current(), priority, nullptr, 0};
    all.push_back(new (storage.node) task_node(in, nullptr, storage, what));
    return *all.back();
  }
  scope in{nullptr};
  std::vector<task_node*> all;
};

constexpr auto any = [](const task_node&) { return true; };

TEST_F(Urgent, TheHighestPriorityGoesFirstThenWhoBecameReadyFirst) {
  urgent_tasks tasks;
  task_node& early = add(1);
  task_node& late = add(1);
  task_node& high = add(2);
  for (task_node* one : {&late, &early, &high}) ASSERT_TRUE(tasks.push(one));
  EXPECT_EQ(tasks.pop(), &high);
  EXPECT_EQ(tasks.pop(), &late);
  EXPECT_EQ(tasks.pop(), &early);
  EXPECT_EQ(tasks.pop(), nullptr);
}

TEST_F(Urgent, WhereAllStandHereTheEarliestOfTheProgramGoesFirst) {
  urgent_tasks tasks(placement::program_order);
  task_node& early = add();
  task_node& low = add(-1);
  task_node& late = add();
  task_node& high = add(1);
  for (task_node* one : {&high, &late, &low, &early}) ASSERT_TRUE(tasks.push(one));
  for (task_node* one : {&high, &early, &low, &late}) EXPECT_EQ(tasks.pop(), one);
}

TEST_F(Urgent, AnyMayBeTakenOutAndTheRestKeepTheirOrder) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    urgent_tasks tasks(placement::program_order);
    std::vector<task_node*> left;
    const std::size_t count = 1 + random() % 20;
    for (std::size_t i = 0; i < count; ++i) left.push_back(&add(random() % 4 == 0 ? 1 : 0));
    std::vector<task_node*> shuffled = left;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    for (task_node* one : shuffled) ASSERT_TRUE(tasks.push(one));
    std::stable_sort(left.begin(), left.end(),
                     [](const task_node* a, const task_node* b) { return a->priority > b->priority; });
    while (!left.empty()) {
      ASSERT_EQ(tasks.size(), left.size());
      const bool from_the_head = random() % 2 == 0;
      const auto at = left.begin() + static_cast<std::ptrdiff_t>(from_the_head ? 0 : random() % left.size());
      const task_node* const found =
          from_the_head ? tasks.pop() : tasks.take_if([&](const task_node* one) { return one == *at; });
      ASSERT_EQ(found, *at);
      left.erase(at);
    }
    EXPECT_FALSE(tasks.any());
  }
}

TEST_F(Urgent, WhoWaitsGetsTheFirstThatItWaitsForUnlessAnotherHasAPriority) {
  urgent_tasks tasks(placement::chains);
  task_node& other = add();
  task_node& awaited = add();
  const auto is_awaited = [&](const task_node& one) { return &one == &awaited; };
  ASSERT_TRUE(tasks.push(&other) && tasks.push(&awaited));
  EXPECT_EQ(tasks.pop_awaited(is_awaited), &awaited);
  EXPECT_EQ(tasks.pop_awaited(is_awaited), nullptr);
  task_node& high = add(1);
  ASSERT_TRUE(tasks.push(&awaited) && tasks.push(&high));
  EXPECT_EQ(tasks.pop_awaited(is_awaited), nullptr);
  EXPECT_EQ(tasks.pop_awaited(any), &high);
  EXPECT_EQ(tasks.pop_awaited(is_awaited), &awaited);
}

TEST_F(Urgent, OnlyAPriorityEndsAChain) {
  for (const placement policy : {placement::dbs, placement::program_order, placement::chains}) {
    urgent_tasks tasks(policy);
    EXPECT_FALSE(tasks.come_first());
    ASSERT_TRUE(tasks.push(&add()));
    EXPECT_EQ(tasks.come_first(), policy != placement::chains);
    ASSERT_TRUE(tasks.push(&add(1)));
    EXPECT_TRUE(tasks.come_first());
    tasks.pop();
    EXPECT_EQ(tasks.come_first(), policy != placement::chains);
  }
}

}  // namespace
}  // namespace maslin
